/// \file All splits that a tree of few rows may make, in one launch.
///
/// Of few rows a level takes the device some microseconds and the host some tens: to ask, to wait and to decide. So one
/// cluster of blocks of threads grows the whole tree, and the host reads once what it found. Each block has some of the
/// features, with their codes in shared memory, and a copy of where the rows are. Per level and block:
///   1. Rows go to their children. Their pairs are added to sums of the block's features in shared memory, node by
///      node, as many nodes at a time as have room; in limbs, as histogram/add_rows.h has it.
///   2. A warp takes some bins of a feature of a node, throws out those without rows, and finds the best split between
///      the others (split/feature_scan.cuh).
///   3. The blocks read each other's best splits, and each decides by itself, but alike, which nodes get children.
/// Which of these splits the tree makes is decided by the host, as ever (FewRowsGrower): it may want fewer of
/// them, never more.
///
/// What a level costs: of every row a gathered code, and of each of its features an addition of four limbs; of every
/// bin of a node that holds rows the arithmetic of a gain, 32 at a time; and some microseconds of waiting for memory
/// and for each other. Larger siblings are added up like smaller ones: parents' sums would take more room than time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"
#include "cuda/hist/split/find_splits.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// More levels have more nodes than a byte can name.
constexpr std::int32_t kMostFewLevels = 8;
/// Limbs of 16 bits of so many rows fit into words of 32.
constexpr std::uint32_t kMostFewRows = 65536;
/// Of a feature: a code is a byte.
constexpr std::uint32_t kMostFewCodes = 256;

/// How a cluster's shared memory is used.
struct FewRowsShape {
  unsigned n_blocks = 0;           ///< 0: such trees cannot be grown
  std::uint32_t most_nodes = 0;    ///< of a level
  std::uint32_t most_own = 0;      ///< features of a block
  std::uint32_t most_codes = 0;    ///< of a feature
  std::uint32_t sums_at_once = 0;  ///< features of nodes whose sums have a place in a block
  std::size_t shared_bytes = 0;
};

constexpr std::uint32_t kNoFeature = 0xFFFFFFFFU;

/// The best split of a node.
struct FewRowsSplit {
  double loss_change;
  FixedSum left;
  std::uint32_t feature;  ///< kNoFeature: there is none
  std::uint32_t first_right;
  std::uint32_t default_left;  ///< 0 or 1
};

struct FewRowsTask {
  FindTask find;  ///< what is asked of splits, with totals; its pairs, nodes and answers are unused
  CodeView codes;
  FeaturePlace const* places;  ///< [n_cols]
  FixedPair const* pairs;      ///< [n_rows]
  std::uint32_t n_rows;
  std::int32_t n_levels;
  float gamma;          ///< nodes that gain less get no children
  FewRowsSplit* found;  ///< (out) [2^n_levels - 1], page-locked: the children of place p have 2 p + 1 and 2 p + 2
  FewRowsShape shape;
};

/// What a device has for a tree.
struct ClusterRoom {
  unsigned n_blocks = 0;         ///< 0: it has no clusters
  std::size_t shared_bytes = 0;  ///< of a block
};
ClusterRoom RoomForFewRows(CudaContext const& cuda);

/// For trees of the task's levels, rows and features, none of which has more codes than `most_codes`.
FewRowsShape ShapeOfFewRows(ClusterRoom const& room, FewRowsTask const& task, std::uint32_t most_codes);

/// Asynchronous. What is found of places that no node has is left as it was.
void GrowFewRows(CudaContext const& cuda, FewRowsTask const& task);

}  // namespace kauri::cuda
