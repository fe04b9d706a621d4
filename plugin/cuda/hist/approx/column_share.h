/// \file The share of a matrix that a device other than the main one has, where bins are made for every tree: some of
/// the columns, in order, of which it makes the bin edges, and the values of its shard of the rows, which it codes with
/// the edges of all columns.
///
/// The share stays with the matrix for the next training. Every column of the matrix is on one device and is cut there,
/// so the edges equal the edges that one device makes. Per tree a device copies 4 bytes a row, the weights of all rows,
/// and the host collects the edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/kept.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/approx/ordered_columns.h"
#include "cuda/hist/approx/ordered_cuts.h"
#include "cuda/tree/cut_rows.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri::cuda {

/// The matrix on the main device.
struct SharedMatrix {
  CudaContext const& main;
  RowPart rows;  ///< all rows
  std::int64_t n_cols;
};

/// The part of the matrix that a device has. Immutable.
struct OrderedShare {
  OrderedColumns columns;
  Buffer<float> values;  ///< of its rows, with all columns
};

class ColumnShare {
 public:
  /// place: of the share, on `device`. \throws Error(kDevice) if there is no such device.
  ColumnShare(int device, int main, std::shared_ptr<Kept<OrderedShare> const> place);

  /// Returns the memory of a share on its device that Take makes.
  static std::size_t NumBytes(std::int64_t n_rows, std::int64_t n_cols, ShardRange rows, ShardRange cols);
  /// Returns the memory that Take needs on the main device for a moment.
  static std::size_t BytesOnMain(std::int64_t n_rows, std::int64_t n_cols, ShardRange rows, ShardRange cols);
  CudaContext const& Cuda() const { return stream_.Context(); }

  /// Returns whether the share has been taken, perhaps for a training before.
  bool IsThere() const { return share_ != nullptr; }
  /// Copies the share, and sorts its columns, unless it is there. Waits for that.
  void Take(SharedMatrix const& from, ShardRange rows, ShardRange cols);
  /// Begins the bin edges of a tree. task: its weights are memory of the main device, complete; they must stay until
  /// CollectCuts.
  void BeginCuts(OrderedCutTask task, int main);
  /// Appends the bin edges of its columns. Waits for them.
  void CollectCuts(std::vector<FeatureCuts>* features) const;
  /// Returns its rows, on its device, with all columns.
  RowPart Rows() const { return rows_; }

 private:
  std::shared_ptr<Kept<OrderedShare> const> place_;
  std::shared_ptr<OrderedShare const> share_;  ///< declared before the stream, which reads it
  StreamOwner stream_;                         ///< declared before what is freed on it
  RowPart rows_;                               ///< of the share's values
  Buffer<float> weights_;
  OrderedCutter cutter_;
};

}  // namespace kauri::cuda
