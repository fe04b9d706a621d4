/// \file The options of bins in a tree's parameters.
#pragma once

#include "data/bins/derived_bins.h"
#include "kauri/tree_param.h"

namespace kauri {

inline SketchOptions SketchOptionsOf(TreeParam const& param) {
  SketchOptions options(static_cast<SketchKind>(param.sketch));
  options.size = param.sketch_size;
  options.order = param.sketch_order;
  options.density = static_cast<SketchDensity>(param.sketch_density);
  return options;
}

inline BinOptions TreeBinOptions(TreeParam const& param, MemoryBudget const& budget) {
  return {param.max_bin, SketchOptionsOf(param), budget};
}

}  // namespace kauri
