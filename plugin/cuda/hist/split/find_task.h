/// \file The task of a split search (find_splits.h): nodes, requirements, and the features of a tree. TreeFeatures has
/// the features that the tree may use, and those among them that are searched by one thread each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/pinned_buffer.h"
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

/// Appends the list of features that a node may use, as flags for the features of the tree, and returns its index; -1,
/// without a list, if the node may use all features of the tree. allowed: [n_lists, n_tree_features].
std::int32_t AddAllowed(std::vector<std::uint32_t> const& of_node, std::vector<std::uint32_t> const& of_tree,
                        std::vector<std::uint8_t>* allowed);

class TreeFeatures {
 public:
  /// Adds the features to a request. features: ascending.
  void AddTo(Upload* upload, DeviceBins const& bins, std::vector<std::uint32_t> const& features);
  /// Sets the features of the task, once the request is sent.
  void PutInto(Upload const& upload, FindTask* task) const;

 private:
  struct Array {
    std::size_t place = 0;  ///< place in the request
    std::size_t size = 0;

    Span<std::uint32_t const> In(Upload const& upload) const { return {upload.At<std::uint32_t>(place), size}; }
  };

  static Array Add(Upload* upload, std::vector<std::uint32_t> const& values) {
    return {upload->Add(values), values.size()};
  }

  Array features_;
  Array narrow_;
  Array wide_;
};

}  // namespace kauri::cuda
