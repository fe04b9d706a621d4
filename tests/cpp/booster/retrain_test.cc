/// Training again on data with cached derivations of earlier trainings gives the same bytes as fresh data.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "booster/booster_fixture.h"
#include "data/copies/slice.h"
#include "data/derived_data.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 3000;
constexpr std::int64_t kCols = 5;
constexpr int kRounds = 3;

using Data = std::shared_ptr<DataMatrix>;

struct Setup {
  char const* name;
  bool sparse;
  Params params;
};

std::vector<Setup> const& Setups() {
  static std::vector<Setup> const setups{
      {"hist", false, {{"tree_method", "hist"}}},
      {"hist sparse", true, {{"tree_method", "hist"}}},
      {"approx", false, {{"tree_method", "approx"}}},
      {"approx logistic", false, {{"tree_method", "approx"}, {"objective", "binary:logistic"}}},
      {"exact", false, {{"tree_method", "exact"}}},
      {"exact sparse", true, {{"tree_method", "exact"}}},
      {"vector leaves",
       false,
       {{"objective", "multi:softprob"}, {"num_class", "2"}, {"multi_strategy", "multi_output_tree"}}},
      {"classes", false, {{"objective", "multi:softprob"}, {"num_class", "2"}, {"subsample", "0.7"}}},
  };
  return setups;
}

/// Returns whole-number values, so that columns may become categories.
Data MakeData(bool sparse = false) { return MakeLabelled({kRows, kCols, sparse ? 0.7 : 0.1, 30, sparse, 9}, 2); }

using Change = std::function<void(MetaInfo*)>;

void Weigh(MetaInfo* info) {
  Random random(3);
  info->weights.clear();
  for (std::int64_t row = 0; row < kRows; ++row) info->weights.push_back(static_cast<float>(random.Below(5)));
}
void Unweigh(MetaInfo* info) { info->weights.clear(); }
void FlipLabels(MetaInfo* info) {
  for (auto& label : info->labels) label = 1.0F - label;
}
void MakeNumbers(MetaInfo* info) { info->feature_types.assign(kCols, "float"); }
void MakeCategories(MetaInfo* info) { info->feature_types = {"c", "float", "c", "int", "q"}; }

std::string TrainBytes(Data const& data, Params const& params) { return Bytes(Train(data, params, kRounds).get()); }

/// Returns the model of fresh data in the same state.
std::string FreshBytes(Data const& data, Params const& params, bool sparse) {
  auto const fresh = MakeData(sparse);
  *fresh->MutableInfo() = data->Info();
  return TrainBytes(fresh, params);
}

TEST(Retrain, ASecondTrainingTakesWhatTheFirstOneMade) {
  for (auto const& setup : Setups()) {
    auto const data = MakeData(setup.sparse);
    auto const first = TrainBytes(data, setup.params);
    auto const n_kept = data->Derived().NumKept();
    auto const bytes = data->Derived().BytesKept();
    EXPECT_GT(n_kept, 0U) << setup.name;
    EXPECT_GT(bytes, 0) << setup.name;
    EXPECT_EQ(TrainBytes(data, setup.params), first) << setup.name;
    EXPECT_EQ(data->Derived().NumKept(), n_kept) << setup.name;
    EXPECT_EQ(data->Derived().BytesKept(), bytes) << setup.name;
  }
}

TEST(Retrain, ChangesOfTheInfoAreSeen) {
  std::vector<Change> const changes{Weigh, FlipLabels,  MakeCategories, Unweigh,
                                    Weigh, MakeNumbers, FlipLabels,     Unweigh};
  for (auto const& setup : Setups()) {
    auto const data = MakeData(setup.sparse);
    TrainBytes(data, setup.params);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      changes[i](data->MutableInfo());
      EXPECT_EQ(TrainBytes(data, setup.params), FreshBytes(data, setup.params, setup.sparse)) << setup.name << i;
    }
  }
}

TEST(Retrain, LabelsAreCheckedForEachObjectiveAndChange) {
  auto const data = MakeData();
  Params const classes{{"objective", "binary:logistic"}};
  TrainBytes(data, classes);
  data->MutableInfo()->labels[7] = 2.0F;
  TrainBytes(data, {{"objective", "reg:squarederror"}});
  for (int turn = 0; turn < 2; ++turn) EXPECT_THROW(TrainBytes(data, classes), Error);
  data->MutableInfo()->labels[7] = 1.0F;
  EXPECT_EQ(TrainBytes(data, classes), FreshBytes(data, classes, false));
}

