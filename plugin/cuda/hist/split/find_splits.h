/// \file The best split of each of several nodes between the bins of its histogram.
///
/// A warp takes a feature of a pair of siblings, or, where pairs are few, several do, and each a part of its bins:
/// 1. The histogram of the one whose rows were added up is completed at the feature's usual code (bundles).
/// 2. The other's is the parent's less that one, in the parent's place.
/// 3. A scan over the bins of each gives the sums left of every boundary; its lanes compute gains by the shared
///    formulas (tree/split_gain.h), with the missing rows to the right and to the left. The candidates are those of
///    BinSplitFinder (tree/histogram/bin_split.h): an empty bin's equal a neighbour's, to which they lose.
/// Best splits are found per node and block of features; the host has the last word (IsBetter). Categorical features
/// are only completed and subtracted; the host searches them. Bytes per cell of a pair: 48, of a node without
/// sibling 16. Float64 operations per bin, node and direction: about 12 and two divisions. Where more is asked of
/// splits than what they gain (limited_scan.cuh), counts of rows are completed and subtracted as sums are. With noise
/// on gains (tree/gain_noise.h) the features of a node compete by what these and their noise add up to, here as at the
/// host.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/tree/tree_totals.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"
#include "tree/gain_noise.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// A node whose best split is looked for.
struct SearchedNode {
  FixedSum sum;
  double gain;  ///< NodeGain(sum)
  WeightBounds bounds;
  std::int32_t allowed;        ///< which list of features it may use (FindTask::allowed), or -1: all of the tree's
  std::uint64_t draw_key = 0;  ///< of ThresholdDraw, where thresholds are drawn
};

/// A node whose rows were added up, and its sibling.
struct SearchedPair {
  FixedSum* small;          ///< [n_sums]; nullptr: nothing is looked for
  FixedSum* large;          ///< the parent's, which becomes the sibling's; nullptr: no sibling
  FixedSum small_sum;       ///< of all rows of the node of `small`
  std::int32_t small_node;  ///< its index among the nodes, or -1: it is not to be split
  std::int32_t large_node;
};

/// What is asked of all splits besides what they gain (SplitLimits).
struct FindLimits {
  bool draws = false;                     ///< thresholds, by the nodes' keys
  std::int64_t least_rows = 0;            ///< of a child; more than 1: rows are counted
  std::uint32_t counts_at = 0;            ///< from a sum of a histogram to its count, where rows are counted
  HistogramNode const* rows = nullptr;    ///< [n_pairs]: of the nodes whose rows were added up
  std::uint32_t const* n_left = nullptr;  ///< what their numbers of rows follow from (NumRowsOf)

  KAURI_HD bool IsOn() const { return draws || least_rows > 1; }
};

/// The noise of random_strength in the nodes (GainNoise).
struct FindNoise {
  double deviation = 0.0;               ///< 0: none
  float least = 0.0F;                   ///< what a split must gain to be made
  std::uint64_t const* keys = nullptr;  ///< [n_nodes]

  KAURI_HD bool IsOn() const { return deviation > 0.0; }
  KAURI_HD GainNoise Of(std::int32_t node) const { return {deviation, keys[node], least}; }
};

/// Codes of a feature that one thread searches.
constexpr std::uint32_t kNarrowCodes = 4;

/// Places of features among those of the tree, ascending: of those that a thread has for itself, as one-hot columns,
/// which a warp would search with one lane, and of the others. Both empty: all are others.
struct FeaturesByWidth {
  Span<std::uint32_t const> narrow;
  Span<std::uint32_t const> wide;
};

struct FindTask {
  GainParam gain;
  PairTotals const* totals = nullptr;  ///< of each tree, where their units are not in `gain` yet
  std::uint32_t pairs_of_tree = 1;     ///< read with `totals`
  FeatureCodes const* features;        ///< of all columns
  float const* cut_values;
  float const* min_values;                  ///< [n_cols]
  std::uint8_t const* is_categorical;       ///< [n_cols]; nullptr: none is
  std::int8_t const* signs;                 ///< [n_cols], monotone constraints; nullptr: none
  float const* costs;                       ///< [n_cols], of AddCost; nullptr: none
  Span<std::uint32_t const> tree_features;  ///< ascending: what the tree may use
  FeaturesByWidth by_width = {};            ///< read where neither limits nor noise hold
  std::uint8_t const* allowed;              ///< [n_lists, n_tree_features]
  Span<SearchedPair const> pairs;
  SearchedNode const* nodes;
  SplitCandidate* best;              ///< (out) [n_nodes, NumFeatureBlocks(*this, n_pairs)]
  Span<std::uint32_t const> n_left;  ///< numbers to copy to `n_left_out`, so that no copy is a call of its own
  std::uint32_t* n_left_out;
  FindLimits limits = {};
  FindNoise noise = {};

  KAURI_HD bool IsPlain() const { return !limits.IsOn() && !noise.IsOn(); }
  /// With the unit of the tree that a pair is of.
  KAURI_HD GainParam GainOf(std::uint32_t pair) const {
    return WithUnit(gain, totals == nullptr ? nullptr : totals + pair / pairs_of_tree);
  }
};

/// Whether some features are searched by a thread each.
KAURI_HD bool HasNarrow(FindTask const& task) { return task.IsPlain() && !task.by_width.narrow.empty(); }

/// Of those of the tree, the features that are searched by bins.
KAURI_HD std::uint32_t NumWide(FindTask const& task) {
  auto const n = HasNarrow(task) ? task.by_width.wide.size() : task.tree_features.size();
  return static_cast<std::uint32_t>(n);
}

/// Blocks of features that have a best split of a node each: few pairs are spread over several.
struct FeatureBlocks {
  std::uint32_t narrow = 0;
  std::uint32_t wide = 0;

  KAURI_HD std::uint32_t All() const { return narrow + wide; }
};
/// For so many pairs.
FeatureBlocks NumFeatureBlocks(FindTask const& task, std::size_t n_pairs);

/// All arrays are on the device, or page-locked.
void FindSplits(CudaContext const& cuda, FindTask const& task);

}  // namespace kauri::cuda
