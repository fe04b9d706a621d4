/// Trackers and groups of ranks over sockets: results against sums in a loop, strangers, and ranks that fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "collective/network/channel.h"
#include "collective/network/socket_group.h"
#include "collective/network/tracker.h"
#include "collective/network_group.h"
#include "kauri/error.h"

namespace kauri {
namespace {

class NetworkSizes : public ::testing::TestWithParam<std::tuple<int, std::size_t>> {};

TEST_P(NetworkSizes, SumsMaximaAndGathers) {
  auto const [n_ranks, n] = GetParam();
  std::vector<std::uint64_t> sums(n);
  std::vector<std::uint64_t> maxima(n);
  for (int rank = 0; rank < n_ranks; ++rank) {
    auto const values = NumbersOf(rank, n);
    for (std::size_t i = 0; i < n; ++i) {
      sums[i] += static_cast<std::uint64_t>(values[i]);
      maxima[i] = std::max(maxima[i], static_cast<std::uint64_t>(values[i]));
    }
  }
  auto const errors = RunGroup(n_ranks, [&, n_ranks = n_ranks, n = n](SocketGroup* group) {
    EXPECT_EQ(group->Size(), n_ranks);
    auto values = NumbersOf(group->Rank(), n);
    group->Sum(values);
    EXPECT_TRUE(std::equal(sums.begin(), sums.end(), values.begin(),
                           [](auto sum, auto value) { return sum == static_cast<std::uint64_t>(value); }));
    auto const mine = NumbersOf(group->Rank(), n);
    std::vector<std::uint64_t> largest(mine.begin(), mine.end());
    group->Max(largest);
    EXPECT_EQ(largest, maxima);
    values = mine;
    std::vector<std::uint64_t> begins{0};
    for (int rank = 0; rank < n_ranks; ++rank)
      begins.push_back(rank + 1 == n_ranks ? n : std::min(n, begins.back() + 1));
    group->SumParts(values, begins);
    for (auto i = begins[group->Rank()]; i < begins[group->Rank() + 1]; ++i) {
      EXPECT_EQ(static_cast<std::uint64_t>(values[i]), sums[i]);
    }
    std::vector<std::byte> const bytes(static_cast<std::size_t>(group->Rank()) * n, std::byte(group->Rank()));
    auto const all = group->Gather(bytes);
    for (int rank = 0; rank < n_ranks; ++rank) {
      EXPECT_EQ(all[rank], std::vector<std::byte>(static_cast<std::size_t>(rank) * n, std::byte(rank)));
    }
  });
  IsQuiet(errors);
}

INSTANTIATE_TEST_SUITE_P(All, NetworkSizes,
                         ::testing::Combine(::testing::Values(1, 2, 3, 5), ::testing::Values(0, 1, 4, 70001)));

TEST(Network, BroadcastFromEveryRank) {
  for (auto const n : {std::size_t{0}, std::size_t{3}, std::size_t{300000}}) {
    auto const errors = RunGroup(3, [&](SocketGroup* group) {
      for (int root = 0; root < 3; ++root) {
        std::vector<std::byte> bytes(n);
        for (std::size_t i = 0; i < n && group->Rank() == root; ++i) bytes[i] = std::byte(i * 7 + root);
        group->Broadcast(bytes, root);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bytes[i], std::byte(i * 7 + root));
      }
      EXPECT_THROW(group->Broadcast({}, 3), Error);
    });
    IsQuiet(errors);
  }
}

TEST(Network, RanksAreInTheOrderOfTasks) {
  auto const tracker = StartTracker(3);
  std::vector<std::string> by_rank(3);
  std::vector<std::thread> threads;
  for (auto const* task : {"worker-2", "worker-0", "worker-1"}) {
    threads.emplace_back([&, task] {
      SocketGroup group(OptionsFor(*tracker, task));
      by_rank[group.Rank()] = task;
      group.Leave();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(by_rank, (std::vector<std::string>{"worker-0", "worker-1", "worker-2"}));
  tracker->Wait(kTimeout);
  EXPECT_FALSE(tracker->IsUnfinished());
}

TEST(Network, ARankThatIsGoneIsNamedToAll) {
  auto const tracker = StartTracker(3);
  std::vector<std::string> errors(3);
  std::vector<std::thread> threads;
  for (int task = 0; task < 3; ++task) {
    threads.emplace_back([&, task] {
      SocketGroup group(OptionsFor(*tracker, std::to_string(task)));
      std::vector<std::int64_t> values{1};
      if (task == 1) return;  // without Leave, as a process that is killed
      try {
        for (;;) group.Sum(values);
      } catch (Error const& error) {
        errors[task] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto const task : {0, 2}) EXPECT_TRUE(Contains(errors[task], "rank 1 (host")) << errors[task];
  EXPECT_TRUE(Contains(errors[0], "is gone")) << errors[0];
  try {
    tracker->Wait(kTimeout);
    ADD_FAILURE();
  } catch (Error const& error) {
    EXPECT_TRUE(Contains(error.what(), "rank 1 (host")) << error.what();
  }
}

TEST(Network, AnErrorOfOneRankReachesTheWaitingOnes) {
  auto const errors = RunGroup(3, [](SocketGroup* group) {
    std::vector<std::int64_t> values{1};
    if (group->Rank() == 2) {
      group->Abort("rank 2 of the group failed: no labels");
      return;
    }
    group->Sum(values);
  });
  EXPECT_TRUE(Contains(errors[0], "no labels")) << errors[0];
  EXPECT_TRUE(Contains(errors[1], "no labels")) << errors[1];
}

TEST(Network, RanksOutOfStepAreTold) {
  auto errors = RunGroup(2, [](SocketGroup* group) {
    std::vector<std::int64_t> values(group->Rank() == 0 ? 1 : 2);
    group->Sum(values);
  });
  EXPECT_TRUE(Contains(errors[0] + errors[1], "lost step")) << errors[0] << errors[1];
  errors = RunGroup(2, [](SocketGroup* group) {
    std::vector<std::int64_t> values(1);
    if (group->Rank() == 0) group->Sum(values);
  });
  EXPECT_TRUE(Contains(errors[0], "rank 1")) << errors[0];
  EXPECT_TRUE(Contains(errors[0], "ended its communicator")) << errors[0];
}

TEST(Network, SilenceEndsAtTheDeadline) {
  auto const begin = SteadyClock::now();
  auto const errors = RunGroup(
      2,
      [](SocketGroup* group) {
        std::vector<std::int64_t> values(1);
        if (group->Rank() == 1) return std::this_thread::sleep_for(std::chrono::milliseconds(4500));
        group->Sum(values);
      },
      3.0);
  EXPECT_TRUE(Contains(errors[0], "has waited 3 s in vain for rank 1")) << errors[0];
  EXPECT_TRUE(Contains(errors[0], "dmlc_timeout")) << errors[0];
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(15));
}

std::string JoinError(JoinOptions const& options) {
  try {
    SocketGroup const group(options);
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

TEST(Network, WorkersThatCannotJoinAreTold) {
  auto const tracker = StartTracker(2);
  EXPECT_TRUE(Contains(JoinError(OptionsFor(*tracker, "a", 0.5)), "the other workers have not come in 0.5 s"));
  auto wrong = OptionsFor(*tracker, "a");
  wrong.secret = "another";
  EXPECT_TRUE(Contains(JoinError(wrong), "kauri_tracker_secret"));
  wrong.secret.clear();
  EXPECT_TRUE(Contains(JoinError(wrong), "kauri_tracker_secret"));
  wrong.tracker.port = 1;
  EXPECT_TRUE(Contains(JoinError(wrong), "Failed to bootstrap the communication"));
  try {
    tracker->Wait(0.2);
    ADD_FAILURE();
  } catch (Error const& error) {
    EXPECT_TRUE(Contains(error.what(), "Timeout waiting for the tracker")) << error.what();
  }
  EXPECT_TRUE(tracker->IsUnfinished());
  EXPECT_TRUE(Contains(JoinError(OptionsFor(*tracker, "a")), "start another tracker"));
}

TEST(Network, ATrackerGivesUpAtItsTimeout) {
  auto const tracker = StartTracker(2, SortBy::kHost, 2);
  EXPECT_TRUE(Contains(JoinError(OptionsFor(*tracker, "a")), "after 2 s 1 of 2 workers"));
  EXPECT_THROW(tracker->Wait(std::nullopt), Error);
}

TEST(Network, GarbageNeitherStopsATrackerNorAWorker) {
  auto const tracker = StartTracker(3);
  std::mt19937 random(7);
  std::vector<Socket> strangers;
  for (int i = 0; i < 300; ++i) {
    auto stranger = ConnectTo(tracker->Where(), SecondsFromNow(kTimeout), [] {});
    std::string bytes(random() % 300, '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random());
    if (i % 3 == 0) bytes = "kbt1" + std::string(32, 'f') + bytes;
    if (i % 6 == 0) bytes = "kbt1" + std::string(32, 'f') + "00000010" + bytes;
    if (i % 9 == 0) bytes = "kbt1" + std::string(32, 'f') + "ffffffff" + bytes;
    stranger.Send(bytes.data(), bytes.size());
    if (i % 2 == 0) strangers.push_back(std::move(stranger));  // these stay, silent
  }
  std::atomic<int> n_done{0};
  std::vector<std::thread> threads;
  for (int task = 0; task < 3; ++task) {
    threads.emplace_back([&] {
      SocketGroup group(OptionsFor(*tracker, "a"));
      std::vector<std::int64_t> values{1};
      group.Sum(values);
      n_done += static_cast<int>(values[0] == 3);
      group.Leave();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(n_done, 3);
  tracker->Wait(kTimeout);
}

/// Strangers who know the secret, but send other messages than workers.
TEST(Network, WrongMessagesWithTheSecretDoNotStopATracker) {
  auto const tracker = StartTracker(2);
  std::string const worker = R"({"task": "a", "host": "h", "port": "1234", "list": [1, 2, {"a": null}]})";
  std::mt19937 random(3);
  std::vector<std::string> texts{"{",
                                 "[]",
                                 "7",
                                 R"({"port": 0})",
                                 R"({"port": 65536})",
                                 R"({"port": "1"})",
                                 R"({"bye": 1})",
                                 std::string(200, '[')};
  for (int i = 0; i < 100; ++i) {
    texts.push_back(worker);
    for (int change = 0; change < 8; ++change)
      texts.back()[random() % worker.size()] = static_cast<char>(random() % 128);
  }
  for (auto const& text : texts) {
    Channel channel(ConnectTo(tracker->Where(), SecondsFromNow(kTimeout), [] {}), Side::kClient, tracker->Secret());
    channel.Queue(text);
    EXPECT_FALSE(channel.Receive(SecondsFromNow(kTimeout)).has_value()) << text;
  }
  std::vector<std::thread> threads;
  for (int task = 0; task < 2; ++task) {
    threads.emplace_back([&] { SocketGroup(OptionsFor(*tracker, "a")).Leave(); });
  }
  for (auto& thread : threads) thread.join();
  tracker->Wait(kTimeout);
}

TEST(Network, AMemberThatSendsGarbageEndsTheGroup) {
  auto const tracker = StartTracker(2);
  std::string error;
  std::thread member([&] { error = JoinError(OptionsFor(*tracker, "b")); });
  Channel channel(ConnectTo(tracker->Where(), SecondsFromNow(kTimeout), [] {}), Side::kClient, tracker->Secret());
  Address own{"127.0.0.1", 0};
  auto const listener = ListenAt(&own);
  channel.Queue(R"({"task": "a", "host": "h", "port": )" + std::to_string(own.port) + "}");
  ASSERT_TRUE(channel.Receive(SecondsFromNow(kTimeout)));
  channel.Connection().Send(std::string(100, 'x').data(), 100);
  channel.Take();
  member.join();
  EXPECT_TRUE(Contains(error, "rank 0 (host h")) << error;
}

}  // namespace
}  // namespace kauri
