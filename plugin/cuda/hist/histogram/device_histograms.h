/// \file Histograms of nodes in device memory, lent and taken back; kept from tree to tree. They are zero when lent,
/// because rows are added to them. TreeHistograms has the arrays that adding rows takes, too: a pair of 1 and 0 for
/// every row gives the row counts of a histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/add_rows.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// [n_rows]. Asynchronous.
Buffer<FixedPair> MakeOnes(CudaContext const& cuda, std::size_t n_rows);

class DeviceHistograms {
 public:
  DeviceHistograms() = default;
  explicit DeviceHistograms(std::size_t n_sums) : n_sums_(n_sums == 0 ? 1 : n_sums) {}  // data without columns
  /// Takes back all lent histograms; those lent from now on have n_sums sums.
  void Resize(CudaContext const& cuda, std::size_t n_sums) {
    Reset(cuda);
    n_sums_ = n_sums == 0 ? 1 : n_sums;  // data without columns
  }
  /// Returns [n_sums] zeros. \throws Error(kMemory) with the amount that is needed.
  FixedSum* Borrow(CudaContext const& cuda);
  void GiveBack(FixedSum* histogram) { used_.push_back(histogram); }
  /// Takes back all lent histograms and clears all that were lent, in one call per chunk, which is cheaper than one by
  /// one.
  void Reset(CudaContext const& cuda);

 private:
  struct Chunk {
    Buffer<FixedSum> sums;
    std::size_t n_lent = 0;  ///< number lent since the last Reset, in order
  };

  std::size_t SizeOf(Chunk const& chunk) const { return chunk.sums.size() / n_sums_; }
  /// Doubles the number of histograms.
  void Grow(CudaContext const& cuda);

  std::size_t n_sums_ = 0;
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;      ///< index of the chunk that lends now
  std::vector<FixedSum*> used_;  ///< given back since the last Reset
};

/// The grower of the current tree uses them from BeginTree until the next tree begins.
struct TreeHistograms {
  /// Takes the bins of the following trees.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins);
  /// Takes back and clears the last tree's histograms. count: whether row counts follow the sums of a histogram, one
  /// FixedSum per bin as on the host (tree/hist/hist_workspace.h).
  void BeginTree(CudaContext const& cuda, DeviceBins const& bins, bool count);
  /// Returns the number of sums of a node, with row counts if rows are counted.
  std::size_t SumsOfNode(DeviceBins const& bins) const { return (counts_rows ? 2 : 1) * std::size_t{bins.n_sums}; }

  DeviceHistograms pool;
  bool counts_rows = false;  ///< for the current tree, here and in the shards
  Buffer<FixedPair> ones;    ///< [number of rows of the bins], summed as row counts if rows are counted
  Buffer<PlannedRows> plan;  ///< scratch of AddRows
};

}  // namespace kauri::cuda
