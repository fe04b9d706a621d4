/// \file The best split of each of several nodes with vector leaves between the bins of its histogram: the candidates,
/// gains and ties of VectorSplitFinder (tree/hist_vector/vector_split.h), gains added up over the outputs in their
/// order.
///
/// A block takes a feature of a pair of siblings:
/// 1. The histogram of the one whose rows were added up is completed at the feature's usual code (bundles).
/// 2. The other's is the parent's less that one, in the parent's place.
/// 3. A warp takes a run of the feature's bins, in both histograms: first the sums of the runs are found, a lane a
///    place; then the warp scans its run, a lane a bin, output after output. A lane keeps the gains of its boundary,
///    with the missing rows to the right and to the left.
/// Then a block takes a node: the best of its features, which compete with their noise (tree/gain_noise.h), and the
/// sums left of that split for all outputs. Categorical features are only completed and subtracted; the host searches
/// them (category_sums.h).
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
  std::int32_t allowed;     ///< which list of features it may use (ScanTask::allowed), or -1: all of the tree's
  std::uint32_t is_open;    ///< 0: it is not to be split
  std::uint64_t draw_key;   ///< of ThresholdDraw, where thresholds are drawn
  std::uint64_t noise_key;  ///< of GainNoise, where there is noise
};

/// Their indices among the nodes; large: -1, or a node whose histogram is still the parent's.
struct ScannedPair {
  std::int32_t small;
  std::int32_t large;
};

/// The best split at a feature. Its loss change is 0 where there is none.
struct FoundSplit {
  double loss_change;
  float threshold;
  std::uint32_t first_right;  ///< the first bin on the right
  std::uint32_t default_left;
  double noise = 0.0;  ///< that it competes with
};

struct ScanTask {
  GainParam gain;             ///< of any output, but for the unit
  GradientUnit const* units;  ///< [n_outputs]
  std::uint32_t n_outputs;
  std::uint32_t n_hessians;      ///< n_outputs, or one
  std::uint32_t n_sums;          ///< n_outputs, n_hessians and, where rows are counted, their number
  GainNoise noise;               ///< in any node, but for the key
  std::int64_t least_rows;       ///< that a child must have; more than 1: rows are counted
  bool draws;                    ///< one threshold of each feature and node (tree/threshold_draw.h)
  double min_child_weight;       ///< that the mean of the outputs' hessians must reach
  FeatureCodes const* features;  ///< of all columns
  float const* cut_values;
  float const* min_values;                  ///< [n_cols]
  std::uint8_t const* is_categorical;       ///< [n_cols]; nullptr: none is
  std::int8_t const* signs;                 ///< [n_cols], monotone constraints; nullptr: none
  float const* costs;                       ///< [n_cols], of AddCost; nullptr: none
  Span<std::uint32_t const> tree_features;  ///< ascending: what the tree may use
  std::uint8_t const* allowed;              ///< [n_lists, n_tree_features]
  Span<ScannedPair const> pairs;
  Span<ScannedNode const> nodes;
  std::int64_t const* node_sums;  ///< [n_nodes, n_sums]
  WeightBounds const* bounds;     ///< [n_nodes, n_outputs]; nullptr: no monotone constraints
  FoundSplit* found;              ///< [n_nodes, n_tree_features], scratch
  SplitCandidate* best;           ///< (out) [n_nodes], without sums
  std::int64_t* left;             ///< (out) [n_nodes, n_sums]: left of the best split
};

/// \throws Error(kParameter) for more outputs than a block of threads has room for; n_sums as in ScanTask.
void RequireRoomToScan(CudaContext const& cuda, std::int64_t n_outputs, std::int64_t n_sums);

/// All arrays are on the device, or page-locked. There is room to scan.
void ScanSplits(CudaContext const& cuda, ScanTask const& task);

}  // namespace kauri::cuda
