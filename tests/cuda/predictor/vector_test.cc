/// Trees with vector leaves on the device: margins and leaves have the CPU's bits, explanations are near the CPU's.
#include "cuda/predictor/gpu_predictor.h"
#include "predictor/vector_fixture.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

std::unique_ptr<Predictor> MakeGpu(ParamMap const& params) {
  Registry<PredictorFactory> registry("predictor");
  cuda::RegisterGpuPredictor(&registry);
  return registry.Find("gpu_predictor").make(params);
}

class GpuVectorTest : public DeviceTest {
 protected:
  static std::vector<float> Run(Predictor const& predictor, Context const& ctx, Model const& model,
                                DataView const& rows, PredictKind kind, TreeRange trees) {
    std::vector<float> const start(model.NumOutputs(), 0.5F);
    std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, trees));
    predictor.Predict(ctx, *predictor.Compile(ctx, model, {1, 9}), {rows, trees, {start, {}}}, kind, out);
    return out;
  }
};

TEST_F(GpuVectorTest, EqualsTheCpu) {
  auto const cpu = GetRegistries().predictors.Find("cpu_predictor").make({});
  auto const gpu = MakeGpu({});
  auto const rows = RandomRows(333, 6, 4);
  ForestSpec categorical;
  categorical.categorical = 0.4;
  for (auto const& model :
       {VectorModel(2, false), VectorModel(3, true), VectorModel(20, true), VectorModel(3, true, categorical)}) {
    for (auto const trees : {TreeRange{1, 9}, TreeRange{2, 6}, TreeRange{8, 9}}) {
      for (auto const kind : {PredictKind::kMargin, PredictKind::kLeaf}) {
        EXPECT_TRUE(SameFloats(Run(*gpu, OnDevice(), model, rows, kind, trees),
                               Run(*cpu, Context{}, model, rows, kind, trees)));
      }
    }
  }
}

TEST_F(GpuVectorTest, ExplainsNearTheCpu) {
  auto const cpu = GetRegistries().predictors.Find("cpu_predictor").make({});
  auto const rows = RandomRows(70, 6, 5);
  auto const model = VectorModel(3, true);
  for (auto const* method : {"treeshap", "quadrature"}) {
    auto const gpu = MakeGpu({{"shap_method", method}});
    for (auto const kind : {PredictKind::kContribution, PredictKind::kInteraction, PredictKind::kApproxContribution}) {
      auto const found = Run(*gpu, OnDevice(), model, rows, kind, {2, 8});
      auto const expected = Run(*cpu, Context{}, model, rows, kind, {2, 8});
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 2e-5) << method << " " << i;
    }
  }
}

TEST_F(GpuVectorTest, CoversOfCounts) {
  auto model = VectorModel(3, true);
  for (auto& tree : model.trees) tree.sum_hessian.assign(tree.left.size(), 0.0F);
  auto const rows = RandomRows(20, 6, 6);
  auto const explain = [&](ParamMap const& params) {
    return Run(*MakeGpu(params), OnDevice(), model, rows, PredictKind::kContribution, {1, 9});
  };
  EXPECT_THROW(explain({}), Error);
  EXPECT_THROW(explain({{"shap_cover", "count"}}), Error);
  Random random(7);
  for (auto& tree : model.trees) {
    for (std::size_t node = 0; node < tree.left.size(); ++node) tree.row_count.push_back(1 + random.Below(100));
  }
  auto const cpu = GetRegistries().predictors.Find("cpu_predictor").make({{"shap_cover", "count"}});
  auto const expected = Run(*cpu, Context{}, model, rows, PredictKind::kContribution, {1, 9});
  auto const found = explain({{"shap_cover", "count"}});
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 2e-5) << i;
}

}  // namespace
}  // namespace kauri::testing
