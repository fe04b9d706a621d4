/// \file The options of bins in a tree's parameters.
#pragma once

#include "data/bins/derived_bins.h"
#include "kauri/registry.h"
#include "kauri/tree_param.h"

namespace kauri {

/// Returns the sketch that the parameters choose. \throws Error(kParameter) for a sketch that is not registered.
inline SketchChoice SketchOf(TreeParam const& param) {
  if (param.sketch == TreeParam::kExact) return nullptr;
  return SketchRegistry().Find(param.__DICT__().at("sketch")).make(param);
}

inline BinOptions TreeBinOptions(TreeParam const& param, MemoryBudget const& budget) {
  return {param.max_bin, SketchOf(param), budget};
}

}  // namespace kauri
