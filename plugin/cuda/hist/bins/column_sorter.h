/// \file Sorts columns of keys, and, if rows have weights, computes the ranks of the sorted keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "data/sketch/cut_weights.h"

namespace kauri::cuda {

/// Views of device memory; not owning.
struct SortedKeys {
  std::uint32_t const* keys;  ///< [n_rows], ascending
  std::int64_t const* below;  ///< [n_rows + 1]: the weight of all keys before each, then the total; null: all weigh 1
};

/// Memory for the columns of one chunk, which is reused for the next.
class ColumnSorter {
 public:
  /// weights: [n_rows], device, or null; must outlive the sorter.
  ColumnSorter(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_cols, float const* weights,
               WeightUnit const& unit);

  /// Return the device memory per column, and the memory needed besides, whatever the number of columns.
  static std::size_t BytesPerColumn(std::int64_t n_rows, bool has_weights);
  static std::size_t OtherBytes(std::int64_t n_rows, bool has_weights);

  /// Returns memory for the keys, [n_cols, n_rows], to be written before Sort.
  std::uint32_t* Keys() const { return keys_.data(); }
  /// Sorts each of the first n_cols columns. The result is valid until the keys are written again. Asynchronous.
  std::vector<SortedKeys> Sort(std::int64_t n_cols);

 private:
  /// Columns of a lane are sorted one after the other, concurrently with the other lane's.
  struct Lane {
    explicit Lane(int device) : stream(device) {}
    StreamOwner stream;  ///< declared before the scratch, which is freed on it
    CubScratch scratch;
    std::uint32_t* spare = nullptr;
  };

  /// Sorts `keys`, and sets `keys` to whichever of the two buffers holds the result.
  void SortKeys(Lane* lane, std::uint32_t** keys);
  void SortWithWeights(Lane* lane, std::uint32_t** keys, std::int64_t* below);

  CudaContext cuda_;
  std::int64_t n_rows_;
  float const* weights_;
  WeightUnit unit_;
  Buffer<std::uint32_t> keys_;  ///< all columns, and one spare column per lane
  Buffer<float> sort_weights_;  ///< two columns
  Buffer<std::int64_t> below_;  ///< [n_cols, n_rows + 1]
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace kauri::cuda
