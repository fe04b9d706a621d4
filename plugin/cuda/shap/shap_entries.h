/// \file Lists which sums of a row are written, and to which floats: contributions, dense matrices of pairs, or only
/// the cells of the matrices that trees can fill.
///
/// Vocabulary. An entry maps a cell of sums (ShapCells, shap_sums.h), or the bias of an output, to a float of the row.
/// All rows have the same entries.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "predictor/forest/forest.h"
#include "predictor/lanes/path_pairs.h"

namespace kauri::cuda {

/// Cell of the bias of the first output; the bias of an output has the cell kBiasCell - output.
constexpr std::int32_t kBiasCell = -1;

/// Entries in host memory.
struct ShapEntries {
  /// Adds an entry of an output, without `to`.
  void Add(std::int64_t of_output, std::int64_t from_cell) {
    output.push_back(static_cast<std::int32_t>(of_output));
    cell.push_back(static_cast<std::int32_t>(from_cell));
  }

  std::vector<std::int32_t> cell;
  std::vector<std::int32_t> output;
  std::vector<std::int64_t> to;  ///< float of the row for each entry; if empty, entry i is float i
  std::int64_t row_floats = 0;
};

/// Returns the entries of contributions, [n_outputs, n_features + 1].
ShapEntries ContributionEntries(Forest const& forest);

/// Returns the entries of matrices, [n_outputs, n_features + 1, n_features + 1], both halves.
ShapEntries MatrixEntries(Forest const& forest, PathPairs const& pairs);

/// The upper triangle of a range of trees, by (first, second). The cells belong to `pairs` of FindSparseEntries.
struct SparseEntries {
  ShapEntries entries;
  std::vector<std::int64_t> begin;    ///< [n_outputs + 1], into the entries
  std::vector<std::uint32_t> first;   ///< [n_entries], a feature, or n_features for the bias
  std::vector<std::uint32_t> second;  ///< [n_entries]
};

/// Returns the entries of a range of trees. range: pairs of the range, all of which are in `pairs`; with_diagonal:
/// include the diagonal of its features and the bias.
SparseEntries FindSparseEntries(Forest const& forest, PathPairs const& pairs, PathPairs const& range,
                                bool with_diagonal);

/// Entries in device memory; not owning.
struct ShapEntriesView {
  std::int32_t const* cell;
  std::int32_t const* output;
  std::int64_t const* to;  ///< nullptr: entry i is float i
  std::int64_t size;
  std::int64_t row_floats;
};

/// Pairs of each slot: the pair numbers by output * n_slots + slot, other slots ascending. In device memory; not
/// owning.
struct PairsOfSlotsView {
  std::int64_t const* begin;  ///< [n_outputs * n_slots + 1]
  std::int32_t const* numbers;
};

/// Owner of entries in device memory. Immutable.
class DeviceEntries {
 public:
  DeviceEntries(CudaContext const& cuda, ShapEntries const& entries);
  ShapEntriesView View() const;

 private:
  std::int64_t row_floats_;
  Buffer<std::int32_t> cell_;
  Buffer<std::int32_t> output_;
  Buffer<std::int64_t> to_;
};

/// Pairs on the host, and the arrays that the device needs of them. Immutable.
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
