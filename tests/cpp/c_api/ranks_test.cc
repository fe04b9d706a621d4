/// Groups that communicate through user functions, correct ones and faulty ones.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "c_api/ranks_wire.h"
#include "c_api/support.h"

namespace kauri::testing {
namespace {

struct FreeGroup {
  void operator()(void* handle) const { KauriCollectiveFree(handle); }
};
using Group = std::unique_ptr<void, FreeGroup>;

Group MakeGroup(Rank* rank, int n_ranks) {
  auto const calls = Calls();
  KauriCollectiveHandle handle = nullptr;
  EXPECT_OK(KauriCollectiveCreate(&calls, rank, rank->rank, n_ranks, &handle));
  return Group(handle);
}

/// Every second row of 200, with features of few values.
struct Half {
  explicit Half(int rank) {
    auto const all = Features(200, 4);
    for (std::int64_t row = rank; row < 200; row += 2) {
      for (int col = 0; col < 4; ++col) values.push_back(static_cast<float>(static_cast<int>(all[row * 4 + col] * 5)));
      labels.push_back(values[values.size() - 4] + values[values.size() - 3]);
      ranges.insert(ranges.end(), {row, 1});
    }
    data = MakeData(values, 4, labels);
    auto const table = Interface(ranges, "<i8", "[100, 2]");
    EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "global_rows", table.c_str()));
  }

  std::vector<float> values;
  std::vector<float> labels;
  std::vector<std::int64_t> ranges;
  Data data;
};

/// Runs fn(rank) in one thread per rank.
void InRanks(int n_ranks, std::function<void(int)> const& fn) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < n_ranks; ++rank) threads.emplace_back(fn, rank);
  for (auto& thread : threads) thread.join();
}

std::string BytesOf(BoosterHandle booster) {
  bst_ulong size = 0;
  char const* bytes = nullptr;
  EXPECT_OK(XGBoosterSaveModelToBuffer(booster, R"({"format": "ubj"})", &size, &bytes));
  return {bytes, size};
}

Booster MakeGroupBooster(Group const& group) {
  BoosterHandle handle = nullptr;
  EXPECT_OK(XGBoosterCreate(nullptr, 0, &handle));
  EXPECT_OK(XGBoosterSetParam(handle, "nthread", "1"));
  EXPECT_OK(KauriBoosterSetCollective(handle, group.get()));
  return Booster(handle);
}

TEST(Ranks, LearnWhatOneProcessLearns) {
  std::vector<float> values;
  std::vector<float> labels;
  Half const even(0);
  Half const odd(1);
  for (std::size_t row = 0; row < 100; ++row) {
    for (auto const* half : {&even, &odd}) {
      values.insert(values.end(), half->values.begin() + row * 4, half->values.begin() + (row + 1) * 4);
      labels.push_back(half->labels[row]);
    }
  }
  auto const whole = MakeData(values, 4, labels);
  BoosterHandle handle = nullptr;
  ASSERT_OK(XGBoosterCreate(nullptr, 0, &handle));
  Booster const alone(handle);
  std::string lines;
  DMatrixHandle sets[] = {whole.get()};
  char const* names[] = {"train"};
  char const* line = nullptr;
  for (int round = 0; round < 5; ++round) {
    ASSERT_OK(XGBoosterUpdateOneIter(handle, round, whole.get()));
    ASSERT_OK(XGBoosterEvalOneIter(handle, round, sets, names, 1, &line));
    lines += line;
  }
  Room room(2);
  InRanks(2, [&](int number) {
    Rank rank{&room, number};
    auto group = MakeGroup(&rank, 2);
    auto const booster = MakeGroupBooster(group);
    group.reset();  // the booster keeps using it
    Half half(number);
    DMatrixHandle mine[] = {half.data.get()};
    char const* name[] = {"train"};
    std::string told;
    for (int round = 0; round < 5; ++round) {
      char const* text = nullptr;
      EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), round, half.data.get()));
      EXPECT_OK(XGBoosterEvalOneIter(booster.get(), round, mine, name, 1, &text));
      told += text;
    }
    EXPECT_EQ(told, lines);
    EXPECT_TRUE(BytesOf(booster.get()) == BytesOf(alone.get()));
    EXPECT_OK(KauriBoosterSetCollective(booster.get(), nullptr));
    EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), 5, half.data.get()));  // alone, on its own rows
  });
}

