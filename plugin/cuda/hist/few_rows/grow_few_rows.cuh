/// \file The work of one block of a cluster in a level (grow_few_rows.h), and the block's shared memory. All threads of
/// a block make the calls together.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/hist/few_rows/grow_few_rows.h"
#include "cuda/hist/histogram/shared_sums.cuh"
#include "cuda/hist/split/feature_scan.cuh"
#include "cuda/hist/split/node_feature.cuh"
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

/// Bins that hold rows, for a feature in a node.
struct ListedBins {
  FixedSum const* sums;
  std::uint8_t const* bins;
  std::uint32_t count;

  __device__ std::uint32_t Count() const { return count; }
  __device__ std::uint32_t Bin(std::uint32_t i) const { return bins[i]; }
  __device__ FixedSum Sum(std::uint32_t i) const { return sums[i]; }
};

/// A warp's part of a feature's bins in a node.
struct WarpPart {
  std::uint32_t sums;  ///< index of the feature and node
  std::uint32_t part;  ///< out of n_parts
  std::uint32_t first_bin;
  std::uint32_t n_bins;
  bool is_there;
};

/// Handles the features of one block: every n_blocks-th feature of the tree, from the block's rank on.
class BlockOfFewRows {
 public:
  __device__ BlockOfFewRows(FewRowsTask const& task, std::uint32_t rank, char* memory)
      : task_(task), gain_(WithUnit(task.find.gain, task.find.totals)), rank_(rank) {
    memory_.Lay(task.shape, task.n_rows, memory);
    auto const n_features = static_cast<std::uint32_t>(task.find.tree_features.size());
    n_own_ = rank < n_features ? (n_features - rank - 1) / task.shape.n_blocks + 1 : 0;
  }

  __device__ FewRowsMemory const& Memory() const { return memory_; }
  __device__ GainParam const& Gain() const { return gain_; }

  /// Puts all rows into the root.
  __device__ void Begin() {
    for (auto own = threadIdx.x; own < n_own_; own += kFewRowsThreads) {
      auto const feature = task_.find.tree_features.data()[rank_ + own * task_.shape.n_blocks];
      memory_.features[own] = {feature, task_.find.features[feature], task_.places[feature]};
    }
    if (threadIdx.x == 0) {
      FixedSum const sum = task_.find.totals->sum;
      memory_.nodes[0] = {{sum, NodeGain(sum, gain_, {}), {}, -1, 0}, 0};
    }
    __syncthreads();
    for (auto row = threadIdx.x; row < task_.n_rows; row += kFewRowsThreads) {
      memory_.node_of_row[row] = 0;
      for (std::uint32_t own = 0; own < n_own_; ++own) {
        // A row without a code of the feature gets code 255, which the feature does not have: a feature with 256 codes
        // has a column of bytes to itself, where every row has a code.
        auto const code = min(CodeOf(task_.codes, memory_.features[own].place, row), kMostFewCodes - 1);
        memory_.codes[own * task_.n_rows + row] = static_cast<std::uint8_t>(code);
      }
    }
    __syncthreads();
  }

  /// Fills best[] of the nodes. moves: the rows are still in the nodes of the level before.
  __device__ void FindBest(LevelNode const* of_level, std::uint32_t n_nodes, bool moves, FoundSplit* best) {
    auto const at_once = n_own_ == 0 ? n_nodes : task_.shape.sums_at_once / n_own_;
    for (std::uint32_t first = 0; first < n_nodes; first += at_once) {
      std::uint32_t const count = min(at_once, n_nodes - first);
      LevelNode const* const nodes = of_level + first;
      Clear(count * n_own_);
      __syncthreads();
      AddRows(first, count, moves && first == 0);
      __syncthreads();
      auto const n_parts = NumParts(count * n_own_);
      for (std::uint32_t turn = 0; turn * kFewRowsWarps < count * n_own_ * n_parts; ++turn) {
        WarpPart const part = PartOf(turn * kFewRowsWarps + threadIdx.x / 32, count * n_own_, n_parts);
        Search(nodes, part, n_parts, memory_.of_warps + turn % 2 * kFewRowsWarps);
      }
      __syncthreads();
      for (auto node = threadIdx.x / 32; node < count; node += kFewRowsWarps)
        KeepBest(node, n_parts, best + first + node);
    }
  }

 private:
  /// Returns the number of parts of each feature's bins in each node: more than one if there are too few sums to keep
  /// all warps busy.
  __device__ static std::uint32_t NumParts(std::uint32_t n_sums) {
    constexpr std::uint32_t kMostParts = kMostFewCodes / 32;
    std::uint32_t n_parts = kMostParts;
    while (n_parts > 1 && n_parts * n_sums > kFewRowsWarps) n_parts /= 2;
    return n_parts;
  }

