/// Explanations through a Learner: every result has the same bits as the corresponding part of Predict's full matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "booster/learner.h"
#include "booster/predict/explanation.h"
#include "booster/predict/prediction.h"
#include "data/matrix_view.h"
#include "kauri/error.h"
#include "support/error.h"
#include "support/learner_predict.h"

namespace kauri {
namespace {

using Features = std::vector<std::int64_t>;

std::uint32_t Next(std::uint32_t* state) { return *state = *state * 1664525U + 1013904223U; }

/// Returns features in eighths, some missing, and labels 0, 1, 2 that depend on the first and last features. Base
/// margins are random.
std::shared_ptr<DataMatrix> MakeData(std::int64_t n_rows, std::int64_t n_cols, std::int64_t margins_per_row) {
  std::uint32_t state = 7;
  DenseStorage storage;
  std::vector<float> labels;
  std::vector<float> margins;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const begin = storage.values.size();
    for (std::int64_t col = 0; col < n_cols; ++col) {
      storage.values.push_back(static_cast<float>(Next(&state) >> 28U) / 8.0F);
    }
    auto const sum = storage.values[begin] + storage.values.back();
    labels.push_back(std::min(std::floor(sum), 2.0F));
    storage.values[begin + (Next(&state) >> 8U) % static_cast<std::size_t>(n_cols)] =
        std::numeric_limits<float>::quiet_NaN();
    for (std::int64_t i = 0; i < margins_per_row; ++i) margins.push_back(static_cast<float>(Next(&state) >> 24U));
  }
  auto data = DataMatrix::FromDense(std::move(storage), n_rows, n_cols);
  data->MutableInfo()->labels = labels;
  data->MutableInfo()->base_margin = margins;
  return std::shared_ptr<DataMatrix>(std::move(data));
}

std::unique_ptr<Learner> Train(std::shared_ptr<DataMatrix const> const& data, int rounds, char const* threads = "2") {
  auto learner = std::make_unique<Learner>();
  learner->SetParam("objective", "multi:softprob");
  learner->SetParam("num_class", "3");
  learner->SetParam("max_depth", "3");
  learner->SetParam("nthread", threads);
  for (int round = 0; round < rounds; ++round) learner->BoostRound(data, round);
  return learner;
}

Prediction Whole(Learner const& learner, DataMatrix const& data, PredictKind kind, IterationRange rounds = {}) {
  PredictOptions options;
  options.kind = kind;
  options.iterations = rounds;
  return PredictData(learner, data, options);
}

Prediction Explained(Learner const& learner, DataMatrix const& data, ExplainOptions const& options) {
  auto const view = data.View();
  return Explain(*learner.Ready(), {*view, data.Info().base_margin}, options);
}

/// Picks the cells of `features` and the bias naively from full blocks of n_features + 1 columns.
std::vector<float> Picked(std::vector<float> const& full, Features features, std::size_t n_features, bool pairs) {
  features.push_back(static_cast<std::int64_t>(n_features));
  auto const width = n_features + 1;
  std::vector<float> picked;
  for (std::size_t block = 0; block < full.size(); block += pairs ? width * width : width) {
    for (auto const row : pairs ? features : Features{0}) {
      for (auto const col : features) {
        picked.push_back(full[block + static_cast<std::size_t>(row) * width + static_cast<std::size_t>(col)]);
      }
    }
  }
  return picked;
}

std::vector<float> MeansOf(std::vector<float> const& values, std::size_t n_rows) {
  auto const width = values.size() / n_rows;
  std::vector<float> means;
  for (std::size_t i = 0; i < width; ++i) {
    double sum = 0;
    for (std::size_t row = 0; row < n_rows; ++row) sum += std::abs(static_cast<double>(values[row * width + i]));
    means.push_back(static_cast<float>(sum / static_cast<double>(n_rows)));
  }
  return means;
}

class EveryKind : public ::testing::TestWithParam<PredictKind> {};

TEST_P(EveryKind, WholeSubsetAndMeansAreThoseOfTheMatrix) {
  auto const data = MakeData(150, 5, 3);
  auto const learner = Train(data, 3);
  auto const pairs = IsOfPairs(GetParam());
  ExplainOptions options;
  options.kind = GetParam();
  options.iterations = {1, 3};
  auto const full = Whole(*learner, *data, options.kind, options.iterations);
  auto const same = Explained(*learner, *data, options);
  EXPECT_EQ(same.values, full.values);
  EXPECT_EQ(same.shape, full.shape);
  options.features = {4, 0};
  auto const some = Explained(*learner, *data, options);
  EXPECT_EQ(some.values, Picked(full.values, options.features, 5, pairs));
  EXPECT_EQ(some.shape, (pairs ? std::vector<std::uint64_t>{150, 3, 3, 3} : std::vector<std::uint64_t>{150, 3, 3}));
  options.reduction = ExplainReduction::kMeanAbs;
  auto const means = Explained(*learner, *data, options);
  EXPECT_EQ(means.values, MeansOf(some.values, 150));
  EXPECT_EQ(means.shape, (pairs ? std::vector<std::uint64_t>{3, 3, 3} : std::vector<std::uint64_t>{3, 3}));
}

INSTANTIATE_TEST_SUITE_P(All, EveryKind,
                         ::testing::Values(PredictKind::kContribution, PredictKind::kApproxContribution,
                                           PredictKind::kInteraction, PredictKind::kApproxInteraction,
                                           PredictKind::kBanzhaf, PredictKind::kTaylorInteraction,
                                           PredictKind::kBanzhafInteraction));

/// 1900 rows of 3 * 55^2 floats exceed a tile.
TEST(LearnerExplain, TilesAndThreadsDoNotShow) {
  auto const data = MakeData(1900, 54, 3);
  auto const learner = Train(data, 1);
  ASSERT_LT(ExplainTileRows(3 * 55 * 55), 1900);
  auto const full = Whole(*learner, *data, PredictKind::kInteraction).values;
  ExplainOptions options;
  options.kind = PredictKind::kInteraction;
  options.features = {53, 7, 0};
  EXPECT_EQ(Explained(*learner, *data, options).values, Picked(full, options.features, 54, true));
  options.features.clear();
  options.reduction = ExplainReduction::kMeanAbs;
  auto const means = MeansOf(full, 1900);
  for (auto const* threads : {"1", "3"}) {
    learner->SetParam("nthread", threads);
    EXPECT_EQ(Explained(*learner, *data, options).values, means) << threads;
  }
}

TEST(LearnerExplain, AnyBatchGivesTheSameBits) {
  auto const data = MakeData(97, 6, 3);
  auto const learner = Train(data, 3);
  auto const view = data->View();
  auto const background = MakeData(20, 6, 0);
  auto const against = background->View();
  for (auto const* compared : {static_cast<DataView const*>(nullptr), static_cast<DataView const*>(against.get())}) {
    Span<float const> const margins(data->Info().base_margin);
    auto const whole = Explain(*learner->Ready(), {*view, margins, compared}, {}).values;
    for (std::int64_t const batch : {1, 5, 16, 64}) {
      std::vector<float> joined;
      for (std::int64_t begin = 0; begin < 97; begin += batch) {
        auto const end = std::min<std::int64_t>(begin + batch, 97);
        auto const some = margins.subspan(3 * begin, 3 * (end - begin));
        auto const part = Explain(*learner->Ready(), {RowWindow(*view, begin, end), some, compared}, {}).values;
        joined.insert(joined.end(), part.begin(), part.end());
      }
      EXPECT_EQ(joined, whole) << batch << (compared == nullptr ? "" : ", with a background");
    }
  }
}

TEST(LearnerExplain, AgainstABackground) {
  auto const data = MakeData(60, 5, 0);
  auto const learner = Train(data, 3);
  auto const background = MakeData(9, 5, 0);
  auto const rows = data->View();
  auto const against = background->View();
  auto const phi = Explain(*learner->Ready(), {*rows, {}, against.get()}, {}).values;
  auto const margins = Whole(*learner, *data, PredictKind::kMargin).values;
  auto const of_background = Whole(*learner, *background, PredictKind::kMargin).values;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 6; ++j) sum += phi[6 * i + j];
    EXPECT_NEAR(sum, margins[i], 1e-5) << i;
    double mean = 0;
    for (std::size_t row = 0; row < 9; ++row) mean += of_background[3 * row + i % 3] / 9.0;
    EXPECT_NEAR(phi[6 * i + 5], mean, 1e-5) << i;
  }
  ExplainOptions some;
  some.features = {2};
  EXPECT_EQ(Explain(*learner->Ready(), {*rows, {}, against.get()}, some).values, Picked(phi, {2}, 5, false));
}