/// If one rank trains a different round, both find out at the end, with its number.
TEST(Ranks, TheEndOfTrainingComparesModels) {
  for (auto const goes_astray : {false, true}) {
    Room room(2);
    InRanks(2, [&](int number) {
      Rank rank{&room, number};
      auto const group = MakeGroup(&rank, 2);
      auto const booster = MakeGroupBooster(group);
      Half half(number);
      EXPECT_OK(XGBoosterSetAttr(booster.get(), "rank", std::to_string(number).c_str()));
      EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), 0, half.data.get()));
      if (goes_astray && number == 1) {
        EXPECT_OK(KauriBoosterSetCollective(booster.get(), nullptr));
        EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), 1, half.data.get()));
        EXPECT_OK(KauriBoosterSetCollective(booster.get(), group.get()));
      }
      EXPECT_EQ(KauriBoosterEndTraining(booster.get()) == 0, !goes_astray) << XGBGetLastError();
      if (!goes_astray) return;
      EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_COLLECTIVE);
      EXPECT_NE(std::string(XGBGetLastError()).find("is on rank 1 of 2"), std::string::npos) << XGBGetLastError();
    });
  }
}

/// After a wire fails at any call, both ranks get an error, the boosters are unchanged, and they continue with a new
/// group.
TEST(Ranks, AWireThatFailsEndsTheRoundAndChangesNothing) {
  for (int const fails_at : {0, 1, 3, 8, 15}) {
    Room first(2);
    Room second(2);
    InRanks(2, [&](int number) {
      Rank rank{&first, number};
      if (number == 1) rank.fails_at = fails_at;
      auto const group = MakeGroup(&rank, 2);
      auto const booster = MakeGroupBooster(group);
      Half half(number);
      auto status = 0;
      for (int round = 0; round < 3 && status == 0; ++round)
        status = XGBoosterUpdateOneIter(booster.get(), round, half.data.get());
      EXPECT_NE(status, 0);
      EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_COLLECTIVE);
      EXPECT_NE(std::string(XGBGetLastError()).find("the cable was cut"), std::string::npos) << XGBGetLastError();
      int n_rounds = 0;
      EXPECT_OK(XGBoosterBoostedRounds(booster.get(), &n_rounds));
      Rank again{&second, number};
      auto const other = MakeGroup(&again, 2);
      EXPECT_OK(KauriBoosterSetCollective(booster.get(), other.get()));
      auto const fresh = MakeGroupBooster(other);
      for (int round = 0; round < 3; ++round) EXPECT_OK(XGBoosterUpdateOneIter(fresh.get(), round, half.data.get()));
      for (int round = n_rounds; round < 3; ++round) {
        EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), round, half.data.get()));
      }
      EXPECT_TRUE(BytesOf(booster.get()) == BytesOf(fresh.get())) << fails_at;
    });
  }
}

/// A refusal by one rank ends the call of the other.
TEST(Ranks, BadDataOfOneEndTheOthersRound) {
  Room room(2);
  InRanks(2, [&](int number) {
    Rank rank{&room, number};
    auto const group = MakeGroup(&rank, 2);
    auto const booster = MakeGroupBooster(group);
    Half half(number);
    EXPECT_OK(XGBoosterSetParam(booster.get(), "objective", "binary:logistic"));  // the labels are 0 to 8
    if (number == 0) {
      std::vector<float> const fine(100, 1.0F);
      EXPECT_OK(XGDMatrixSetInfoFromInterface(half.data.get(), "label", Vector(fine).c_str()));
    }
    EXPECT_NE(XGBoosterUpdateOneIter(booster.get(), 0, half.data.get()), 0);
    EXPECT_EQ(KauriGetLastErrorKind(), number == 0 ? KAURI_ERROR_COLLECTIVE : KAURI_ERROR_DATA) << XGBGetLastError();
  });
}

