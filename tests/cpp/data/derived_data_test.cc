#include "data/derived_data.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "data/data_test_support.h"

namespace kauri {
namespace {

constexpr std::int64_t kBytes = 100;

/// Counts how often an entry is made, and gives each a different number.
class Counter {
 public:
  int Get(DerivedData* data, DerivedKey const& key, MemoryBudget const& budget = {}) {
    auto const value = data->Get(key, budget, [&] { return DerivedEntry{std::make_shared<int>(++made_), kBytes}; });
    return *std::static_pointer_cast<int const>(value);
  }
  int Made() const { return made_; }

 private:
  int made_ = 0;
};

TEST(DerivedData, IsMadeOnce) {
  DerivedData data;
  Counter counter;
  EXPECT_EQ(counter.Get(&data, {"bins", "a"}), 1);
  EXPECT_EQ(counter.Get(&data, {"bins", "a"}), 1);
  EXPECT_EQ(data.NumKept(), 1U);
  EXPECT_EQ(data.BytesKept(), kBytes);
}

TEST(DerivedData, EveryPartOfTheKeyCounts) {
  std::vector<DerivedKey> const keys{{"bins", "a"},         {"sorted", "a"},          {"bins", "b"},
                                     {"bins", "a", {1, 2}}, {"bins", "a", {1, 2.5F}}, {"bins", "a", {}, {0}},
                                     {"bins", "a", {}, {1}}};
  for (auto const& first : keys) {
    for (auto const& second : keys) {
      DerivedData data;
      Counter counter;
      counter.Get(&data, first);
      EXPECT_EQ(counter.Get(&data, second), &first == &second ? 1 : 2);
    }
  }
}

TEST(DerivedData, KeepsTheLastTwoOfAKind) {
  DerivedData data;
  Counter counter;
  counter.Get(&data, {"sorted"});
  counter.Get(&data, {"bins", "a"});
  counter.Get(&data, {"bins", "b"});
  EXPECT_EQ(counter.Get(&data, {"bins", "a"}), 2) << "back and forth costs nothing";
  EXPECT_EQ(counter.Get(&data, {"bins", "c"}), 4);
  EXPECT_EQ(data.NumKept(), 3U);
  EXPECT_EQ(counter.Get(&data, {"bins", "a"}), 2) << "asked for after b";
  EXPECT_EQ(counter.Get(&data, {"bins", "b"}), 5);
  EXPECT_EQ(counter.Get(&data, {"sorted"}), 1) << "another kind";
}

TEST(DerivedData, AnOldOneGoesBeforeItsSuccessorIsMade) {
  DerivedData data;
  std::weak_ptr<void const> first = data.Get({"bins", "a"}, {}, [] {
    return DerivedEntry{std::make_shared<int>(1), 1};
  });
  data.Get({"bins", "b"}, {}, [] { return DerivedEntry{std::make_shared<int>(2), 1}; });
  EXPECT_FALSE(first.expired());
  data.Get({"bins", "c"}, {}, [&] {
    EXPECT_TRUE(first.expired());
    return DerivedEntry{std::make_shared<int>(3), 1};
  });
}

TEST(DerivedData, StaysWithWhoUsesIt) {
  DerivedData data;
  auto const used = data.Get({"bins", "a"}, {}, [] { return DerivedEntry{std::make_shared<int>(7), 1}; });
  Counter counter;
  counter.Get(&data, {"bins", "b"});
  counter.Get(&data, {"bins", "c"});
  EXPECT_EQ(*std::static_pointer_cast<int const>(used), 7);
}

TEST(DerivedData, ABudgetDropsTheOldestFirst) {
  DerivedData data;
  Counter counter;
  counter.Get(&data, {"sorted"});
  counter.Get(&data, {"bins", "a"});
  EXPECT_EQ(counter.Get(&data, {"bins", "b"}, {2 * kBytes}), 3);
  EXPECT_EQ(data.NumKept(), 2U);
  EXPECT_EQ(counter.Get(&data, {"bins", "a"}), 2);
  EXPECT_EQ(counter.Get(&data, {"bins", "c"}, {kBytes - 1}), 4) << "it is made and returned";
  EXPECT_EQ(data.NumKept(), 0U);
  EXPECT_EQ(data.BytesKept(), 0);
  EXPECT_EQ(counter.Get(&data, {"bins", "c"}), 5);
}

TEST(DerivedData, AKeyCountsAgainstTheBudget) {
  DerivedData data;
  Counter().Get(&data, {"bins", "a", std::vector<float>(25)}, {kBytes + 99});
  EXPECT_EQ(data.NumKept(), 0U);
  Counter().Get(&data, {"bins", "a", std::vector<float>(25)}, {kBytes + 100});
  EXPECT_EQ(data.BytesKept(), kBytes + 100);
}

TEST(DerivedData, AFailureLeavesNothing) {
  DerivedData data;
  EXPECT_THROW(data.Get({"bins"}, {}, []() -> DerivedEntry { throw std::runtime_error("no memory"); }),
               std::runtime_error);
  EXPECT_EQ(data.NumKept(), 0U);
  EXPECT_EQ(Counter().Get(&data, {"bins"}), 1);
}

TEST(DerivedData, ThreadsWaitForTheOneThatMakesIt) {
  DerivedData data;
  std::atomic<int> made{0};
  std::vector<std::shared_ptr<void const>> values(8);
  std::vector<std::thread> threads;
  for (auto& value : values) {
    threads.emplace_back([&] {
      value = data.Get({"bins"}, {}, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return DerivedEntry{std::make_shared<int>(++made), kBytes};
      });
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  for (auto const& value : values) EXPECT_EQ(value, values[0]);
}

TEST(DerivedData, ThreadsWithKeysOfTheirOwnDoNotDisturbEachOther) {
  DerivedData data;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&data, thread] {
      for (int i = 0; i < 200; ++i) {
        auto const number = (thread + i) % 5;
        auto const value = data.Get({"bins", std::to_string(number)}, {i % 3 == 0 ? kBytes : 10 * kBytes}, [&] {
          return DerivedEntry{std::make_shared<int>(number), kBytes};
        });
        EXPECT_EQ(*std::static_pointer_cast<int const>(value), number);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(data.NumKept(), DerivedData::kKeptOfAKind);
}

TEST(DerivedData, CategoricalColumnsAscend) {
  MetaInfo info;
  EXPECT_TRUE(CategoricalColumns(info).empty());
  info.feature_types = {"c", "q", "int", "c", "float"};
  EXPECT_EQ(CategoricalColumns(info), (std::vector<std::uint32_t>{0, 3}));
}

}  // namespace
}  // namespace kauri
