/// Cached results of a booster are not reused for other data, another objective or another model.
#include <functional>
#include <string>
#include <vector>

#include "c_api/batches.h"
#include "c_api/failure_scene.h"

namespace kauri::testing {
namespace {

constexpr char const* kTrainingMargins = R"({"type": 1, "training": true, "iteration_begin": 0, "iteration_end": 0,
                                             "strict_shape": false})";
constexpr std::int64_t kRows = 60;

std::vector<float> LargeLabels() {
  std::vector<float> labels;
  for (int row = 0; row < kRows; ++row) labels.push_back(static_cast<float>(1000 + row));
  return labels;
}

Data LargeData() { return MakeData(Features(kRows, 3), 3, LargeLabels()); }

void Set(Booster const& booster, Params const& params) {
  for (auto const& [name, value] : params) EXPECT_OK(XGBoosterSetParam(booster.get(), name.c_str(), value.c_str()));
}

int Update(Booster const& booster, Data const& data) { return XGBoosterUpdateOneIter(booster.get(), 0, data.get()); }

void ExpectRefusedLabel(Booster const& booster, Data const& data) {
  ASSERT_NE(Update(booster, data), 0);
  EXPECT_NE(std::string(XGBGetLastError()).find("label 1000 of row 0"), std::string::npos) << XGBGetLastError();
}

/// The number of outputs is the same, so only the labels do not fit.
TEST(StaleState, AnotherObjectiveLooksAtTheLabels) {
  auto const data = LargeData();
  auto const booster =
      Train(data, {{"objective", "reg:quantileerror"}, {"quantile_alpha", "0.5"}, {"nthread", "1"}}, 1);
  Set(booster, {{"objective", "binary:logistic"}});
  ExpectRefusedLabel(booster, data);
  EXPECT_EQ(Update(booster, data), -1);
}

TEST(StaleState, ALoadedModelLooksAtTheLabels) {
  Problem const problem(3);
  auto const classes = ModelText(Train(problem.data, {{"objective", "multi:softprob"}, {"num_class", "3"}}, 1));
  auto const data = MakeData(Features(kRows, 4), 4, LargeLabels());
  auto const booster = Train(data, {{"nthread", "1"}}, 1);
  ASSERT_OK(XGBoosterLoadModelFromBuffer(booster.get(), classes.data(), classes.size()));
  ExpectRefusedLabel(booster, data);
}

TEST(StaleState, FewerClassesLookAtTheLabels) {
  Problem const problem(5);
  auto const booster = MakeBooster(problem.data, {{"objective", "multi:softprob"}, {"num_class", "5"}});
  std::vector<float> pairs(7, 1.0F);
  ASSERT_OK(Update(booster, problem.data));
  BoosterHandle fresh = nullptr;
  ASSERT_OK(XGBoosterCreate(nullptr, 0, &fresh));
  Booster const other(fresh);
  Set(other, {{"objective", "multi:softprob"}, {"num_class", "5"}, {"base_score", "[1, 2, 3]"}});
  EXPECT_NE(Update(other, problem.data), 0);  // the labels had been validated before
  Set(other, {{"num_class", "3"}});
  EXPECT_NE(Update(other, problem.data), 0);
  EXPECT_NE(std::string(XGBGetLastError()).find("is not a whole number from 0 to 2"), std::string::npos)
      << XGBGetLastError();
}

/// Cached margins of three classes are not used for five.
TEST(StaleState, MarginsFollowTheClasses) {
  Problem const problem(3);
  auto const booster = MakeBooster(problem.data, {{"objective", "multi:softprob"}, {"num_class", "3"}});
  EXPECT_EQ(Predict(booster, problem.data, kTrainingMargins).values.size(), 600U);
  Set(booster, {{"num_class", "5"}});
  EXPECT_EQ(Predict(booster, problem.data, kTrainingMargins).values.size(), 1000U);
  std::vector<float> gradients(1000, 0.5F);
  std::vector<float> hessians(1000, 1.0F);
  ASSERT_OK(XGBoosterBoostOneIter(booster.get(), problem.data.get(), gradients.data(), hessians.data(), 1000));
}

