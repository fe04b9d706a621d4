#include <utility>

#include "kauri/predictor.h"
#include "predictor/interactions/set_interactions.h"
#include "predictor/interventional/interventional.h"
#include "predictor/margins/margins.h"
#include "predictor/predictors.h"
#include "predictor/shap/contributions.h"
#include "predictor/shap/shap_quadrature.h"

namespace kauri {
namespace {

/// A forest, together with the data that margins and explanations need besides its nodes.
struct CpuModel : public CompiledModel {
  CpuModel(Forest compiled, LinearTrees leaves)
      : forest(std::move(compiled)), linear(std::move(leaves)), tree_tops(TreeTopsIfItPays(forest)) {}

  /// \throws Error(kParameter) if the model has linear leaves.
  void RequireExplicable() const {
    if (linear.IsEmpty()) return;
    Fail(ErrorKind::kParameter, "the model has linear leaves (linear_tree=1), of which there are no contributions or ",
         "interactions; explain a model trained with linear_tree=0, or a function (explain_function) that predicts.");
  }

  Forest const forest;
  LinearTrees const linear;
  TreeTops const tree_tops;
  LazyQuadrature const quadrature;
  LazyInteractions const sets;
};

class CpuPredictor : public Predictor {
 public:
  explicit CpuPredictor(PredictorParam const& param) : is_treeshap_(param.IsTreeShap()), cover_(param.Cover()) {}

  std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const& model, TreeRange trees) const override {
    auto forest = CompileForest(ctx, model, trees, NodeLayout::kSmallest, cover_, LinearUse::kConstants);
    return std::make_shared<CpuModel const>(std::move(forest), CompileLinear(model, trees));  // the range is checked
  }

  void Predict(Context const& ctx, CompiledModel const& compiled, PredictTask const& task, PredictKind kind,
               Span<float> out) const override {
    auto const& model = OwnModel(compiled);
    auto const own = TaskOn(model.forest, task);
    CheckPrediction(model.forest, task, kind, out);
    if (kind == PredictKind::kLeaf) return PredictLeaves(ctx, own, out);
    if (kind == PredictKind::kMargin && !model.linear.IsEmpty()) {
      return PredictLinearMargins(ctx, own, model.linear, out);
    }
    if (kind == PredictKind::kMargin) return PredictMargins(ctx, own, model.tree_tops, MarginPath::kAuto, out);
    model.RequireExplicable();
    model.forest.RequireCover();
    if (is_treeshap_) CheckTreeShapComputes(kind);
    if (kind == PredictKind::kApproxContribution) return ApproxContributions(ctx, own, out);
    if (kind == PredictKind::kApproxInteraction) return ApproxInteractions(ctx, own, out);
    if (!is_treeshap_) return QuadratureValues(ctx, own, model.quadrature, GoalOf(kind), out);
    kind == PredictKind::kContribution ? TreeShapContributions(ctx, own, out) : TreeShapInteractions(ctx, own, out);
  }

  void PredictSparse(Context const& ctx, CompiledModel const& compiled, PredictTask const& task, std::int64_t top_k,
                     SparseInteractions* out) const override {
    auto const& model = OwnModel(compiled);
    auto const own = TaskOn(model.forest, task);
    CheckSparsePrediction(model.forest, task, top_k);
    model.RequireExplicable();
    if (is_treeshap_) {
      Fail(ErrorKind::kParameter, "shap_method=treeshap has no sparse interactions; use shap_method=quadrature.");
    }
    model.forest.RequireCover();
    QuadratureSparseInteractions(ctx, own, model.quadrature, top_k, out);
  }

  bool ComputesSets() const override { return true; }

  void PredictSets(Context const& ctx, CompiledModel const& compiled, PredictTask const& task,
                   SetInteractionOptions const& options, SetInteractions* out) const override {
    auto const& model = OwnModel(compiled);
    model.RequireExplicable();
    model.forest.RequireCover();
    *out = ComputeSetInteractions(ctx, TaskOn(model.forest, task), model.sets, options);
  }

  void PredictInterventional(Context const& ctx, CompiledModel const& compiled, PredictTask const& task,
                             DataView const& background, Span<float> out) const override {
    PredictAgainst(ctx, compiled, task, PredictKind::kContribution, background, out);
  }

  bool Computes(PredictKind kind, bool against_background) const override {
    return !against_background || (kind != PredictKind::kApproxContribution && kind != PredictKind::kApproxInteraction);
  }

  void PredictAgainst(Context const& ctx, CompiledModel const& compiled, PredictTask const& task, PredictKind kind,
                      DataView const& background, Span<float> out) const override {
    auto const& model = OwnModel(compiled);
    CheckPrediction(model.forest, task, kind, out);
    model.RequireExplicable();
    InterventionalValues(ctx, TaskOn(model.forest, task), background, GoalOf(kind), out);
  }

 private:
  static CpuModel const& OwnModel(CompiledModel const& model) {
    if (auto const* own = dynamic_cast<CpuModel const*>(&model)) return *own;
    Fail(ErrorKind::kInternal, "cpu_predictor was given a model that another predictor compiled.");
  }

  static ForestTask TaskOn(Forest const& forest, PredictTask const& task) {
    return {forest, task.rows, forest.OwnTrees(task.trees), task.start};
  }

  bool is_treeshap_;
  CoverSource cover_;
};

}  // namespace

void RegisterPredictors(Registry<PredictorFactory>* registry) {
  registry->Add({"cpu_predictor", "Prediction and contributions on the CPU.",
                 [](ParamMap const& params) -> std::unique_ptr<Predictor> {
                   return std::make_unique<CpuPredictor>(ParseParameters<PredictorParam>(params));
                 },
                 &DescribeParameters<PredictorParam>});
}

}  // namespace kauri
