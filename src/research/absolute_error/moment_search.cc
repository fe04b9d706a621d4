#include "research/absolute_error/moment_search.h"

#include <dmlc/parameter.h>

#include "kauri/error.h"
#include "kauri/parameter.h"
#include "research/absolute_error/label_moments.h"
#include "tree/absolute_error/error_sketch.h"
#include "tree/hist/absolute_error_grower.h"

namespace kauri {

/// Selects how split_criterion=absolute_error estimates errors. Moments exist to reproduce research.
struct ErrorSketchParam : public dmlc::Parameter<ErrorSketchParam> {
  int absolute_error_sketch;  ///< Sketch

  enum Sketch { kBins = 0, kMoments = 1 };

  DMLC_DECLARE_PARAMETER(ErrorSketchParam) {
    DMLC_DECLARE_FIELD(absolute_error_sketch)
        .set_default(kBins)
        .add_enum("bins", kBins)
        .add_enum("moments", kMoments)
        .describe(
            "What split_criterion=absolute_error adds up of the residuals in each bin of a feature: 64 bins of them; "
            "or, "
            "for research, five moments, whose Legendre series tells the four boundaries of a feature that are then "
            "looked at exactly, many times as slow and no better (tree_method=hist on the CPU).");
  }
  void Validate() const {}
};

DMLC_REGISTER_PARAMETER(ErrorSketchParam);

namespace {

class MomentSearch : public ErrorSketch {
 public:
  void Require(std::string const& tree_method, TreeParam const& param) const override {
    if (param.split_criterion != TreeParam::kAbsoluteError) {
      Fail(ErrorKind::kParameter, "absolute_error_sketch=moments is used by split_criterion=absolute_error only, but ",
           "split_criterion=gradient is set; set split_criterion=absolute_error with tree_method=hist and "
           "device=cpu, ",
           "or leave absolute_error_sketch out.");
    }
    if (tree_method != "exact" && tree_method != "gpu_exact") return;
    Fail(ErrorKind::kParameter, "absolute_error_sketch=moments sums moments over bins of features, and ",
         "tree_method=exact has no bins; set tree_method=hist with device=cpu, or absolute_error_sketch=bins.");
  }
  Tree Grow(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* hist,
            Span<std::int32_t> leaf_of_row) const override {
    return AbsoluteErrorGrower<LabelMomentSearch>(ctx, rules, task, hist, leaf_of_row).Grow();
  }
};

}  // namespace

void RegisterErrorSketches(Registry<ErrorSketchFactory>* registry) {
  registry->Add({"moments", "Five moments of the residuals in each bin of a feature.",
                 [](ParamMap const& map) -> std::shared_ptr<ErrorSketch const> {
                   auto const param = ParseParameters<ErrorSketchParam>(map);
                   if (param.absolute_error_sketch == ErrorSketchParam::kBins) return nullptr;
                   return std::make_shared<MomentSearch const>();
                 },
                 &DescribeParameters<ErrorSketchParam>});
}

}  // namespace kauri
