/// \file One tree as the program of shap_program.h, before it joins a batch.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/lanes/shap_program.h"

namespace kauri {

/// A compiled tree. Places are not set yet, and states are numbered within the tree.
struct CompiledTree {
  std::vector<ProgramNode> nodes;
  std::vector<std::uint32_t> slots;         ///< slots of the nodes
  std::vector<PathFeature> states;          ///< zero_fraction not set
  std::vector<double> zero_fractions;       ///< zero fractions of the states
  std::vector<std::int64_t> partner_begin;  ///< [n_nodes + 1] with pairs, otherwise empty
  std::vector<ProgramPartner> partners;
  std::int32_t n_features = 0;  ///< distinct features on the longest path
  std::int32_t saved_downs = 0;
  std::int32_t saved_firsts = 0;
};

CompiledTree CompileTree(Forest const& forest, std::int64_t tree, PathPairs const* pairs, PathCategories* categories);

/// Returns the number of distinct features on the longest path of a tree.
std::int32_t LongestPath(Forest const& forest, std::int64_t tree);

}  // namespace kauri
