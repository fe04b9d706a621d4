/// Trackers and groups of ranks over sockets: results against sums in a loop, strangers, and ranks that fail.
#include <gtest/gtest.h>
#include <sys/socket.h>

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
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr double kTimeout = 20;

std::unique_ptr<Tracker> StartTracker(int n_workers, SortBy sort_by = SortBy::kTask, double timeout = 0) {
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

JoinOptions OptionsFor(Tracker const& tracker, std::string const& task, double timeout = kTimeout) {
  JoinOptions options;
  options.tracker = tracker.Where();
  options.secret = tracker.Secret();
  options.task = task;
  options.timeout = timeout;
  options.retries = 0;
  return options;
}

/// Runs fn(&group) in one thread for each rank. Returns the messages that they threw, by task.
std::vector<std::string> RunGroup(int n_ranks, std::function<void(SocketGroup*)> const& fn, double timeout = kTimeout) {
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

bool IsQuiet(std::vector<std::string> const& errors) {
  for (auto const& error : errors) EXPECT_EQ(error, "");
  return std::all_of(errors.begin(), errors.end(), [](auto const& error) { return error.empty(); });
}

bool Contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Returns n numbers that depend on the rank.
std::vector<std::int64_t> NumbersOf(int rank, std::size_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  std::vector<std::int64_t> values(n);
  for (auto& value : values) value = static_cast<std::int64_t>(random());
  return values;
}

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

template <typename T>
std::vector<T> Converted(std::vector<std::int64_t> const& numbers) {
  std::vector<T> values;
  for (auto const number : numbers) values.push_back(static_cast<T>(number % 100));
  return values;
}

/// Compares a reduction with the same in rank order; sums of floating-point numbers must have the same bits.
template <typename T>
void CheckReduce(ElementType type, ReduceOp op, std::size_t n, std::function<T(T, T)> const& reduce) {
  constexpr int kRanks = 3;
  auto expected = Converted<T>(NumbersOf(0, n));
  for (int rank = 1; rank < kRanks; ++rank) {
    auto const values = Converted<T>(NumbersOf(rank, n));
    for (std::size_t i = 0; i < n; ++i) expected[i] = reduce(expected[i], values[i]);
  }
  auto const errors = RunGroup(kRanks, [&](SocketGroup* group) {
    auto values = Converted<T>(NumbersOf(group->Rank(), n));
    group->Reduce("test", PlainElements(values.data(), n, type, op).get());
    EXPECT_EQ(values, expected);
  });
  IsQuiet(errors);
}

TEST(Network, EveryTypeAndOperation) {
  for (auto const n : {std::size_t{5}, std::size_t{50000}}) {
    CheckReduce<float>(ElementType::kF32, ReduceOp::kSum, n, std::plus<>());
    CheckReduce<double>(ElementType::kF64, ReduceOp::kMin, n, [](double a, double b) { return std::min(a, b); });
    CheckReduce<long double>(ElementType::kLongDouble, ReduceOp::kSum, n, std::plus<>());
    CheckReduce<std::int8_t>(ElementType::kI8, ReduceOp::kSum, n,
                             [](int a, int b) { return static_cast<std::int8_t>(a + b); });
    CheckReduce<std::int16_t>(ElementType::kI16, ReduceOp::kXor, n, std::bit_xor<>());
    CheckReduce<std::int32_t>(ElementType::kI32, ReduceOp::kAnd, n, std::bit_and<>());
    CheckReduce<std::int64_t>(ElementType::kI64, ReduceOp::kOr, n, std::bit_or<>());
    CheckReduce<std::uint8_t>(ElementType::kU8, ReduceOp::kMax, n, [](auto a, auto b) { return std::max(a, b); });
    CheckReduce<std::uint16_t>(ElementType::kU16, ReduceOp::kSum, n, std::plus<>());
    CheckReduce<std::uint32_t>(ElementType::kU32, ReduceOp::kXor, n, std::bit_xor<>());
    CheckReduce<std::uint64_t>(ElementType::kU64, ReduceOp::kMin, n, [](auto a, auto b) { return std::min(a, b); });
  }
}

/// Returns the number that a half-precision number's bits stand for, from their definition.
double ValueOfHalf(std::uint16_t bits) {
  auto const exponent = (bits >> 10) & 31;
  auto const fraction = bits & 1023;
  auto const size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

TEST(Network, SumsOfHalfPrecisionNumbersAreRounded) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint16_t, 2> halves{};
    for (auto& half : halves) half = static_cast<std::uint16_t>(random());
    if (((halves[0] >> 10) & 31) >= 30 || ((halves[1] >> 10) & 31) >= 30) continue;  // the sum could be infinite
    auto const exact = ValueOfHalf(halves[0]) + ValueOfHalf(halves[1]);
    auto sum = halves[0];
    Span<std::byte const> const other(reinterpret_cast<std::byte const*>(&halves[1]), 2);
    PlainElements(&sum, 1, ElementType::kF16, ReduceOp::kSum)->Combine(0, 1, other);
    auto const error = std::abs(ValueOfHalf(sum) - exact);
    for (auto const step : {-1, 1}) {
      auto const near = static_cast<std::uint16_t>(sum + step);
      auto const is_comparable = ((near ^ sum) & 0x8000) == 0 && ((near >> 10) & 31) != 31;
      EXPECT_TRUE(!is_comparable || error <= std::abs(ValueOfHalf(near) - exact)) << halves[0] << " " << halves[1];
    }
  }
}

TEST(Network, UnknownTypesAndOperationsAreRefused) {
  float value = 0;
  EXPECT_THROW(PlainElements(&value, 1, static_cast<ElementType>(12), ReduceOp::kSum), Error);
  EXPECT_THROW(PlainElements(&value, 1, ElementType::kF32, static_cast<ReduceOp>(6)), Error);
  EXPECT_THROW(PlainElements(&value, 1, ElementType::kF32, ReduceOp::kAnd), Error);
}

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
  auto const begin = Clock::now();
  auto const errors = RunGroup(
      2,
      [](SocketGroup* group) {
        std::vector<std::int64_t> values(1);
        if (group->Rank() == 1) return std::this_thread::sleep_for(std::chrono::milliseconds(2500));
        group->Sum(values);
      },
      1.0);
  EXPECT_TRUE(Contains(errors[0], "has waited 1 s in vain for rank 1")) << errors[0];
  EXPECT_TRUE(Contains(errors[0], "dmlc_timeout")) << errors[0];
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(15));
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
  auto const tracker = StartTracker(2, SortBy::kHost, 0.3);
  EXPECT_TRUE(Contains(JoinError(OptionsFor(*tracker, "a")), "1 of 2 workers"));
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
  std::string const worker = R"({"task": "a", "host": "h", "port": 1234, "list": [1, 2, {"a": null}]})";
  std::mt19937 random(3);
  std::vector<std::string> texts{"",
                                 "{",
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
    if (texts.back().find(R"("port": 1)") != std::string::npos) texts.back()[0] = '<';
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

TEST(Network, ProofsAreThoseOfRfc4231) {
  EXPECT_EQ(ProofOf(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(ProofOf("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(ProofOf(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Network, MessagesCannotBeChangedOrRepeated) {
  auto pair = ConnectedPair();
  Channel server(std::move(pair.first), Side::kServer, "s");
  Channel client(std::move(pair.second), Side::kClient, "s");
  client.Queue("one");
  client.Flush();
  server.Flush();
  EXPECT_FALSE(client.Next());
  EXPECT_EQ(server.Receive(SecondsFromNow(kTimeout)), "one");
  client.Send("two", SecondsFromNow(kTimeout));
  EXPECT_EQ(server.Receive(SecondsFromNow(kTimeout)), "two");
  std::string const forged = "00000003" + std::string(64, '0') + "bad";
  client.Connection().Send(forged.data(), forged.size());
  EXPECT_THROW(server.Receive(SecondsFromNow(kTimeout)), Error);
}

}  // namespace
}  // namespace kauri