/// The same base score is a different margin for another objective.
TEST(StaleState, MarginsFollowTheObjective) {
  Problem const problem;
  auto const booster = MakeBooster(problem.data, {{"base_score", "0.25"}});
  EXPECT_EQ(Predict(booster, problem.data, kTrainingMargins).values.front(), 0.25F);
  Set(booster, {{"objective", "binary:logistic"}});
  auto const fresh = MakeBooster(problem.data, {{"base_score", "0.25"}, {"objective", "binary:logistic"}});
  EXPECT_EQ(Predict(booster, problem.data, kTrainingMargins).values,
            Predict(fresh, problem.data, kTrainingMargins).values);
  ASSERT_OK(Update(booster, problem.data));
  ASSERT_OK(Update(fresh, problem.data));
  EXPECT_EQ(Predict(booster, problem.data).values, Predict(fresh, problem.data).values);
}

/// An empty base score takes back the one that was set; the model's own does not follow the labels of later rounds.
TEST(StaleState, AnEmptyBaseScoreLeavesTheModelItsOwn) {
  Problem const problem;
  auto const booster = MakeBooster(problem.data, {{"nthread", "1"}});
  ASSERT_OK(Update(booster, problem.data));
  auto const before = Predict(booster, problem.data).values;
  for (auto const* given : {"", "7"}) {
    Set(booster, {{"base_score", given}});
    Set(booster, {{"base_score", ""}});
    EXPECT_EQ(Predict(booster, problem.data).values, before);
  }
  auto const same = MakeBooster(problem.data, {{"nthread", "1"}});
  ASSERT_OK(Update(same, problem.data));
  auto const others = MakeData(Features(kRows, 4), 4, LargeLabels());
  ASSERT_OK(Update(booster, others));
  ASSERT_OK(Update(same, others));
  EXPECT_EQ(Predict(booster, problem.data).values, Predict(same, problem.data).values);
}

/// A first round fails after it has estimated the intercept.
TEST(StaleState, AFailedRoundKeepsNoIntercept) {
  auto const labels = Features(kRows, 1, 7);
  auto const data = MakeData(Features(kRows, 3), 3, LargeLabels());
  auto const booster = MakeBooster(data, {{"nthread", "1"}});
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "base_margin", Vector(std::vector<float>(3 * kRows)).c_str()));
  ASSERT_NE(Update(booster, data), 0);
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "base_margin", Vector({}).c_str()));
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "label", Vector(labels).c_str()));
  ASSERT_OK(Update(booster, data));
  EXPECT_EQ(ModelText(booster), ModelText(Train(data, {{"nthread", "1"}}, 1)));
}

TEST(StaleState, AFailedSetterKeepsGroups) {
  auto const data = LargeData();
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "group", Vector({20, 40}).c_str()));
  for (auto const* const field : {"group", "qid"}) {
    EXPECT_NE(XGDMatrixSetInfoFromInterface(data.get(), field, Vector({3, -2}).c_str()), 0);
    bst_ulong length = 0;
    unsigned const* groups = nullptr;
    ASSERT_OK(XGDMatrixGetUIntInfo(data.get(), "group_ptr", &length, &groups));
    EXPECT_EQ(length, 3U) << field;
  }
}

struct WeightUse {
  char const* name;
  std::function<int(Data const&)> use;
};

int OwnRound(Data const& data, Params params) {
  std::vector<float> pairs(kRows, 1.0F);
  params.emplace_back("nthread", "1");
  auto const booster = MakeBooster(data, params);
  return XGBoosterBoostOneIter(booster.get(), data.get(), pairs.data(), pairs.data(), pairs.size());
}

