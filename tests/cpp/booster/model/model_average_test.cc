/// Averages of models: margins against sums computed by hand, and models that cannot be averaged.
#include <gtest/gtest.h>

#include "booster/booster_fixture.h"
#include "booster/model/model_copies.h"
#include "support/learner_predict.h"

namespace kauri::testing {
namespace {

using Learners = std::vector<std::unique_ptr<Learner>>;

std::vector<Learner const*> Of(Learners const& learners) {
  std::vector<Learner const*> pointers;
  for (auto const& learner : learners) pointers.push_back(learner.get());
  return pointers;
}

/// Trains models with the same parameters on different rows.
Learners TrainSome(int classes, Params const& params, int rounds) {
  Learners learners;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    MatrixSpec spec;
    spec.n_rows = 150;
    spec.n_cols = 5;
    spec.missing = 0.1;
    spec.seed = seed;
    learners.push_back(Train(MakeLabelled(spec, classes), With({{"max_depth", "3"}}, params), rounds));
  }
  return learners;
}

std::shared_ptr<DataMatrix> NewRows() {
  MatrixSpec spec;
  spec.n_rows = 77;
  spec.n_cols = 5;
  spec.missing = 0.2;
  spec.seed = 9;
  return MakeLabelled(spec, 0);
}

std::vector<float> MarginsOf(Learner const& learner, DataMatrix const& data, IterationRange rounds = {}) {
  return PredictData(learner, data, Predicting(PredictKind::kMargin, rounds)).values;
}

/// Allows for sums of many leaves in another order.
void ExpectMeans(Learner const& average, Learners const& learners, IterationRange rounds = {}) {
  auto const data = NewRows();
  auto const means = MarginsOf(average, *data, rounds);
  std::vector<double> sums(means.size());
  for (auto const& learner : learners) {
    auto const margins = MarginsOf(*learner, *data, rounds);
    ASSERT_EQ(margins.size(), sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += margins[i];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_NEAR(means[i], sums[i] / static_cast<double>(learners.size()), 1e-5) << i;
  }
}

struct Kind {
  int classes;
  Params params;
};

std::vector<Kind> Kinds() {
  Params const three = {{"objective", "multi:softprob"}, {"num_class", "3"}, {"base_score", "0.5"}};
  return {
      {0, {{"base_score", "0.7"}}},
      {2, {{"objective", "binary:logistic"}, {"base_score", "0.3"}}},
      {3, three},
      {3, With(three, {{"num_parallel_tree", "2"}, {"subsample", "0.5"}})},
      {3, With(three, {{"multi_strategy", "multi_output_tree"}, {"tree_method", "hist"}})},
      {0, {{"base_score", "0.7"}, {"booster", "dart"}, {"rate_drop", "0.5"}}},
  };
}

TEST(ModelAverage, MarginsAreMeans) {
  for (auto const& [classes, params] : Kinds()) {
    auto const learners = TrainSome(classes, params, 4);
    auto const average = Learner::Average(Of(learners));
    EXPECT_EQ(average->NumIterations(), 4);
    ExpectMeans(*average, learners);
    ExpectMeans(*average, learners, {1, 3});
  }
}

/// Checks that the average survives saving and loading.
void ExpectFilesHold(Learner* average, Learners const& learners) {
  auto const bytes = Bytes(average);
  Learner loaded;
  loaded.LoadModel({bytes.data(), bytes.size()});
  EXPECT_EQ(Bytes(&loaded), bytes);
  ExpectMeans(loaded, learners);
}

TEST(ModelAverage, FilesHoldIt) {
  for (auto const& [classes, params] : Kinds()) {
    auto const learners = TrainSome(classes, params, 3);
    ExpectFilesHold(Learner::Average(Of(learners)).get(), learners);
  }
}

TEST(ModelAverage, SomeHaveMoreRounds) {
  for (auto const& [classes, params] : Kinds()) {
    auto learners = TrainSome(classes, params, 2);
    learners[0] = std::move(TrainSome(classes, params, 5)[0]);
    learners[2] = std::move(TrainSome(classes, params, 1)[2]);
    for (auto const& order : {Of(learners), {learners[2].get(), learners[1].get(), learners[0].get()}}) {
      auto const average = Learner::Average(order);
      EXPECT_EQ(average->NumIterations(), 5);
      auto const first = average->GetModel().iteration_ptr[1];
      EXPECT_EQ(average->GetModel().iteration_ptr[5] - average->GetModel().iteration_ptr[4], first / 3);
      ExpectMeans(*average, learners);
      ExpectFilesHold(average.get(), learners);
    }
  }
}

TEST(ModelAverage, OneThatIsNamedOftenCountsAsOften) {
  for (auto const& [classes, params] : Kinds()) {
    auto const learners = TrainSome(classes, params, 3);
    std::vector<Learner const*> const named = {learners[1].get(), learners[0].get(), learners[1].get(),
                                               learners[1].get()};
    auto const average = Learner::Average(named);
    auto const trees = [](Learner const& learner) { return learner.GetModel().trees.size(); };
    EXPECT_EQ(trees(*average), trees(*learners[0]) + trees(*learners[1]));
    auto const data = NewRows();
    auto const means = MarginsOf(*average, *data);
    auto const rare = MarginsOf(*learners[0], *data);
    auto const often = MarginsOf(*learners[1], *data);
    for (std::size_t i = 0; i < means.size(); ++i) EXPECT_NEAR(means[i], (rare[i] + 3 * often[i]) / 4, 1e-5) << i;
  }
}

TEST(ModelAverage, TreesOfAnOutputLieSideBySide) {
  auto const learners = TrainSome(3, Kinds()[3].params, 2);
  auto const average = Learner::Average(Of(learners));
  auto const& model = average->GetModel();
  EXPECT_EQ(model.n_parallel_trees, 6);
  EXPECT_EQ(model.iteration_ptr, (std::vector<std::int64_t>{0, 18, 36}));
  for (std::size_t tree = 0; tree < 36; ++tree) EXPECT_EQ(model.output_of_tree[tree], tree % 18 / 6);
}

TEST(ModelAverage, OneIsItself) {
  Params const params = {{"base_score", "0.7"}};
  auto learners = TrainSome(0, params, 3);
  learners.resize(1);
  EXPECT_EQ(Bytes(Learner::Average(Of(learners)).get()), Bytes(learners[0].get()));
}

TEST(ModelAverage, LearnsOn) {
  auto const learners = TrainSome(0, {{"base_score", "0.7"}}, 3);
  auto const average = Learner::Average(Of(learners));
  average->BoostRound(NewRows(), 3);
  EXPECT_EQ(average->NumIterations(), 4);
  EXPECT_EQ(average->GetModel().TreesOf({3, 4}).end - average->GetModel().TreesOf({3, 4}).begin, 3);
}

TEST(ModelAverage, CategoriesSeenAreThoseOfAny) {
  Model one;
  one.categories.seen = {{}, {0, 2}};
  Model other;
  other.categories.seen = {{}, {1, 2, 5}};
  EXPECT_EQ(AverageOf({&one, &other}).categories.seen, (std::vector<std::vector<std::int32_t>>{{}, {0, 1, 2, 5}}));
  other.categories.seen.clear();
  EXPECT_TRUE(AverageOf({&one, &other}).categories.seen.empty());
}

TEST(ModelAverage, SomeHaveNone) {
  Params const given = {{"base_score", "0.5"}};
  auto const says = [](std::function<void()> const& call, std::string const& what) {
    ExpectParts(MessageOf(ErrorKind::kParameter, call), {what});
  };
  auto const with = [&](Params const& params) {
    return [=] {
      auto learners = TrainSome(0, given, 2);
      learners[1] = std::move(TrainSome(0, params, 2)[1]);
      Learner::Average(Of(learners));
    };
  };
  says([] { AverageOf({}); }, "there are 0 boosters");
  says(with({{"base_score", "0.6"}}), "booster 1 and the first have not the same intercept");
  says(with(With(given, {{"objective", "reg:absoluteerror"}})), "not the same objective");
  says(with(With(given, {{"booster", "gblinear"}})), "booster 1 is linear");
}

}  // namespace
}  // namespace kauri::testing
