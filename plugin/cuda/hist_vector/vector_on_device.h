/// \file Everything that trees with vector leaves keep in device memory for one data set.
///
/// Histograms of nodes are [n_cells, n_sums] words each; they are lent as zeros, and taken back. They are stored as
/// pairs of words, like the histograms of trees with scalar leaves, so that the same code keeps them and adds them up
/// over devices. A last word without a partner stays zero.
///
/// A shard of rows (VectorShard) adds up rows of the tree's gradient table (hist/shards/sum_shard.h). The main device
/// makes the table; a shard copies its rows of it, 4 bytes for each sum and row of a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/device_histograms.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shards/shard_rows.h"
#include "cuda/hist/shards/sum_shard.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/device_table.h"
#include "cuda/hist_vector/scan_splits.h"
#include "kauri/gradient.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

static_assert(sizeof(FixedSum) == 2 * sizeof(std::int64_t), "two words make a pair");

/// Returns the number of pairs that hold n_words words.
constexpr std::size_t PairsOf(std::size_t n_words) { return (n_words + 1) / 2; }
/// The following convert a histogram of words to one of pairs, and back.
inline FixedSum* AsPairs(std::int64_t* words) { return reinterpret_cast<FixedSum*>(words); }
inline std::int64_t* AsWords(FixedSum* pairs) { return reinterpret_cast<std::int64_t*>(pairs); }

class VectorHistograms {
 public:
  /// Frees all histograms; new ones have n_words words.
  void Resize(CudaContext const& cuda, std::size_t n_words);

  /// \throws Error(kMemory) with the amount that is needed.
  std::int64_t* Borrow(CudaContext const& cuda);
  void GiveBack(std::int64_t* histogram);
  /// Takes back all lent histograms.
  void Reset(CudaContext const& cuda);
  std::size_t NumLent() const { return n_lent_; }
  /// Returns how many histograms may be kept for nodes yet to be split: a quarter of the memory that was free.
  std::size_t MostLent() const { return most_lent_; }
  /// Returns the number of pairs per histogram.
  std::size_t NumPairs() const { return n_pairs_; }

 private:
  std::size_t n_pairs_ = 0;
  DeviceHistograms pairs_;
  std::size_t n_lent_ = 0;
  std::size_t most_lent_ = 0;
};

class VectorShard final : public SumShard {
 public:
  using SumShard::SumShard;
  ~VectorShard() override { Settle(); }

  /// Begins a tree; copies its rows of the table from the main device once `ready` is reached. table, sampled: for all
  /// rows, on the main device; sampled may be empty.
  void BeginTree(CudaContext const& main, Event const& ready, TableOnDevice const& table,
                 Span<std::uint8_t const> sampled);

 private:
  std::size_t SumsOfNode() const override;
  void AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) override;
  void AddRows(RowsToAdd const& rows) override;

  void CopyTable(int main, TableOnDevice const& table);

  Buffer<std::int32_t> values_;  ///< [count, stride]
  TableOnDevice table_{};        ///< this shard's rows of the tree's table
  Buffer<LaidRows> plan_;
  std::vector<SummedNode> nodes_;
  std::size_t nodes_place_ = 0;  ///< place in the request
};

struct VectorOnDevice {
  /// Splits the rows of the bins among the devices, the first of which has the bins. from: must outlive this.
  /// \throws Error(kMemory).
  VectorOnDevice(CudaContext const& cuda, DeviceBins const& from, ShardDevices const& wanted);
  /// Prepares for tables with n_sums_of_row sums a row.
  void Resize(CudaContext const& cuda, std::int64_t n_sums_of_row);

  DeviceBins const& bins;
  std::vector<int> devices;                          ///< devices that it was made for
  std::vector<std::unique_ptr<VectorShard>> shards;  ///< rows of other devices
  std::int64_t n_own_rows;                           ///< number of rows, the first ones, that no other device has
  Event table_ready;                                 ///< table of a tree is ready, for the shards
  std::int64_t n_sums = 0;                           ///< per cell
  GrowingRowsOnDevice rows;
  VectorHistograms histograms;
  Upload of_tree;   ///< data that all nodes of a tree share
  Upload of_level;  ///< request of a level
  Buffer<LaidRows> plan;
  Buffer<FoundSplit> found;
  PinnedBuffer<SplitCandidate> best;  ///< answers
  PinnedBuffer<std::int64_t> left;
  PinnedBuffer<std::int64_t> category_sums;
  Buffer<std::int64_t> answers;  ///< sums of nodes for the tests of a level of symmetric trees
  PinnedBuffer<std::int64_t> answers_on_host;
};

}  // namespace kauri::cuda