TEST(Retrain, EachObjectiveHasItsBaseScore) {
  std::vector<Params> const all{{{"objective", "multi:softprob"}, {"num_class", "2"}},
                                {{"objective", "binary:logistic"}},
                                {{"objective", "reg:squarederror"}},
                                {{"objective", "reg:quantileerror"}, {"quantile_alpha", "0.1"}},
                                {{"objective", "reg:quantileerror"}, {"quantile_alpha", "0.9"}},
                                {{"objective", "count:poisson"}}};
  auto const data = MakeData();
  for (int turn = 0; turn < 2; ++turn) {
    for (auto const& params : all) EXPECT_EQ(TrainBytes(data, params), FreshBytes(data, params, false));
  }
}

TEST(Retrain, LabelsDropNothing) {
  auto const data = MakeData();
  TrainBytes(data, {});
  FlipLabels(data->MutableInfo());
  TrainBytes(data, {});
  EXPECT_EQ(data->Derived().NumKept(), 1U);
}

TEST(Retrain, BinsGoBackAndForth) {
  auto const data = MakeData();
  for (auto const* max_bin : {"16", "64", "16", "8", "64", "16"}) {
    for (auto const* sketch : {"exact", "moments"}) {
      Params const params{{"max_bin", max_bin}, {"sketch", sketch}};
      EXPECT_EQ(TrainBytes(data, params), FreshBytes(data, params, false)) << max_bin << sketch;
    }
  }
  EXPECT_EQ(data->Derived().NumKept(), DerivedData::kKeptOfAKind);
}

TEST(Retrain, MethodsDoNotTakeEachOthersEntries) {
  auto const data = MakeData();
  for (int turn = 0; turn < 2; ++turn) {
    for (auto const& setup : Setups()) {
      if (setup.sparse) continue;
      EXPECT_EQ(TrainBytes(data, setup.params), FreshBytes(data, setup.params, false)) << setup.name;
    }
  }
}

TEST(Retrain, TwoBoostersTakeTurns) {
  auto const data = MakeData();
  Params const few{{"max_bin", "8"}};
  Params const many{{"max_bin", "200"}};
  auto a = MakeLearner(few);
  auto b = MakeLearner(many);
  for (int round = 0; round < kRounds; ++round) {
    a->BoostRound(data, round);
    b->BoostRound(data, round);
  }
  EXPECT_EQ(Bytes(a.get()), FreshBytes(data, few, false));
  EXPECT_EQ(Bytes(b.get()), FreshBytes(data, many, false));
}

TEST(Retrain, ASliceHasItsOwn) {
  auto const data = MakeData();
  TrainBytes(data, {});
  std::vector<std::int32_t> rows;
  for (std::int32_t row = 0; row < 1000; ++row) rows.push_back(2 * row);
  Data const slice = Slice(Context{}, *data, rows, false);
  EXPECT_EQ(slice->Derived().NumKept(), 0U);
  Data const of_fresh = Slice(Context{}, *MakeData(), rows, false);
  EXPECT_EQ(TrainBytes(slice, {}), TrainBytes(of_fresh, {}));
}

TEST(Retrain, ABudgetKeepsNothing) {
  for (auto const* method : {"hist", "approx", "exact"}) {
    Params const params{{"tree_method", method}, {"max_depth", "3"}};
    auto const data = MakeLabelled({60000, 10, 0.1, 0, false, 9}, 2);
    auto const unlimited = TrainBytes(data, params);
    EXPECT_GT(data->Derived().BytesKept(), 1 << 20) << method;
    EXPECT_EQ(TrainBytes(data, With(params, {{"memory_budget", "1"}})), unlimited) << method;
    EXPECT_LE(data->Derived().BytesKept(), 1 << 20) << method;
  }
}

TEST(Retrain, AFailureIsForgotten) {
  for (auto const* method : {"hist", "approx", "exact"}) {
    Params const params{{"tree_method", method}};
    auto const data = MakeLabelled({kRows, kCols, 0.0, 0, false, 9}, 2);
    data->MutableInfo()->feature_types.assign(kCols, "c");
    EXPECT_THROW(TrainBytes(data, params), Error) << method;  // the values are not categories
    data->MutableInfo()->feature_types.clear();
    auto const fresh = MakeLabelled({kRows, kCols, 0.0, 0, false, 9}, 2);
    EXPECT_EQ(TrainBytes(data, params), TrainBytes(fresh, params)) << method;
  }
}

TEST(Retrain, ThreadsTrainOnTheSameDataAtOnce) {
  auto const data = MakeData();
  std::vector<Params> all;
  std::vector<std::string> expected;
  for (auto const& setup : Setups()) {
    if (setup.sparse) continue;
    for (auto const* max_bin : {"16", "64", "100"}) {
      all.push_back(With(setup.params, {{"max_bin", max_bin}, {"nthread", "1"}}));
      expected.push_back(FreshBytes(data, all.back(), false));
    }
  }
  std::vector<std::string> models(all.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    threads.emplace_back([&, i] { models[i] = TrainBytes(data, all[i]); });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(models, expected);
}

}  // namespace
}  // namespace kauri::testing
