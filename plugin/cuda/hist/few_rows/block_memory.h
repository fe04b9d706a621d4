/// \file The shared memory of a block that grows trees of few rows (grow_few_rows.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/hist/few_rows/grow_few_rows.h"
#include "cuda/hist/split/feature_scan.cuh"
#include "kauri/host_device.h"

namespace kauri::cuda::few_rows {

constexpr int kFewRowsThreads = 512;
constexpr std::uint32_t kFewRowsWarps = kFewRowsThreads / 32;
/// Node of a row that is not needed any more.
constexpr std::uint8_t kNoNode = 255;

/// A feature that the block handles.
struct OwnFeature {
  std::uint32_t feature;
  FeatureCodes codes;
  FeaturePlace place;
};

/// A node whose split is searched.
struct LevelNode {
  SearchedNode searched;
  std::uint32_t place;  ///< in the complete tree
};

/// The best split of a node, with everything that rows need to follow it.
struct FoundSplit {
  FewRowsSplit split;
  std::uint32_t n_bins;
  FeaturePlace place;
};

/// How rows leave a node: indices of the children among the nodes of the next level, or kNoNode.
struct LevelSplit {
  FoundSplit found;
  std::uint8_t left;
  std::uint8_t right;

  __device__ std::uint8_t ChildOf(std::uint32_t code) const {
    auto const& split = found.split;
    bool const goes_left = code >= found.n_bins ? split.default_left != 0 : code < split.first_right;
    return goes_left ? left : right;
  }
};

struct FewRowsMemory {
  FoundSplit* best;      ///< [2, most_nodes]: among the block's features; other blocks may still read the last level's
  LevelNode* nodes;      ///< [2, most_nodes]: the nodes of the last level make the next
  LevelSplit* splits;    ///< [most_nodes], of the level before: the best of all blocks
  FewRowsSplit* answer;  ///< [2 * most_nodes - 1]
  OwnFeature* features;  ///< [most_own]
  FixedSum* sums;        ///< [sums_at_once, most_codes]: as limbs while rows are added
  std::uint8_t* bins;    ///< [sums_at_once, most_codes]: bins of the sums that List keeps
  bin_scan::WarpBins* of_warps;        ///< [2, kFewRowsWarps]: other warps may still read the last turn's
  bin_scan::BinCandidate* candidates;  ///< [NumCandidates(sums_at_once)]
  std::uint8_t* node_of_row;           ///< [n_rows]
  std::uint8_t* codes;                 ///< [most_own, n_rows]

  /// Returns the number of candidates of n_sums sums at once; several warps may share one sum.
  KAURI_HD static std::uint32_t NumCandidates(std::uint32_t n_sums) {
    return n_sums < kFewRowsWarps ? kFewRowsWarps : n_sums;
  }

  /// Lays out the arrays in `base`, which may be null; returns their size in bytes.
  KAURI_HD std::size_t Lay(FewRowsShape const& shape, std::uint32_t n_rows, char* base) {
    std::size_t at = 0;
    auto const lay = [&](auto*& array, std::size_t size) {
      constexpr std::size_t kAlignment = 16;
      array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(base + at);
      at += (size * sizeof(*array) + kAlignment - 1) / kAlignment * kAlignment;
    };
    auto const n_cells = std::size_t{shape.sums_at_once} * shape.most_codes;
    lay(best, 2 * std::size_t{shape.most_nodes});
    lay(nodes, 2 * std::size_t{shape.most_nodes});
    lay(splits, shape.most_nodes);
    lay(answer, 2 * std::size_t{shape.most_nodes} - 1);
    lay(features, shape.most_own);
    lay(sums, n_cells);
    lay(bins, n_cells);
    lay(of_warps, 2 * std::size_t{kFewRowsWarps});
    lay(candidates, NumCandidates(shape.sums_at_once));
    lay(node_of_row, n_rows);
    lay(codes, std::size_t{shape.most_own} * n_rows);
    return at;
  }
};

}  // namespace kauri::cuda::few_rows