TEST(LearnerExplain, SparseIsTheUpperTriangle) {
  auto const data = MakeData(50, 5, 3);
  auto const learner = Train(data, 3);
  auto const view = data->View();
  ExplainTask const task{*view, data->Info().base_margin};
  auto const dense = Whole(*learner, *data, PredictKind::kInteraction, {0, 2}).values;
  SparseOptions options;
  options.iterations = {0, 2};
  auto const sparse = ExplainSparse(*learner->Ready(), task, options);
  ASSERT_EQ(sparse.begin.size(), 151U);
  std::vector<float> filled(dense.size(), 0.0F);
  for (std::size_t block = 0; block < 150; ++block) {
    for (auto i = static_cast<std::size_t>(sparse.begin[block]); i < static_cast<std::size_t>(sparse.begin[block + 1]);
         ++i) {
      ASSERT_LE(sparse.first[i], sparse.second[i]);
      filled[block * 36 + sparse.first[i] * 6 + sparse.second[i]] = sparse.values[i];
      filled[block * 36 + sparse.second[i] * 6 + sparse.first[i]] = sparse.values[i];
    }
  }
  EXPECT_EQ(filled, dense);
  options.top_k = 1;
  auto const top = ExplainSparse(*learner->Ready(), task, options);
  for (std::size_t block = 0; block < 150; ++block) {
    float largest = 0;
    for (std::size_t i = 0; i < 25; ++i) {
      auto const cell = dense[block * 36 + i / 5 * 6 + i % 5];
      if (i / 5 != i % 5 && std::abs(cell) > std::abs(largest)) largest = cell;
    }
    if (largest != 0.0F) {
      EXPECT_EQ(top.values[top.begin[block]], largest) << block;
    }
    EXPECT_LE(top.begin[block + 1] - top.begin[block], 1) << block;
  }
}

