/// \file Makes the bins of one tree after the other for tree_method=gpu_approx. The weights of the rows for the bin
/// edges of a tree are their hessians, kept from one tree to the next to detect changes (TreeWeights).
///
/// The sorted values stay with the matrix for the next training, as long as there is memory for them.
///
/// Several devices share the work on dense numbers (column_share.h): each makes the bin edges of some columns, and
/// codes its own rows. If one of them has no room, the main device does all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/kept.h"
#include "cuda/hist/approx/column_share.h"
#include "cuda/hist/approx/ordered_columns.h"
#include "cuda/hist/approx/ordered_cuts.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/tree/cut_rows.h"
#include "data/bins/derived_bins.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Bounds of the weights as keys (data/sketch/weighted_keys.h); all zero if there are no weights.
struct SeenWeights {
  std::uint32_t largest;
  std::uint32_t largest_complement;  ///< complement of the least key
  std::uint32_t have_changed;        ///< 1: some weight differs from the one before
};

class TreeWeights {
 public:
  /// Takes the hessians of `pairs` ([n_rows], device; zero for rows that are not sampled), converted to floats as by
  /// tree_method=approx. Reads 12 bytes a row and writes 4; waits for the bounds.
  void Update(CudaContext const& cuda, Span<FixedPair const> pairs);

  /// Returns the weights, [n_rows], device.
  Span<float const> Values() const { return weights_.span(); }
  /// Returns whether weights changed since the update before; undefined after the first update.
  bool HaveChanged() const { return bounds_.have_changed != 0; }
  bool AreAlike() const { return bounds_.largest == ~bounds_.largest_complement; }
  /// Returns the largest weight, at least 0.
  float Largest() const;

 private:
  Buffer<float> weights_;
  Buffer<SeenWeights> on_device_;
  SeenWeights bounds_{};
};

/// A matrix on the main device, with the columns of which this device makes the bin edges. Immutable.
struct OrderedMatrix {
  MatrixRows rows;
  OrderedColumns columns;
};

class TreeBins {
 public:
  /// most_bytes: maximum device memory to use for keeping the sorted order of the values.
  /// fewest_rows: minimum number of rows per device, if there are several.
  explicit TreeBins(BinOptions const& options, std::size_t most_bytes = std::numeric_limits<std::size_t>::max(),
                    std::int64_t fewest_rows = kFewestRowsOfShard)
      : options_(options), most_bytes_(most_bytes), fewest_rows_(fewest_rows) {}
  ~TreeBins();
  TreeBins(TreeBins const&) = delete;
  TreeBins& operator=(TreeBins const&) = delete;

  /// Takes the hessians of the next tree's pairs, [n_rows], device. \returns whether the bins made last are out of
  /// date. If so, release them before Make, which takes as much memory. Waits for the answer.
  bool Update(CudaContext const& cuda, DataMatrix const& data, Span<FixedPair const> pairs);
  /// Makes the bins of the tree, of all rows, or of the first rows if OtherRows has the others. The devices of `ctx`
  /// are the same whenever it is called. \throws Error(kMemory) with the amount that is needed, and the errors of
  /// MakeQuantileCuts.
  std::unique_ptr<DeviceBins const> Make(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);
  /// Returns the rows that the bins made last have no codes of, where they are to be coded: one part for each device
  /// except the first, on that device. Empty: all rows have codes. The bins have room for the codes of all rows, but
  /// those of other devices' rows are not written.
  Span<RowPart const> OtherRows() const { return other_rows_; }

 private:
  using Shares = std::vector<std::unique_ptr<ColumnShare>>;
  enum class Order { kNotTried, kKept, kNoRoom };

  /// Returns whether the sorted order is kept. The first call sorts the columns if there is room.
  bool KeepsOrder(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);
  /// Sorts the columns for as many devices as there are shards of rows, or finds them sorted. Returns false if one of
  /// the devices has no room.
  bool Keep(CudaContext const& cuda, Context const& ctx, DataMatrix const& data, std::vector<ShardRange> const& rows);
  bool HaveRoom(CudaContext const& cuda, DataMatrix const& data, std::vector<ShardRange> const& rows,
                std::vector<ShardRange> const& cols, Shares const& others) const;
  /// Returns the place of what a device has of the matrix; under a memory budget it does not stay with the matrix.
  template <typename T>
  std::shared_ptr<Kept<T> const> PlaceOf(DataMatrix const& data, ShardRange rows, ShardRange cols, int device) const;
  std::unique_ptr<DeviceBins const> MakeInOrder(CudaContext const& cuda, DataMatrix const& data);
  std::unique_ptr<DeviceBins const> MakeOnHost(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                               std::vector<float> weights) const;
  std::vector<float> FetchWeights(CudaContext const& cuda) const;
  void SayOnce(char const* line);

  BinOptions options_;
  std::size_t most_bytes_;
  std::int64_t fewest_rows_;
  TreeWeights weights_;
  std::vector<std::uint32_t> categorical_;  ///< categorical columns at the time when bins were made last
  Order order_ = Order::kNotTried;
  // Valid if order_ is kKept
  std::shared_ptr<OrderedMatrix const> matrix_;
  cudaStream_t reader_ = nullptr;  ///< of the main device
  OrderedCutter cutter_;
  Shares others_;           ///< of the other devices
  std::int64_t n_own_ = 0;  ///< rows that the main device codes
  std::vector<RowPart> other_rows_;
  bool has_said_ = false;
};

}  // namespace kauri::cuda
