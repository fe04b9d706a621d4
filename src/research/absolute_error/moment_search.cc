#include "research/absolute_error/moment_search.h"

#include <dmlc/parameter.h>

#include "kauri/parameter.h"
#include "research/absolute_error/label_moments.h"
#include "tree/absolute_error/error_criterion.h"

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
            "or, for research, five moments, whose Legendre series tells the four boundaries of a feature that are "
            "then looked at exactly, many times as slow and no better (tree_method=hist on the CPU).");
  }
  void Validate() const {}
};

DMLC_REGISTER_PARAMETER(ErrorSketchParam);

namespace {

class MomentSketchOfErrors : public ErrorSketch {
 public:
  FeatureSet Asks() const override { return {Feature::kMomentSketch}; }
  MakeCriterion Criterion() const override { return ErrorCriterion<LabelMomentSearch>::Make; }
};

}  // namespace

void RegisterErrorSketches(Registry<ErrorSketchFactory>* registry) {
  registry->Add({"moments", "Five moments of the residuals in each bin of a feature.",
                 [](ParamMap const& map) -> std::shared_ptr<ErrorSketch const> {
                   auto const param = ParseParameters<ErrorSketchParam>(map);
                   if (param.absolute_error_sketch == ErrorSketchParam::kBins) return nullptr;
                   return std::make_shared<MomentSketchOfErrors const>();
                 },
                 &DescribeParameters<ErrorSketchParam>});
}

}  // namespace kauri