TEST(LearnerExplain, AnotherMethodForOneCall) {
  auto const data = MakeData(80, 5, 0);
  auto const learner = Train(data, 4);
  ExplainOptions options;
  options.shap_method = "treeshap";
  auto const once = Explained(*learner, *data, options).values;
  auto const other = Train(data, 4);
  other->SetParam("shap_method", "treeshap");
  EXPECT_EQ(once, Explained(*other, *data, {}).values);
  EXPECT_NE(once, Explained(*learner, *data, {}).values);
  options.shap_method = "guess";
  EXPECT_NE(MessageOf(ErrorKind::kParameter, [&] { Explained(*learner, *data, options); }).find("guess"),
            std::string::npos);
}

TEST(LearnerExplain, OneOutputAndNoRows) {
  auto const data = MakeData(40, 4, 0);
  Learner learner;
  learner.BoostRound(data, 0);
  ExplainOptions options;
  options.features = {1};
  EXPECT_EQ(Explained(learner, *data, options).shape, (std::vector<std::uint64_t>{40, 2}));
  options.strict_shape = true;
  EXPECT_EQ(Explained(learner, *data, options).shape, (std::vector<std::uint64_t>{40, 1, 2}));
  auto const none = MakeData(0, 4, 0);
  EXPECT_EQ(Explained(learner, *none, options).shape, (std::vector<std::uint64_t>{0, 1, 2}));
  options.reduction = ExplainReduction::kMeanAbs;
  EXPECT_EQ(Explained(learner, *data, options).shape, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(MessageOf(ErrorKind::kData, [&] { Explained(learner, *none, options); }),
            "the data have 0 rows, which have no mean; pass at least one.");
  EXPECT_EQ(ExplainSparse(*learner.Ready(), {*none->View(), {}}, {}).begin, std::vector<std::int64_t>{0});
}

TEST(LearnerExplain, RefusesWhatHasNoMeaning) {
  auto const data = MakeData(30, 4, 0);
  auto const learner = Train(data, 1);
  auto const view = data->View();
  auto const refuse = [&](ErrorKind kind, ExplainOptions const& options, DataView const* background = nullptr) {
    return MessageOf(kind, [&] { Explain(*learner->Ready(), {*view, {}, background}, options); });
  };
  ExplainOptions options;
  options.kind = PredictKind::kMargin;
  EXPECT_NE(refuse(ErrorKind::kParameter, options).find("type 1 is no explanation"), std::string::npos);
  options.kind = PredictKind::kApproxInteraction;
  auto const approximate = refuse(ErrorKind::kParameter, options, view.get());
  EXPECT_NE(approximate.find("approximate interactions take no background"), std::string::npos);
  options = {};
  options.features = {0, 4};
  EXPECT_NE(refuse(ErrorKind::kParameter, options).find("no feature 4; the model has 4"), std::string::npos);
  options.features = {-1};
  EXPECT_NE(refuse(ErrorKind::kParameter, options).find("no feature -1"), std::string::npos);
  options.features = {3, 1, 3};
  EXPECT_NE(refuse(ErrorKind::kParameter, options).find("feature 3 is asked for twice"), std::string::npos);
  auto const wide = MakeData(3, 5, 0);
  EXPECT_NE(refuse(ErrorKind::kData, {}, wide->View().get()).find("5 features, the model 4"), std::string::npos);
  auto const none = MakeData(0, 4, 0);
  EXPECT_NE(refuse(ErrorKind::kData, {}, none->View().get()).find("background has 0 rows"), std::string::npos);
  std::vector<float> const margins(7);
  EXPECT_NE(MessageOf(ErrorKind::kData,
                      [&] {
                        Explain(*learner->Ready(), {*view, margins}, {});
                      })
                .find("7 values for 30 rows"),
            std::string::npos);
  SparseOptions sparse;
  sparse.top_k = -2;
  EXPECT_NE(MessageOf(ErrorKind::kParameter,
                      [&] {
                        ExplainSparse(*learner->Ready(), {*view, {}}, sparse);
                      })
                .find("top_k is -2"),
            std::string::npos);
}

TEST(LearnerExplain, AnUntrainedModelKnowsItsClasses) {
  auto const data = MakeData(30, 4, 0);
  auto const learner = Train(data, 0);
  learner->AddData(data);
  EXPECT_EQ(Whole(*learner, *data, PredictKind::kMargin).values, std::vector<float>(90, 0.5F));
  EXPECT_EQ(Whole(*learner, *data, PredictKind::kContribution).shape, (std::vector<std::uint64_t>{30, 3, 5}));
  learner->SetParam("num_class", "4");
  EXPECT_EQ(Whole(*learner, *data, PredictKind::kValue).shape, (std::vector<std::uint64_t>{30, 4}));
}

}  // namespace
}  // namespace kauri