/// Returns all uses of weights without an objective that checks them.
std::vector<WeightUse> WeightUses() {
  return {
      {"hist",
       [](Data const& data) {
         return OwnRound(data, {{"tree_method", "hist"}});
       }},
      {"approx",
       [](Data const& data) {
         return OwnRound(data, {{"tree_method", "approx"}});
       }},
      {"exact",
       [](Data const& data) {
         return OwnRound(data, {{"tree_method", "exact"}});
       }},
      {"gblinear",
       [](Data const& data) {
         return OwnRound(data, {{"booster", "gblinear"}, {"lambda", "1"}});
       }},
      {"cuts",
       [](Data const& data) {
         char const* indptr = nullptr;
         char const* values = nullptr;
         return XGDMatrixGetQuantileCut(data.get(), "{}", &indptr, &values);
       }},
      {"slice",
       [](Data const& data) {
         std::vector<int> const rows{0, 50};
         DMatrixHandle out = nullptr;
         auto const status = XGDMatrixSliceDMatrixEx(data.get(), rows.data(), rows.size(), &out, 1);
         if (status == 0) XGDMatrixFree(out);
         return status;
       }},
  };
}

void ExpectRefusedWeights(Data const& data, char const* reason) {
  for (auto const& use : WeightUses()) {
    EXPECT_NE(use.use(data), 0) << use.name;
    EXPECT_NE(std::string(XGBGetLastError()).find(reason), std::string::npos) << use.name << ": " << XGBGetLastError();
  }
}

TEST(Weights, FewerThanRowsAreRefused) {
  auto const data = LargeData();
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "weight", Vector({1, 2, 3}).c_str()));
  ExpectRefusedWeights(data, "weight has 3 values; give one sample weight per row, 60");
}

TEST(Weights, OfRowsAreRefusedBesideGroups) {
  auto const data = LargeData();
  auto const weights = Features(kRows, 1);
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "weight", Vector(weights).c_str()));
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "group", Vector({20, 40}).c_str()));
  ExpectRefusedWeights(data, "weight has 60 values, which must be equal to the number of query groups, 2");
  EXPECT_NE(XGDMatrixSetInfoFromInterface(data.get(), "weight", Vector(weights).c_str()), 0);
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "weight", Vector({1, 2}).c_str()));
  for (auto const& use : WeightUses()) EXPECT_OK(use.use(data)) << use.name;
}

/// If every row is its own group, both kinds of weights agree.
TEST(Weights, OfGroupsOfOneRow) {
  auto const data = LargeData();
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "weight", Vector(Features(kRows, 1)).c_str()));
  auto const rows = Train(data, {{"nthread", "1"}}, 2);
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "group", Vector(std::vector<float>(kRows, 1.0F)).c_str()));
  EXPECT_EQ(ModelText(Train(data, {{"nthread", "1"}}, 2)), ModelText(rows));
}

/// Calls XGQuantileDMatrixCreateFromCallback with batches that have these weights.
int MakeBins(std::vector<float> const& weights, std::size_t n_batches) {
  auto const values = Features(kRows, 3);
  auto const give = [&](DMatrixHandle proxy) {
    EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(values, 3).c_str()));
    EXPECT_OK(XGDMatrixSetInfoFromInterface(proxy, "weight", Vector(weights).c_str()));
  };
  Batches batches(std::vector<std::function<void(DMatrixHandle)>>(n_batches, give));
  DMatrixHandle out = nullptr;
  auto const status = batches.ReadBins(nullptr, &out);
  if (status == 0) XGDMatrixFree(out);
  return status;
}

TEST(Weights, OfBatchesAreRefused) {
  for (auto const n_batches : {1U, 3U}) {
    EXPECT_NE(MakeBins({1, 2, 3}, n_batches), 0) << n_batches;
    EXPECT_OK(MakeBins(Features(kRows, 1), n_batches)) << n_batches;
  }
}

}  // namespace
}  // namespace kauri::testing
