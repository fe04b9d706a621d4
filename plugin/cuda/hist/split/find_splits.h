/// \file Finds the best split of each of several nodes between the bins of its histogram.
///
/// One warp handles a feature of a pair of siblings. If there are few pairs, several warps do, each with a part of the
/// bins:
/// 1. The histogram of the sibling whose rows were added up is completed at the feature's most frequent bin (bundles).
/// 2. The other sibling's histogram is the parent's minus that one, and is written in the parent's place.
/// 3. A scan over the bins of each sibling gives the sums left of every boundary. Its lanes compute gains by the shared
///    formulas (tree/split_gain.h), with the missing rows to the right and to the left. The candidates equal those
///    found by BinSplitFinder (tree/histogram/bin_split.h): an empty bin's candidate equals a neighbour's, to which it
///    loses.
///
/// Best splits are found per node and block of features; the host chooses among them (IsBetter). Categorical features
/// are only completed and subtracted; the host searches them. Bytes per bin of a pair: 48; of a node without sibling:
/// 16. Float64 operations per bin, node and direction: about 12 and two divisions. If splits have requirements besides
/// their gain (limited_scan.cuh), row counts are completed and subtracted like sums. With noise on gains
/// (tree/gain_noise.h), the features of a node compete by gain plus noise, on the device as on the host.
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

/// A node whose best split is searched.
struct SearchedNode {
  FixedSum sum;
  double gain;  ///< NodeGain(sum)
  WeightBounds bounds;
  std::int32_t allowed;  ///< index of its list of allowed features (FindTask::allowed), or -1: all features of the tree
  std::uint64_t draw_key = 0;  ///< key of ThresholdDraw, if thresholds are random
};

/// A node whose rows were added up, and its sibling.
struct SearchedPair {
  FixedSum* small;          ///< [n_sums]; nullptr: nothing is searched
  FixedSum* large;          ///< the parent's, which becomes the larger sibling's; nullptr: no sibling
  FixedSum small_sum;       ///< sum over all rows of the smaller node
  std::int32_t small_node;  ///< index among the nodes, or -1: it is not to be split
  std::int32_t large_node;
};

/// Requirements on all splits besides their gain (SplitLimits).
struct FindLimits {
  bool draws = false;                     ///< use random thresholds, by the nodes' keys
  std::int64_t least_rows = 0;            ///< minimum rows of a child; if more than 1, rows are counted
  std::uint32_t counts_at = 0;            ///< offset from a histogram's sum to its row count, if rows are counted
  HistogramNode const* rows = nullptr;    ///< [n_pairs]: nodes whose rows were added up
  std::uint32_t const* n_left = nullptr;  ///< counts from which their numbers of rows follow (NumRowsOf)

  KAURI_HD bool IsOn() const { return draws || least_rows > 1; }
};

/// Noise of random_strength in the nodes (GainNoise).
struct FindNoise {
  double deviation = 0.0;               ///< 0: no noise
  float least = 0.0F;                   ///< minimum gain of a split that is made
  std::uint64_t const* keys = nullptr;  ///< [n_nodes]

  KAURI_HD bool IsOn() const { return deviation > 0.0; }
  KAURI_HD GainNoise Of(std::int32_t node) const { return {deviation, keys[node], least}; }
};

/// Maximum number of codes of a feature that one thread searches.
constexpr std::uint32_t kNarrowCodes = 4;

/// Places of features among the tree's features, ascending. Each narrow feature, such as a one-hot column, is searched
/// by one thread, since a warp would use only one lane. All others are wide. If both lists are empty, all features are
/// wide.
struct FeaturesByWidth {
  Span<std::uint32_t const> narrow;
  Span<std::uint32_t const> wide;
};

struct FindTask {
  GainParam gain;
  PairTotals const* totals = nullptr;  ///< of each tree, if `gain` does not include their units; otherwise nullptr
  std::uint32_t pairs_of_tree = 1;     ///< used with `totals`
  FeatureCodes const* features;        ///< [n_cols]
  float const* cut_values;
  float const* min_values;                  ///< [n_cols]
  std::uint8_t const* is_categorical;       ///< [n_cols]; nullptr: there are no categorical features
  std::int8_t const* signs;                 ///< [n_cols], monotone constraints; nullptr: there are none
  float const* costs;                       ///< [n_cols], for AddCost; nullptr: there are none
  Span<std::uint32_t const> tree_features;  ///< features that the tree may use, ascending
  FeaturesByWidth by_width = {};            ///< used if neither limits nor noise are on
  std::uint8_t const* allowed;              ///< [n_lists, n_tree_features]
  Span<SearchedPair const> pairs;
  SearchedNode const* nodes;
  SplitCandidate* best;              ///< (out) [n_nodes, NumFeatureBlocks(*this, n_pairs)]
  Span<std::uint32_t const> n_left;  ///< counts to copy to `n_left_out`, which saves a separate copy
  std::uint32_t* n_left_out;
  FindLimits limits = {};
  FindNoise noise = {};

  KAURI_HD bool IsPlain() const { return !limits.IsOn() && !noise.IsOn(); }
  /// Returns the gain parameters with the unit of the pair's tree.
  KAURI_HD GainParam GainOf(std::uint32_t pair) const {
    return WithUnit(gain, totals == nullptr ? nullptr : totals + pair / pairs_of_tree);
  }
};

/// Returns the settings of a search that depend on the bins alone.
inline FindTask FindTaskOf(DeviceBins const& bins, GainParam const& gain) {
  FindTask find{};
  find.gain = gain;
  find.features = bins.device_features.data();
  find.cut_values = bins.cut_values.data();
  find.min_values = bins.min_values.data();
  find.is_categorical = bins.device_is_categorical.data();
  return find;
}

/// Returns whether some features are searched by one thread each.
KAURI_HD bool HasNarrow(FindTask const& task) { return task.IsPlain() && !task.by_width.narrow.empty(); }

/// Returns the number of the tree's features that are searched by warps.
KAURI_HD std::uint32_t NumWide(FindTask const& task) {
  auto const n = HasNarrow(task) ? task.by_width.wide.size() : task.tree_features.size();
  return static_cast<std::uint32_t>(n);
}

/// Numbers of feature blocks, each of which writes a best split per node. Few pairs are spread over several blocks.
struct FeatureBlocks {
  std::uint32_t narrow = 0;
  std::uint32_t wide = 0;

  KAURI_HD std::uint32_t All() const { return narrow + wide; }
};
/// Returns the numbers of blocks for n_pairs pairs.
FeatureBlocks NumFeatureBlocks(FindTask const& task, std::size_t n_pairs);

/// Finds the splits of the task. All arrays are on the device, or page-locked.
void FindSplits(CudaContext const& cuda, FindTask const& task);

}  // namespace kauri::cuda
