/// \file Which sums of a row are written, and where: contributions, dense matrices of pairs, or only the cells of them
/// that trees can fill.
///
/// Vocabulary. An entry is a sum's cell (ShapCells, shap_sums.h) or the bias of an output, and the float of the row
/// that it becomes. All rows have the same entries.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "predictor/forest/forest.h"
#include "predictor/lanes/path_pairs.h"

namespace kauri::cuda {

/// The bias of an output is the cell of this less the output.
constexpr std::int32_t kBiasCell = -1;

/// In host memory.
struct ShapEntries {
  std::vector<std::int32_t> cell;
  std::vector<std::int64_t> to;  ///< float of the row; empty: entry i is float i
  std::int64_t row_floats = 0;
};

/// [n_outputs, n_features + 1]
ShapEntries ContributionEntries(Forest const& forest);

/// [n_outputs, n_features + 1, n_features + 1], both halves.
ShapEntries MatrixEntries(Forest const& forest, PathPairs const& pairs);

/// The upper triangle of a range of trees, by (first, second). Cells are those of a wider range.
struct SparseEntries {
  ShapEntries entries;
  std::vector<std::int64_t> begin;    ///< [n_outputs + 1], into the entries
  std::vector<std::uint32_t> first;   ///< [n_entries], a feature; n_features: the bias
  std::vector<std::uint32_t> second;  ///< [n_entries]
};

/// range: pairs of the range, all of which `pairs` has; with_diagonal: the diagonal of its features and the bias too.
SparseEntries FindSparseEntries(Forest const& forest, PathPairs const& pairs, PathPairs const& range,
                                bool with_diagonal);

/// In device memory; not owning.
struct ShapEntriesView {
  std::int32_t const* cell;
  std::int64_t const* to;  ///< nullptr: entry i is float i
  std::int64_t size;
  std::int64_t row_floats;
};

/// Of output * n_slots + slot the numbers of its pairs, other slots ascending. In device memory; not owning.
struct PairsOfSlotsView {
  std::int64_t const* begin;  ///< [n_outputs * n_slots + 1]
  std::int32_t const* numbers;
};

/// Immutable.
class DeviceEntries {
 public:
  DeviceEntries(CudaContext const& cuda, ShapEntries const& entries);
  ShapEntriesView View() const;

 private:
  std::int64_t row_floats_;
  Buffer<std::int32_t> cell_;
  Buffer<std::int64_t> to_;
};

/// Pairs with what the device needs of them. Immutable.
class DevicePairs {
 public:
  DevicePairs(CudaContext const& cuda, PathPairs pairs);
  PathPairs const& OnHost() const { return pairs_; }
  PairsOfSlotsView OfSlots() const { return {begin_.data(), numbers_.data()}; }

 private:
  PathPairs pairs_;
  Buffer<std::int64_t> begin_;
  Buffer<std::int32_t> numbers_;
};

}  // namespace kauri::cuda