TEST(Ranks, OtherParametersAreNamed) {
  Room room(2);
  InRanks(2, [&](int number) {
    Rank rank{&room, number};
    auto const group = MakeGroup(&rank, 2);
    auto const booster = MakeGroupBooster(group);
    Half half(number);
    EXPECT_OK(XGBoosterSetParam(booster.get(), "eta", number == 0 ? "0.3" : "0.1"));
    EXPECT_NE(XGBoosterUpdateOneIter(booster.get(), 0, half.data.get()), 0);
    std::string const error = XGBGetLastError();
    EXPECT_NE(error.find("eta=0.3"), std::string::npos) << error;
    EXPECT_NE(error.find("eta=0.1"), std::string::npos) << error;
  });
}

TEST(Ranks, WhatOneProcessAloneLearnsIsRefused) {
  for (auto const& [name, value] :
       {std::pair("tree_method", "exact"), std::pair("booster", "gblinear"), std::pair("objective", "survival:cox")}) {
    Room room(2);
    InRanks(2, [&, parameter = name, setting = value](int number) {
      Rank rank{&room, number};
      auto const group = MakeGroup(&rank, 2);
      auto const booster = MakeGroupBooster(group);
      Half half(number);
      EXPECT_OK(XGBoosterSetParam(booster.get(), parameter, setting));
      EXPECT_NE(XGBoosterUpdateOneIter(booster.get(), 0, half.data.get()), 0) << parameter;
      EXPECT_NE(std::string(XGBGetLastError()).find("process"), std::string::npos) << XGBGetLastError();
    });
  }
}

/// User functions cannot change or free the booster that calls them.
TEST(Ranks, CallersCannotFreeTheirBooster) {
  Room room(2);
  InRanks(2, [&](int number) {
    Rank rank{&room, number};
    auto group = MakeGroup(&rank, 2);
    auto const booster = MakeGroupBooster(group);
    Half half(number);
    rank.within = [&] {
      group.reset();
      EXPECT_NE(XGBoosterFree(booster.get()), 0);
      EXPECT_NE(KauriBoosterSetCollective(booster.get(), nullptr), 0);
      EXPECT_NE(XGBoosterSetParam(booster.get(), "eta", "1"), 0);
      EXPECT_NE(XGBoosterUpdateOneIter(booster.get(), 0, half.data.get()), 0);
    };
    EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), 0, half.data.get()));
  });
}

/// No call crashes, whatever arrives over the wire.
TEST(Ranks, NoiseOnTheWireIsSurvived) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    Room room(2);
    InRanks(2, [&](int number) {
      Rank rank{&room, number};
      rank.noise = seed * 2654435761U + static_cast<std::uint32_t>(number);
      rank.noise_from = static_cast<int>(seed % 50);
      auto const group = MakeGroup(&rank, 2);
      auto const booster = MakeGroupBooster(group);
      auto const* const objective = seed % 3 == 0   ? "rank:ndcg"
                                    : seed % 3 == 1 ? "reg:absoluteerror"
                                                    : "reg:squarederror";
      EXPECT_OK(XGBoosterSetParam(booster.get(), "objective", objective));
      EXPECT_OK(XGBoosterSetParam(booster.get(), "eval_metric", seed % 2 == 0 ? "auc" : "rmse"));
      EXPECT_OK(XGBoosterSetParam(booster.get(), "max_depth", "3"));
      Half half(number);
      DMatrixHandle mine[] = {half.data.get()};
      char const* names[] = {"train"};
      char const* text = nullptr;
      XGBoosterUpdateOneIter(booster.get(), 0, half.data.get());
      EXPECT_NE(KauriGetLastErrorKind(), KAURI_ERROR_INTERNAL) << XGBGetLastError();
      XGBoosterEvalOneIter(booster.get(), 0, mine, names, 1, &text);
      room.Abort("over");
    });
  }
}

/// A sum claims that the other rank has more bytes to gather than fit into memory.
TEST(Ranks, SizesThatNoRankHasAreRefused) {
  auto calls = Calls();
  calls.sum = [](void*, std::int64_t* values, std::uint64_t count) {
    std::fill_n(values, count, std::int64_t{-5});
    return 0;
  };
  Room room(1);
  Rank rank{&room, 0};
  KauriCollectiveHandle handle = nullptr;
  ASSERT_OK(KauriCollectiveCreate(&calls, &rank, 0, 2, &handle));
  Group const group(handle);
  auto const booster = MakeGroupBooster(group);
  Half half(0);
  EXPECT_NE(XGBoosterUpdateOneIter(booster.get(), 0, half.data.get()), 0);
  EXPECT_NE(KauriGetLastErrorKind(), KAURI_ERROR_INTERNAL) << XGBGetLastError();
}

