/// \file Finds all splits that a tree of few rows may make, in one launch.
///
/// If rows are few, a level takes the device some microseconds but the host some tens of microseconds, to queue, wait
/// and decide. So one cluster of blocks of threads grows the whole tree, and the host reads the result once. Each block
/// has some of the features, with their codes in shared memory, and its own copy of the rows' nodes. Per level and
/// block:
///   1. Rows move to their children. Their gradient pairs are added to sums of the block's features in shared memory,
///      as limbs like in histogram/add_rows.h. The sums of all nodes that fit are made at a time.
///   2. A warp takes some bins of a feature of a node, drops those without rows, and finds the best split between the
///      others (split/feature_scan.cuh).
///   3. The blocks read each other's best splits. Each block decides for itself, but equally, which nodes get children.
/// The host decides as usual which of these splits the tree makes (FewRowsGrower): it may want fewer of them, never
/// more.
///
/// Cost of a level: for every row a gathered code, and for each of its features an addition of four limbs; for every
/// bin of a node that holds rows the arithmetic of a gain, 32 at a time; and some microseconds of waiting for memory
/// and for other blocks. Larger siblings are added up like smaller ones: keeping the parents' sums would cost more room
/// than it saves time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"
#include "cuda/hist/split/find_task.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// Maximum number of levels; deeper levels have more nodes than a byte can number.
constexpr std::int32_t kMostFewLevels = 8;
/// Maximum number of rows; the 16-bit limbs of this many rows add up to 32-bit words.
constexpr std::uint32_t kMostFewRows = 65536;
/// Maximum number of codes of a feature, because a code is a byte.
constexpr std::uint32_t kMostFewCodes = 256;

/// Use of a cluster's shared memory.
struct FewRowsShape {
  unsigned n_blocks = 0;           ///< 0: such trees cannot be grown
  std::uint32_t most_nodes = 0;    ///< of a level
  std::uint32_t most_own = 0;      ///< features of a block
  std::uint32_t most_codes = 0;    ///< of a feature
  std::uint32_t sums_at_once = 0;  ///< features of nodes whose sums fit into a block at a time
  std::size_t shared_bytes = 0;
};

constexpr std::uint32_t kNoFeature = 0xFFFFFFFFU;

/// The best split of a node.
struct FewRowsSplit {
  double loss_change;
  FixedSum left;
  std::uint32_t feature;  ///< kNoFeature: there is no split
  std::uint32_t first_right;
  std::uint32_t default_left;  ///< 0 or 1
};

struct FewRowsTask {
  FindTask find;  ///< settings of the search, with totals; its pairs, nodes and answers are unused
  CodeView codes;
  FeaturePlace const* places;  ///< [n_cols]
  FixedPair const* pairs;      ///< [n_rows]
  std::uint32_t n_rows;
  std::int32_t n_levels;
  float gamma;                ///< nodes with a smaller gain get no children
  FewRowsSplit* precomputed;  ///< (out) [2^n_levels - 1], page-locked: the children of place p have 2 p + 1 and 2 p + 2
  FewRowsShape shape;
};

/// Resources of a device for a tree.
struct ClusterRoom {
  unsigned n_blocks = 0;         ///< 0: the device has no clusters
  std::size_t shared_bytes = 0;  ///< per block
};
ClusterRoom RoomForFewRows(CudaContext const& cuda);

/// Returns the shape for trees of the task's levels, rows and features, none of which has more codes than `most_codes`.
FewRowsShape ShapeOfFewRows(ClusterRoom const& room, FewRowsTask const& task, std::uint32_t most_codes);

/// Asynchronous. `precomputed` is undefined at places that no node has.
void GrowFewRows(CudaContext const& cuda, FewRowsTask const& task);

/// Buffers of trees of few rows, kept from tree to tree. FewRowsGrower alone uses them: their contents are valid from
/// its Search until its tree is complete.
struct FewRowsState {
  /// Prepares for trees of these bins.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins);

  /// Returns whether some tree of the bins may be grown as one of few rows.
  bool Has() const { return most_codes > 0 && room.n_blocks > 0; }

  ClusterRoom room;                   ///< room of the device; set when bins of few rows are first taken
  std::uint32_t most_codes = 0;       ///< of a feature; 0: there are too many rows, or bins of another kind
  Upload of_tree;                     ///< features and totals
  PinnedBuffer<FewRowsSplit> answer;  ///< FewRowsTask::precomputed
};

}  // namespace kauri::cuda
