#include "kauri/predictor.h"
#include "predictor/interventional/interventional.h"
#include "predictor/margins/margins.h"
#include "predictor/output_width.h"
#include "predictor/predictors.h"
#include "predictor/shap/contributions.h"
#include "predictor/shap/shap_quadrature.h"
#include "predictor/shap/sparse_interactions.h"

namespace kauri {
namespace {

struct PredictorParam : public dmlc::Parameter<PredictorParam> {
  enum ShapMethod { kAuto = 0, kTreeShap = 1, kQuadrature = 2 };
  int shap_method;
  int shap_cover;
  DMLC_DECLARE_PARAMETER(PredictorParam) {
    DMLC_DECLARE_FIELD(shap_method)
        .set_default(kAuto)
        .add_enum("auto", kAuto)
        .add_enum("treeshap", kTreeShap)
        .add_enum("quadrature", kQuadrature)
        .describe(
            "How exact contributions are computed: treeshap is the recursive algorithm, quadrature integrates over "
            "rows "
            "in vectors; auto is the fastest.");
    DMLC_DECLARE_FIELD(shap_cover)
        .set_default(static_cast<int>(CoverSource::kHessian))
        .add_enum("hessian", static_cast<int>(CoverSource::kHessian))
        .add_enum("count", static_cast<int>(CoverSource::kCount))
        .describe(
            "What weighs the branches that a feature not known might take: hessian, the sums of hessians of training, "
            "or count, numbers of rows, which must have been counted.");
  }
  void Validate() const {}
};
DMLC_REGISTER_PARAMETER(PredictorParam);

void CheckSize(char const* name, std::size_t size, std::int64_t expected) {
  if (size == static_cast<std::size_t>(expected)) return;
  Fail(ErrorKind::kInternal, name, " has ", size, " floats; expected ", expected, ".");
}

void CheckStart(MarginStart const& start, std::int64_t n_rows, std::int64_t n_outputs) {
  if (start.of_row.empty()) {
    CheckSize("the base score", start.of_output.size(), n_outputs);
  } else {
    CheckSize("the base margin", start.of_row.size(), n_rows * n_outputs);
  }
}

class CpuPredictor : public Predictor {
 public:
  explicit CpuPredictor(PredictorParam const& param)
      : recursive_(param.shap_method == PredictorParam::kTreeShap),
        cover_(static_cast<CoverSource>(param.shap_cover)) {}

  std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const& model, TreeRange trees) const override {
    return std::make_shared<Forest const>(CompileForest(ctx, model, trees, NodeLayout::kSmallest, cover_));
  }

  void Predict(Context const& ctx, CompiledModel const& model, DataView const& rows, PredictKind kind, TreeRange trees,
               MarginStart const& start, Span<float> out) const override {
    auto const& forest = CompiledForest(model, trees);
    CheckSize("the output", out.size(), rows.NumRows() * OutputWidth(forest.n_outputs, forest.n_features, kind, trees));
    auto const own = forest.OwnTrees(trees);
    if (kind == PredictKind::kLeaf) return PredictLeaves(ctx, forest, rows, own, out);
    CheckStart(start, rows.NumRows(), forest.n_outputs);
    if (kind != PredictKind::kMargin) forest.RequireCover();
    Dispatch(ctx, {forest, rows, own, start}, kind, out);
  }

  void PredictSparse(Context const& ctx, CompiledModel const& model, DataView const& rows, TreeRange trees,
                     MarginStart const& start, std::int64_t top_k, SparseInteractions* out) const override {
    auto const& forest = CompiledForest(model, trees);
    CheckStart(start, rows.NumRows(), forest.n_outputs);
    if (top_k < 0) {
      Fail(ErrorKind::kParameter, "top_k is ", top_k, "; expected 0 for all interactions, or how many to keep.");
    }
    RefuseRecursive("sparse interactions");
    auto const own = forest.OwnTrees(trees);
    forest.RequireCover();
    QuadratureSparseInteractions(ctx, {forest, rows, own, start}, top_k, out);
  }

  void PredictInterventional(Context const& ctx, CompiledModel const& model, DataView const& rows,
                             DataView const& background, TreeRange trees, MarginStart const& start,
                             Span<float> out) const override {
    auto const& forest = CompiledForest(model, trees);
    CheckSize("the output", out.size(),
              rows.NumRows() * OutputWidth(forest.n_outputs, forest.n_features, PredictKind::kContribution, trees));
    CheckStart(start, rows.NumRows(), forest.n_outputs);
    auto const own = forest.OwnTrees(trees);
    InterventionalContributions(ctx, {forest, rows, own, start}, background, out);
  }

 private:
  static Forest const& CompiledForest(CompiledModel const& model, TreeRange trees) {
    auto const* forest = dynamic_cast<Forest const*>(&model);
    if (forest == nullptr)
      Fail(ErrorKind::kInternal, "cpu_predictor was given a model that another predictor compiled.");
    forest->OwnTrees(trees);  // they must be compiled
    return *forest;
  }

  void RefuseRecursive(char const* what) const {
    if (recursive_) {
      Fail(ErrorKind::kParameter, "shap_method=treeshap has no ", what, "; use shap_method=quadrature.");
    }
  }

  void Dispatch(Context const& ctx, ContributionTask const& task, PredictKind kind, Span<float> out) const {
    switch (kind) {
      case PredictKind::kMargin:
        return PredictMargins(ctx, task.forest, task.rows, task.trees, task.start, MarginPath::kAuto, out);
      case PredictKind::kContribution:
        return recursive_ ? TreeShapContributions(ctx, task, out) : QuadratureContributions(ctx, task, out);
      case PredictKind::kInteraction:
        return recursive_ ? TreeShapInteractions(ctx, task, out) : QuadratureInteractions(ctx, task, out);
      case PredictKind::kBanzhaf:
        RefuseRecursive("Banzhaf values");
        return QuadratureBanzhaf(ctx, task, out);
      case PredictKind::kTaylorInteraction:
        RefuseRecursive("Shapley-Taylor indices");
        return QuadratureTaylor(ctx, task, out);
      case PredictKind::kApproxContribution:
        return ApproxContributions(ctx, task, out);
      case PredictKind::kApproxInteraction:
        return ApproxInteractions(ctx, task, out);
      default:
        Fail(ErrorKind::kInternal, "a predictor does not compute predictions of type ", static_cast<int>(kind),
             "; the objective makes values from margins.");
    }
  }

  bool recursive_;
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