  __device__ WarpPart PartOf(std::uint32_t index, std::uint32_t n_sums, std::uint32_t n_parts) const {
    WarpPart part{index / n_parts, index % n_parts, 0, 0, index < n_sums * n_parts};
    if (!part.is_there) return part;
    bin_scan::BinsOfPart const bins(FeatureOf(part.sums).codes.n_bins, part.part, n_parts);
    part.first_bin = bins.first;
    part.n_bins = bins.count;
    return part;
  }

  __device__ OwnFeature const& FeatureOf(std::uint32_t sums) const { return memory_.features[sums % n_own_]; }

  __device__ void Clear(std::uint32_t n_sums) {
    auto* const fours = reinterpret_cast<uint4*>(memory_.sums);
    for (auto i = threadIdx.x; i < n_sums * task_.shape.most_codes; i += kFewRowsThreads) fours[i] = {0, 0, 0, 0};
  }

  /// Some rows of a thread, whose loads are in flight at the same time.
  struct RowBatch {
    static constexpr std::uint32_t kSize = 4;
    std::uint32_t first;
    std::uint32_t nodes[kSize];

    __device__ std::uint32_t Row(std::uint32_t i) const { return first + i * kFewRowsThreads; }
  };

  /// Finds the nodes of the rows. If `moves`, first moves the rows on from the level before.
  __device__ void FindNodes(bool moves, RowBatch* batch) {
    std::uint32_t codes[RowBatch::kSize];
#pragma unroll
    for (std::uint32_t i = 0; i < RowBatch::kSize; ++i) {
      batch->nodes[i] = batch->Row(i) < task_.n_rows ? memory_.node_of_row[batch->Row(i)] : kNoNode;
      if (batch->nodes[i] == kNoNode || !moves) continue;
      codes[i] = CodeOf(task_.codes, memory_.splits[batch->nodes[i]].found.place, batch->Row(i));
    }
    if (!moves) return;
#pragma unroll
    for (std::uint32_t i = 0; i < RowBatch::kSize; ++i) {
      if (batch->nodes[i] == kNoNode) continue;
      batch->nodes[i] = memory_.splits[batch->nodes[i]].ChildOf(codes[i]);
      memory_.node_of_row[batch->Row(i)] = static_cast<std::uint8_t>(batch->nodes[i]);
    }
  }

  __device__ void AddRows(std::uint32_t first, std::uint32_t count, bool moves) {
    if (n_own_ == 0) return;
    for (RowBatch batch{threadIdx.x, {}}; batch.first < task_.n_rows;
         batch.first += RowBatch::kSize * kFewRowsThreads) {
      FixedPair pairs[RowBatch::kSize];
#pragma unroll
      for (std::uint32_t i = 0; i < RowBatch::kSize; ++i) {
        if (batch.Row(i) < task_.n_rows) pairs[i] = task_.pairs[batch.Row(i)];
      }
      FindNodes(moves, &batch);
#pragma unroll
      for (std::uint32_t i = 0; i < RowBatch::kSize; ++i) {
        if (batch.nodes[i] - first >= count || (pairs[i].gradient == 0 && pairs[i].hessian == 0)) continue;
        AddRow(batch.Row(i), pairs[i], batch.nodes[i] - first);
      }
    }
  }

  /// Returns the place of a limb in its bin. A bin has four limbs side by side, in an order that spreads equal limbs of
  /// different codes over all banks.
  __device__ static std::uint32_t PlaceOfLimb(std::uint32_t limb, std::uint32_t code) {
    return (limb + code / 8) % kLimbs;
  }

  __device__ void AddRow(std::uint32_t row, FixedPair pair, std::uint32_t node) {
    PairLimbs const limbs(pair);
    for (std::uint32_t own = 0; own < n_own_; ++own) {
      std::uint32_t const code = memory_.codes[own * task_.n_rows + row];
      if (code >= memory_.features[own].place.n_codes) continue;
      auto* const cell =
          reinterpret_cast<std::uint32_t*>(memory_.sums + (node * n_own_ + own) * task_.shape.most_codes + code);
#pragma unroll
      for (std::uint32_t limb = 0; limb < kLimbs; ++limb) atomicAdd(cell + PlaceOfLimb(limb, code), limbs.words[limb]);
    }
  }

