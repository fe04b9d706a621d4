/// \file Selects how split_criterion=absolute_error estimates errors. Moments exist to reproduce research.
#pragma once

#include <dmlc/parameter.h>

namespace kauri {

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

}  // namespace kauri
