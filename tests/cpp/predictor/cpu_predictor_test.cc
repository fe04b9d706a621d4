#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "predictor/predictor_fixtures.h"
#include "predictor/predictors.h"
#include "support/error.h"

namespace kauri {
namespace {

using testing::ForestSpec;

std::unique_ptr<Predictor> MakePredictor(ParamMap const& params = {}) {
  Registry<PredictorFactory> registry("predictor");
  RegisterPredictors(&registry);
  return registry.Find("cpu_predictor").make(params);
}

void ExpectIn(std::string const& part, std::string const& message) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(OutputWidth, EveryKind) {
  Model model;
  model.n_features = 4;
  model.n_classes = 3;
  TreeRange const trees{2, 9};
  EXPECT_EQ(OutputWidth(model, PredictKind::kValue, trees), 3);
  EXPECT_EQ(OutputWidth(model, PredictKind::kMargin, trees), 3);
  EXPECT_EQ(OutputWidth(model, PredictKind::kContribution, trees), 15);
  EXPECT_EQ(OutputWidth(model, PredictKind::kApproxContribution, trees), 15);
  EXPECT_EQ(OutputWidth(model, PredictKind::kInteraction, trees), 75);
  EXPECT_EQ(OutputWidth(model, PredictKind::kApproxInteraction, trees), 75);
  EXPECT_EQ(OutputWidth(model, PredictKind::kLeaf, trees), 7);
  model.n_features = 1LL << 40;
  ExpectIn("too large", MessageOf(ErrorKind::kMemory, [&] { OutputWidth(model, PredictKind::kInteraction, trees); }));
  ExpectIn("prediction type 7",
           MessageOf(ErrorKind::kParameter, [&] { OutputWidth(model, static_cast<PredictKind>(7), trees); }));
}

TEST(CpuPredictor, EveryKindThroughTheInterface) {
  ForestSpec spec;
  spec.n_classes = 2;
  spec.n_trees = 8;
  auto const model = testing::RandomModel(spec);
  auto const rows = testing::RandomRows(20, 6, 1);
  auto const predictor = MakePredictor();
  auto const compiled = predictor->Compile({}, model, {2, 8});
  std::vector<float> const start{0.5F, -0.5F};
  TreeRange const trees{4, 8};
  auto const predict = [&](PredictKind kind) {
    std::vector<float> out(20 * OutputWidth(model, kind, trees));
    predictor->Predict({}, *compiled, {rows, trees, {start, {}}}, kind, out);
    return out;
  };
  auto const margins = predict(PredictKind::kMargin);
  EXPECT_EQ(margins, testing::NaiveMargins(model, rows, trees, testing::RepeatStart(start, 20)));
  for (auto kind : {PredictKind::kContribution, PredictKind::kApproxContribution, PredictKind::kInteraction,
                    PredictKind::kApproxInteraction}) {
    auto const out = predict(kind);
    auto const width = out.size() / margins.size();
    for (std::size_t i = 0; i < margins.size(); ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < width; ++j) sum += out[i * width + j];
      EXPECT_NEAR(sum, margins[i], 1e-5);
    }
  }
  auto const leaves = predict(PredictKind::kLeaf);
  EXPECT_EQ(leaves[5 * 4 + 3], static_cast<float>(testing::NaiveLeaf(model.trees[7], rows, 5)));
}

TEST(CpuPredictor, Errors) {
  auto const model = testing::RandomModel({});
  auto const rows = testing::RandomRows(3, 6, 1);
  auto const predictor = MakePredictor();
  auto const compiled = predictor->Compile({}, model, {1, 4});
  std::vector<float> const start{0.5F};
  std::vector<float> out(3);
  auto const predict = [&](CompiledModel const& forest, PredictKind kind, TreeRange trees, MarginStart const& from,
                           Span<float> to) {
    return MessageOf(ErrorKind::kInternal, [&] { predictor->Predict({}, forest, {rows, trees, from}, kind, to); });
  };
  ExpectIn("another predictor", predict(CompiledModel{}, PredictKind::kMargin, {1, 4}, {start, {}}, out));
  for (auto const trees : {TreeRange{0, 4}, TreeRange{1, 5}, TreeRange{3, 2}}) {
    ExpectIn("those in [1, 4) are", predict(*compiled, PredictKind::kMargin, trees, {start, {}}, out));
  }
  ExpectIn("the output has 2 floats; expected 3",
           predict(*compiled, PredictKind::kMargin, {1, 4}, {start, {}}, Span<float>(out).subspan(0, 2)));
  ExpectIn("the base score has 0 floats", predict(*compiled, PredictKind::kMargin, {1, 4}, {}, out));
  ExpectIn("the base margin has 1 floats", predict(*compiled, PredictKind::kMargin, {1, 4}, {{}, start}, out));
  ExpectIn("type 0", predict(*compiled, PredictKind::kValue, {1, 4}, {start, {}}, out));
  ExpectIn("trees [0, 6) are out of range; the model has 5", MessageOf(ErrorKind::kInternal, [&] {
             predictor->Compile({}, model, {0, 6});
           }));
}

TEST(CpuPredictor, ShapMethod) {
  for (auto const* method : {"auto", "treeshap", "quadrature"})
    EXPECT_NE(MakePredictor({{"shap_method", method}}), nullptr);
  ExpectIn("shap_method='guess'", MessageOf(ErrorKind::kParameter, [] { MakePredictor({{"shap_method", "guess"}}); }));
}

}  // namespace
}  // namespace kauri