  __device__ FixedSum SumOf(std::uint32_t sums, std::uint32_t code) const {
    auto const* const cell =
        reinterpret_cast<std::uint32_t const*>(memory_.sums + sums * task_.shape.most_codes + code);
    std::uint32_t limbs[kLimbs];
#pragma unroll
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) limbs[limb] = cell[PlaceOfLimb(limb, code)];
    return JoinedLimbs(limbs);
  }

  /// Keeps only the bins of the part that hold rows, in place. No bin is written over one that is not read yet.
  __device__ ListedBins List(WarpPart const& part) {
    std::uint32_t const first = part.sums * task_.shape.most_codes + part.first_bin;
    std::uint32_t count = 0;
#pragma unroll 1
    for (std::uint32_t turn = 0; turn < part.n_bins; turn += 32) {
      std::uint32_t const bin = part.first_bin + turn + bin_scan::Lane();
      FixedSum sum;
      if (turn + bin_scan::Lane() < part.n_bins) sum = SumOf(part.sums, bin);
      bool const holds_rows = !(sum == FixedSum{});
      unsigned const holding = __ballot_sync(bin_scan::kAllLanes, holds_rows);
      __syncwarp();  // all lanes have read what is overwritten now
      std::uint32_t const place = first + count + __popc(holding & ((1U << bin_scan::Lane()) - 1U));
      if (holds_rows) {
        memory_.sums[place] = sum;
        memory_.bins[place] = static_cast<std::uint8_t>(bin);
      }
      count += __popc(holding);
      __syncwarp();
    }
    return {memory_.sums + first, memory_.bins + first, count};
  }

  /// Finds the best split between the bins of a warp's part. Needs the sums of the other parts.
  __device__ void Search(LevelNode const* nodes, WarpPart const& part, std::uint32_t n_parts,
                         bin_scan::WarpBins* of_warps) {
    OwnFeature const& own = FeatureOf(part.sums);
    SearchedNode const& node = nodes[part.is_there ? part.sums / n_own_ : 0].searched;
    bin_scan::FeatureScan<ListedBins> const scan{task_.find, gain_, own.codes, node, 0, node.gain, List(part)};
    bin_scan::WarpBins mine;
    auto bins = scan.Divide(&mine);
    bin_scan::WarpBins all = mine;
    if (n_parts > 1) {
      if (bin_scan::Lane() == 0) of_warps[threadIdx.x / 32] = mine;
      __syncthreads();
      auto const* const of_parts = of_warps + threadIdx.x / 32 - part.part;
      all = bin_scan::AddOtherParts(of_parts, part.part, n_parts, &bins);
    }
    if (!part.is_there) return;
    // With one or two bins a lane, rough gains (FeatureScan::Screened) would only add work.
    auto const best = bin_scan::WarpBest(scan.Exact(bins, scan.Missing(all.sum)));
    if (bin_scan::Lane() == 0) memory_.candidates[part.sums * n_parts + part.part] = best;
  }

  /// Keeps the best candidate of all features and parts. Called by a warp. Candidates come in the order of the
  /// features' numbers; among equal losses of a feature, the least order wins.
  __device__ void KeepBest(std::uint32_t node, std::uint32_t n_parts, FoundSplit* kept) {
    std::uint32_t const n_candidates = n_own_ * n_parts;
    auto const* const candidates = memory_.candidates + node * n_candidates;
    double loss_change = 0.0;
    std::uint64_t rank = ~std::uint64_t{0};  // the least wins among equal losses
    std::uint32_t index = 0;
    auto const keep = [&](double other, std::uint64_t other_rank, std::uint32_t other_index) {
      if (!(other > loss_change) && !(other == loss_change && other_rank < rank)) return;
      loss_change = other;
      rank = other_rank;
      index = other_index;
    };
    for (auto i = bin_scan::Lane(); i < n_candidates; i += 32) {
      keep(candidates[i].loss_change, std::uint64_t{i / n_parts} << 32U | candidates[i].order, i);
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      double const other = __shfl_xor_sync(bin_scan::kAllLanes, loss_change, step);
      std::uint64_t const other_rank = __shfl_xor_sync(bin_scan::kAllLanes, rank, step);
      keep(other, other_rank, __shfl_xor_sync(bin_scan::kAllLanes, index, step));
    }
    if (bin_scan::Lane() != 0) return;
    bool const is_found = n_candidates > 0 && candidates[index].order != bin_scan::BinCandidate::kNone;
    *kept = is_found ? Describe(candidates[index], memory_.features[index / n_parts]) : NothingFound();
  }

  __device__ static FoundSplit NothingFound() {
    FoundSplit found{};
    found.split.feature = kNoFeature;
    return found;
  }
  __device__ static FoundSplit Describe(bin_scan::BinCandidate const& best, OwnFeature const& own) {
    bool const default_left = best.order >= bin_scan::BinCandidate::kDown;
    return {{best.loss_change, best.left, own.feature, FirstRightOf(best.order), default_left ? 1U : 0U},
            own.codes.n_bins,
            own.place};
  }

  FewRowsTask const& task_;
  GainParam gain_;
  std::uint32_t rank_;
  std::uint32_t n_own_;  ///< number of features of the block
  FewRowsMemory memory_{};
};

}  // namespace kauri::cuda::few_rows
