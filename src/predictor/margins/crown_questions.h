/// \file Trees that ask few questions, whatever their nodes: those of grow_policy=symmetric ask one a level.
///
/// A question is a slot, a threshold and a default direction. The answers of a row to all of a tree's questions name
/// its leaf, in whatever order they are asked, so that a table of leaves by answers takes the place of the nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/forest/forest.h"

namespace kauri {

/// Whether trees of the forest may be read by their questions: not where some are deeper than crowns or have vector
/// leaves, since exits are read in the order of nodes there.
bool MayAskQuestions(Forest const& forest);

/// The questions of a tree, where they are so few that comparing all nodes of its crown would take twice as many
/// comparisons or more: kCrownLevels at most. Empty otherwise.
std::vector<SplitNode> QuestionsOf(Forest const& forest, std::int64_t tree);

/// The leaf of a row that goes right at question i where bit n - 1 - i of `answers` is set, n questions in all.
std::uint32_t LeafOfAnswers(Forest const& forest, std::int64_t tree, std::vector<SplitNode> const& questions,
                            std::uint32_t answers);

}  // namespace kauri