/// Clients compiled with an older header have a smaller table.
TEST(Ranks, TablesWithoutTheLaterFunctions) {
  auto calls = Calls();
  calls.size = offsetof(KauriCollectiveCalls, sum_parts);
  calls.sum_parts = [](void*, std::int64_t*, std::uint64_t const*) { return 1; };
  Room room(1);
  Rank rank{&room, 0};
  KauriCollectiveHandle handle = nullptr;
  ASSERT_OK(KauriCollectiveCreate(&calls, &rank, 0, 1, &handle));
  auto const booster = MakeGroupBooster(Group(handle));
  Problem const problem;
  auto const data = MakeData(problem.values, 4, problem.labels);
  EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), 0, data.get()));
}

TEST(PackedIntegers, ThroughTheInterface) {
  std::vector<std::int64_t> const values{5, -3, 1 << 20, 0, -7};
  std::vector<char> packed(9 * values.size() + 16);
  std::uint64_t n_bytes = 0;
  ASSERT_OK(KauriPackIntegers(values.data(), values.size(), packed.data(), &n_bytes));
  EXPECT_LT(n_bytes, 40U);
  auto sums = values;
  ASSERT_OK(KauriUnpackIntegers(packed.data(), n_bytes, 1, sums.data(), sums.size()));
  EXPECT_EQ(sums, (std::vector<std::int64_t>{10, -6, 1 << 21, 0, -14}));
  ASSERT_OK(KauriUnpackIntegers(packed.data(), n_bytes, 0, sums.data(), sums.size()));
  EXPECT_EQ(sums, values);
  EXPECT_NE(KauriUnpackIntegers(packed.data(), n_bytes - 1, 0, sums.data(), sums.size()), 0);
  EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_COLLECTIVE);
  EXPECT_OK(KauriPackIntegers(nullptr, 0, nullptr, &n_bytes));
  EXPECT_EQ(n_bytes, 0U);
  EXPECT_OK(KauriUnpackIntegers(nullptr, 0, 1, nullptr, 0));
  EXPECT_NE(KauriPackIntegers(nullptr, 1, packed.data(), &n_bytes), 0);
  EXPECT_NE(KauriPackIntegers(values.data(), 1, nullptr, &n_bytes), 0);
  EXPECT_NE(KauriPackIntegers(values.data(), 1, packed.data(), nullptr), 0);
  EXPECT_NE(KauriUnpackIntegers(nullptr, 5, 0, sums.data(), 1), 0);
  EXPECT_NE(KauriUnpackIntegers(packed.data(), n_bytes, 0, nullptr, 5), 0);
}

TEST(Ranks, TablesAndNumbersThatAreNotRight) {
  Room room(1);
  Rank rank{&room, 0};
  KauriCollectiveHandle handle = nullptr;
  auto const good = Calls();
  auto const fails = [&](KauriCollectiveCalls const* calls, int number, int n_ranks) {
    EXPECT_NE(KauriCollectiveCreate(calls, &rank, number, n_ranks, &handle), 0);
    EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_PARAMETER);
  };
  fails(nullptr, 0, 1);
  fails(&good, 1, 1);
  fails(&good, -1, 2);
  fails(&good, 0, 0);
  for (int hole = 0; hole < 4; ++hole) {
    auto calls = good;
    if (hole == 0) calls.size = 8;
    if (hole == 1) calls.sum = nullptr;
    if (hole == 2) calls.max = nullptr;
    if (hole == 3) calls.gather = nullptr;
    fails(&calls, 0, 1);
  }
  EXPECT_NE(KauriCollectiveCreate(&good, &rank, 0, 1, nullptr), 0);
  EXPECT_NE(KauriCollectiveFree(nullptr), 0);
  Problem const problem;
  auto const data = MakeData(problem.values, 4, problem.labels);
  EXPECT_NE(KauriCollectiveFree(data.get()), 0);
  ASSERT_OK(KauriCollectiveCreate(&good, &rank, 0, 1, &handle));
  EXPECT_NE(XGBoosterFree(handle), 0);
  EXPECT_OK(KauriCollectiveFree(handle));
}

}  // namespace
}  // namespace kauri::testing
