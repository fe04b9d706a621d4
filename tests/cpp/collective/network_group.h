/// \file Trackers and groups over sockets whose ranks are threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "collective/network/socket_group.h"
#include "collective/network/tracker.h"
#include "kauri/error.h"

namespace kauri {

constexpr double kTimeout = 20;  // seconds

inline std::unique_ptr<Tracker> StartTracker(int n_workers, SortBy sort_by = SortBy::kTask, double timeout = 0) {
  TrackerOptions options;
  options.address.host = "127.0.0.1";
  options.n_workers = n_workers;
  options.sort_by = sort_by;
  options.timeout = timeout;
  options.secret = "a secret";
  auto tracker = std::make_unique<Tracker>(options);
  tracker->Run();
  return tracker;
}

inline JoinOptions OptionsFor(Tracker const& tracker, std::string const& task, double timeout = kTimeout) {
  JoinOptions options;
  options.tracker = tracker.Where();
  options.secret = tracker.Secret();
  options.task = task;
  options.timeout = timeout;
  options.retries = 0;
  return options;
}

/// Runs fn(&group) in one thread for each rank. Returns the messages that they threw, by task.
inline std::vector<std::string> RunGroup(int n_ranks, std::function<void(SocketGroup*)> const& fn,
                                         double timeout = kTimeout) {
  auto const tracker = StartTracker(n_ranks);
  std::vector<std::string> errors(static_cast<std::size_t>(n_ranks));
  std::vector<std::thread> threads;
  for (int task = 0; task < n_ranks; ++task) {
    threads.emplace_back([&, task] {
      try {
        SocketGroup group(OptionsFor(*tracker, std::string(1, static_cast<char>('a' + task)), timeout));
        fn(&group);
        group.Leave();
      } catch (Error const& error) {
        errors[task] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return errors;
}

inline bool IsQuiet(std::vector<std::string> const& errors) {
  for (auto const& error : errors) EXPECT_EQ(error, "");
  return std::all_of(errors.begin(), errors.end(), [](auto const& error) { return error.empty(); });
}

inline bool Contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Returns n numbers that depend on the rank.
inline std::vector<std::int64_t> NumbersOf(int rank, std::size_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  std::vector<std::int64_t> values(n);
  for (auto& value : values) value = static_cast<std::int64_t>(random());
  return values;
}

}  // namespace kauri
