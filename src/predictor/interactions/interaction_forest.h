/// \file A forest compiled for interactions of sets: the constants of a traversal, and the set of each of its sums.
///
/// The method is in set_interactions.h. Vocabulary: an edge leads from a split to a child; a level is the depth of the
/// child. An edge is repeated if an edge above it splits on the same feature; the lowest such edge is the previous one.
/// The gain of an edge at a point t is (o - z) / u, u = z (1 - t) + o t, with z and o merged over all splits on the
/// feature down to the edge. Rows that follow all of them are hot, others cold.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "kauri/host_device.h"
#include "predictor/forest/forest.h"
#include "predictor/interactions/feature_sets.h"
#include "predictor/interactions/interaction_rule.h"
#include "predictor/paths/tree_paths.h"

namespace kauri {

// Units. Every term of a set is rounded to an integer, a multiple of a unit of 2^-k, before it is added. So sums have
// the same bits in any order of trees, on any device.

/// Terms are below 2^kTermBits units, so that RoundTerm is exact, and sums below 2^kSumOfSetBits.
constexpr int kTermBits = 50;
constexpr int kSumOfSetBits = 61;
/// 1.5 * 2^52: the last bit of a double of this size, plus or minus 2^51, is 1.
constexpr double kTermRounder = 6755399441055744.0;
constexpr std::int64_t kBitsOfTermRounder = 0x4338000000000000;

/// Rounds a term to an integer, half to even. The absolute value is below 2^51.
KAURI_HD std::int64_t RoundTerm(double value) {
  double const shifted = value + kTermRounder;
  std::int64_t bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  return bits - kBitsOfTermRounder;
}

/// Points whose products are added before they are rounded.
constexpr int kPointsTogether = 4;

struct InteractionEdge {
  std::uint32_t slot;
  std::int32_t lower;  ///< keys in [lower, lower + width) are hot; the condition's number if there is one
  std::uint32_t width;
  std::int32_t missing;   ///< kMissingKey if missing values are hot, else a key that no row has
  bool has_condition;     ///< hot rows satisfy a CategoryCondition, not an interval
  std::int32_t previous;  ///< level of the previous edge; 0: not repeated
  double cold_ratio;      ///< u over the previous u, for rows that were cold before: the ratio of the z
  double leaf;            ///< value of the child, if it is a leaf
};

/// The constants of an edge lie in five arrays over the points, one after the other.
enum InteractionConstant : std::int64_t {
  kHotRatio,   ///< u, divided by the previous u of hot rows if the edge is repeated
  kColdRatio,  ///< the same for rows that are cold from here on
  kHotGain,    ///< gain of hot rows
  kHotStep,    ///< gain, less the previous gain of hot rows if the edge is repeated
  kColdStep,   ///< the same for rows that are cold from here on
  kNumConstants
};

/// The features above a split, besides its own, and the sums that the split adds to.
struct InteractionSplit {
  std::uint32_t level_begin;  ///< index into the levels of the lowest edge of each of those features
  std::uint32_t n_others;
  std::size_t sum_begin;  ///< index into the sets, in the order of ForEachSubset
};

enum class InteractionStep : std::uint8_t {
  kLeaf,  ///< a whole edge to a leaf
  kDown,  ///< an edge to a split, which comes next
  kUp,    ///< back over the edge of the last kDown that is still open
  kSplit  ///< the sums of a split whose edges are finished
};

struct InteractionTree {
  double mean = 0.0;            ///< expected leaf value
  double bound = 0.0;           ///< above every term of a set and the sum of a set's terms
  std::int32_t n_features = 0;  ///< largest number of distinct features on a path; 0: a single leaf
  std::int32_t n_levels = 0;    ///< 1 + the largest level of an edge to a split
  std::vector<InteractionStep> steps;
  std::vector<InteractionEdge> edges;    ///< in the order of kLeaf and kDown
  std::vector<InteractionSplit> splits;  ///< in the order of kSplit
  std::vector<std::uint32_t> levels;
  std::vector<std::uint32_t> sets;
  std::vector<double> constants;  ///< [edges, kNumConstants, points]
  std::vector<double> cold_gain;  ///< [points], the gain of cold rows at any edge
};

/// Immutable.
struct InteractionForest {
  InteractionIndex index;
  std::int32_t order;                  ///< largest size of a set: the order asked for, or the longest path
  std::vector<InteractionTree> trees;  ///< as in the forest
  std::vector<InteractionRule> rules;  ///< by n_features of a tree; empty for numbers that no tree has
  PathCategories categories;
  FeatureSets sets;

  bool IsUniform() const { return index != InteractionIndex::kStii && index != InteractionIndex::kFsii; }
};

/// Calls fn(chosen) for each set of at most `most` of the positions 0 .. n - 1, ascending: first the set `chosen`, then
/// all sets with one more position, then the sets that extend each of these.
template <typename Fn>
void ForEachSubset(std::uint32_t n, std::size_t most, std::vector<std::uint32_t>* chosen, Fn&& fn) {
  if (chosen->empty()) fn(*chosen);
  if (chosen->size() == most) return;
  auto const first = chosen->empty() ? 0U : chosen->back() + 1;
  for (auto next = first; next < n; ++next) {
    chosen->push_back(next);
    fn(*chosen);
    chosen->pop_back();
  }
  for (auto next = first; next < n; ++next) {
    chosen->push_back(next);
    ForEachSubset(n, most, chosen, fn);
    chosen->pop_back();
  }
}

/// Returns the units of 1 of each output, [n_outputs], for these trees (numbered within the forest): powers of two such
/// that terms and sums have room.
std::vector<double> SetScales(Forest const& forest, InteractionForest const& compiled, TreeRange trees);

/// Maximum number of sums of all splits together, and of distinct sets.
constexpr std::int64_t kMostSetSums = std::int64_t{1} << 28;
constexpr std::int64_t kMostSets = std::int64_t{1} << 24;

/// Compiles a forest. Time and memory are proportional to the sums: for each split the sets of up to order - 1 other
/// features above it. \throws Error(kParameter) if there are more than kMostSetSums or kMostSets; Error(kModel) as
/// Forest::LargestLeaf.
InteractionForest CompileInteractions(Forest const& forest, InteractionIndex index, std::int32_t max_order);

}  // namespace kauri
