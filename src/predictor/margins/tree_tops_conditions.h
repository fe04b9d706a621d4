/// \file Trees with few distinct conditions, however many nodes they have: grow_policy=symmetric has one condition per
/// level.
///
/// A condition is a slot, a threshold and a default direction. A row's results for all conditions of a
/// tree determine its leaf, in whatever order they are evaluated. So a table of leaves by results (`answers`) replaces
/// the nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/forest/forest.h"

namespace kauri {

/// Returns whether trees of the forest may be evaluated by their conditions. False if some trees are deeper than
/// kTreeTopsLevels or have vector leaves, since exits of such trees are read in the order of nodes.
bool MayUseConditions(Forest const& forest);

/// Returns the distinct conditions of a tree, at most kTreeTopsLevels, if comparing all nodes of its top would take at
/// least twice the number of comparisons. Empty otherwise.
std::vector<SplitNode> ConditionsOf(Forest const& forest, std::int64_t tree);

/// Returns the leaf of a row that goes right at condition i iff bit n - 1 - i of `answers` is set, with n conditions in
/// all.
std::uint32_t LeafOfAnswers(Forest const& forest, std::int64_t tree, std::vector<SplitNode> const& conditions,
                            std::uint32_t answers);

}  // namespace kauri
