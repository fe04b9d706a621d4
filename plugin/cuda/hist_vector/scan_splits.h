/// \file Finds the best split of each of several nodes with vector leaves between the bins of its histogram.
/// Candidates, gains and ties are the same as in VectorSplitFinder (tree/hist_vector/vector_split.h); gains are added
/// up over the outputs in their order.
///
/// A block handles a feature of a pair of siblings:
/// 1. The histogram of the sibling whose rows were added up is completed at the feature's most frequent bin (bundles).
/// 2. The other sibling's histogram is the parent's minus that one, and is written in the parent's place.
/// 3. Each warp takes a run of the feature's bins in both histograms. First the sums of the runs are found, with one
///    lane per place. Then the warp scans its run, with one lane per bin, output after output. A lane keeps the gains
///    of its boundary, with the missing rows to the right and to the left.
///
/// Then a block handles a node: it finds the best of its features, which compete with their noise (tree/gain_noise.h),
/// and the sums left of that split for all outputs. Categorical features are only completed and subtracted; the host
/// searches them (category_sums.h).
///
/// Bytes per cell and sum of a pair: 24 to subtract, 16 to scan and 16 from the cache. Float64 operations per bin,
/// output, node and direction: about 12 and two divisions.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/gain_noise.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// A node of a pair.
struct ScannedNode {
  std::int64_t* histogram;  ///< [n_cells, n_sums]
  double gain;              ///< VectorGain of its sums
  std::int32_t allowed;  ///< index of its list of allowed features (ScanTask::allowed), or -1: all features of the tree
  std::uint32_t is_open;    ///< 0: it is not to be split
  std::uint64_t draw_key;   ///< key of ThresholdDraw, if thresholds are random
  std::uint64_t noise_key;  ///< key of GainNoise, if there is noise
};

/// Indices of two siblings among the nodes. large: -1, or a node whose histogram is still the parent's.
struct ScannedPair {
  std::int32_t small;
  std::int32_t large;
};

/// The best split at a feature; its loss change is 0 if there is none.
struct FoundSplit {
  double loss_change;
  float threshold;
  std::uint32_t first_right;  ///< the first bin on the right
  std::uint32_t default_left;
  double noise = 0.0;  ///< added to the loss change in comparisons
};

struct ScanTask {
  GainParam gain;             ///< for any output that is not free; its unit is not set
  GradientUnit const* units;  ///< [n_outputs]
  std::uint32_t n_outputs;
  std::uint32_t n_hessians;      ///< n_outputs, or one
  std::uint32_t n_sums;          ///< n_outputs + n_hessians, plus 1 if rows are counted
  GainNoise noise;               ///< for any node; its key is not set
  std::int64_t least_rows;       ///< minimum rows of a child; if more than 1, rows are counted
  bool draws;                    ///< use one random threshold per feature and node (tree/split_rules.h)
  double min_child_weight;       ///< minimum of the mean of the outputs' hessians
  FeatureCodes const* features;  ///< [n_cols]
  float const* cut_values;
  float const* min_values;                  ///< [n_cols]
  std::uint8_t const* is_categorical;       ///< [n_cols]; nullptr: there are no categorical features
  std::int8_t const* signs;                 ///< [n_cols], monotone constraints; nullptr: there are none
  float const* costs;                       ///< [n_cols], for AddCost; nullptr: there are none
  Span<std::uint32_t const> tree_features;  ///< features that the tree may use, ascending
  std::uint8_t const* allowed;              ///< [n_lists, n_tree_features]
  Span<ScannedPair const> pairs;
  Span<ScannedNode const> nodes;
  std::int64_t const* node_sums;     ///< [n_nodes, n_sums]
  WeightBounds const* bounds;        ///< [n_nodes, n_outputs]; nullptr: no monotone constraints
  std::uint8_t const* free_outputs;  ///< [n_outputs], as in TreePlace; nullptr: no output is free
  FoundSplit* found;                 ///< [n_nodes, n_tree_features], scratch
  SplitCandidate* best;              ///< (out) [n_nodes], without sums
  std::int64_t* left;                ///< (out) [n_nodes, n_sums]: sums left of the best split
};

/// Checks that the outputs fit into a block's shared memory. \throws Error(kParameter) otherwise. n_sums: as in
/// ScanTask.
void RequireRoomToScan(CudaContext const& cuda, std::int64_t n_outputs, std::int64_t n_sums);

/// Finds the splits of the task. All arrays are on the device, or page-locked. RequireRoomToScan must have succeeded.
void ScanSplits(CudaContext const& cuda, ScanTask const& task);

}  // namespace kauri::cuda
