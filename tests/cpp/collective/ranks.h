/// \file Code that runs once per rank, each in its own thread.
#pragma once

#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "collective/checked_collective.h"
#include "collective/thread_group.h"

namespace kauri {

/// Runs fn(collective) on every rank. Returns the message that each rank threw, or an empty string; a throw aborts the
/// group.
template <typename Fn>
std::vector<std::string> RunRanks(int n_ranks, Fn&& fn, std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  ThreadGroup group(n_ranks, timeout);
  std::vector<std::string> errors(static_cast<std::size_t>(n_ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < n_ranks; ++rank) {
    threads.emplace_back([&, rank] {
      CheckedCollective checked(group.Of(rank));
      try {
        fn(static_cast<Collective*>(&checked));
      } catch (std::exception const& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
        checked.Abort("rank " + std::to_string(rank) + ": " + error.what());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return errors;
}

}  // namespace kauri
