/// \file Columns of keys, each sorted, and where rows have weights the ranks of the sorted keys.
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

/// In device memory; not owning.
struct SortedKeys {
  std::uint32_t const* keys;  ///< [n_rows], ascending
  std::int64_t const* below;  ///< [n_rows + 1]: the weight of all keys before each, then all weight; null: all weigh 1
};

/// Room for the columns of one chunk, which is taken again for the next.
class ColumnSorter {
 public:
  /// weights: [n_rows], device, or null; they must stay.
  ColumnSorter(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_cols, float const* weights,
               WeightUnit const& unit);

  /// Device memory for a column, and what is needed besides, however many columns there are.
  static std::size_t BytesPerColumn(std::int64_t n_rows, bool has_weights);
  static std::size_t OtherBytes(std::int64_t n_rows, bool has_weights);

  /// [n_cols, n_rows], to be written before Sort.
  std::uint32_t* Keys() const { return keys_.data(); }
  /// The first n_cols columns sorted, each by itself; valid until the keys are written again. Asynchronous.
  std::vector<SortedKeys> Sort(std::int64_t n_cols);

 private:
  /// Columns that are sorted one after the other, beside those of another lane.
  struct Lane {
    explicit Lane(int device) : stream(device) {}
    StreamOwner stream;  ///< before the scratch, which is freed on it
    CubScratch scratch;
    std::uint32_t* spare = nullptr;
  };

  /// Sorts from `keys`; leaves the sorted in one of both, `keys` after the call.
  void SortKeys(Lane* lane, std::uint32_t** keys);
  void SortWithWeights(Lane* lane, std::uint32_t** keys, std::int64_t* below);

  CudaContext cuda_;
  std::int64_t n_rows_;
  float const* weights_;
  WeightUnit unit_;
  Buffer<std::uint32_t> keys_;  ///< a column more for each lane than are sorted
  Buffer<float> sort_weights_;  ///< two columns
  Buffer<std::int64_t> below_;  ///< [n_cols, n_rows + 1]
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace kauri::cuda
