/// \file Sums of contributions on the device, with the same bits in any order of additions.
///
/// A float32 contribution becomes a 64-bit integer, a multiple of 2^-k, and integers are added atomically. No order
/// changes the sum, unlike the published kernel's atomic float64 additions. k is chosen for each output so that the
/// largest possible sum still fits: sums are divided by the output's range, a power of two above them. With 1000 trees
/// of leaves up to 0.1 the unit is 2^-53, so the float32 values that are added lose nothing that matters.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/shap/shap_entries.h"
#include "kauri/host_device.h"
#include "predictor/forest/forest.h"

namespace kauri::cuda {

/// Cells of a row: the slots of each output, then the pairs of PathPairs by their numbers, if pairs are wanted.
struct ShapCells {
  std::int64_t n_outputs = 0;
  std::int64_t n_slots = 0;
  std::int64_t n_pairs = 0;

  KAURI_HD std::int64_t Count() const { return n_outputs * n_slots + n_pairs; }
  KAURI_HD std::int64_t Slot(std::int64_t output, std::int64_t slot) const { return output * n_slots + slot; }
  KAURI_HD std::int64_t Pair(std::int64_t number) const { return n_outputs * n_slots + number; }
};

/// Sums of a tile of rows, not owning; shap_sums.cuh reads them and adds to them.
struct ShapSumsView {
  unsigned long long* sums;  ///< the type that atomicAdd knows
  std::int64_t row_stride;
  std::int64_t cell_stride;
  ShapCells cells;
  double scale;                             ///< units of an output's range, a power of two
  double const* units_of_output = nullptr;  ///< [n_outputs], units of 1, for AddToSum
};

enum class ShapLayout {
  kRowMajor,  ///< cells of a row are contiguous: a warp adds to one row
  kRowMinor   ///< rows of a cell are contiguous: a warp adds to one cell
};

/// Owns the sums of up to `n_rows` rows.
class ShapSums {
 public:
  ShapSums(CudaContext const& cuda, std::int64_t n_rows, ShapCells cells, ShapLayout layout, double scale,
           double const* units_of_output = nullptr);
  void Clear(CudaContext const& cuda) const { FillZero(cuda, sums_.data(), sums_.size()); }
  /// Clears the cells of slots. Only for kRowMinor, where they come first.
  void ClearSlots(CudaContext const& cuda) const {
    FillZero(cuda, sums_.data(), static_cast<std::size_t>(view_.cell_stride * view_.cells.Pair(0)));
  }
  ShapSumsView const& View() const { return view_; }

 private:
  Buffer<unsigned long long> sums_;
  ShapSumsView view_;
};

/// The units of an output's range in the sums of contributions. Sums of int64 reach 2^63. Two bits are left free,
/// because single terms can be larger than their sum.
constexpr double kUnitsOfRange = static_cast<double>(std::int64_t{1} << 61);

/// Returns the ranges of the contributions of these trees (numbered within the forest), [n_outputs]: powers of two
/// above all sums. \throws Error(kModel) as Forest::LargestLeaf.
std::vector<double> ContributionRanges(Forest const& forest, TreeRange trees);

/// The destination of contributions, and the values that are added to the bias.
struct ShapOutput {
  float* out;  ///< [n_rows, floats of a row]
  std::int64_t n_rows;
  std::int64_t n_features;
  std::int64_t n_outputs;
  float const* start;  ///< [n_outputs], or [n_rows, n_outputs]
  bool start_is_of_row;
  double const* expected;               ///< [n_outputs], expected values of the trees
  std::int32_t const* slot_of_feature;  ///< [n_mapped_features], -1 where unused
  std::int64_t n_mapped_features;
  /// [n_outputs], the ranges by which sums are multiplied. Approximate values have none.
  double const* range_of_output = nullptr;
  bool expected_is_divided = false;  ///< expected values are divided by the ranges, too
};

/// Rounds the sums to float32 and writes `entries`; floats without an entry are 0. The cell of a pair holds half of its
/// effect. diagonal: by slot, the pairs whose sums are subtracted from the slot's own; without it, the slot's sum is
/// written unchanged.
void WriteShapValues(CudaContext const& cuda, ShapSumsView const& sums, ShapEntriesView const& entries,
                     PairsOfSlotsView const& diagonal, ShapOutput const& output);

/// Writes contributions given in float64, [n_outputs, n_slots, n_rows]. out: [n_rows, n_outputs, n_features + 1], or
/// with are_pairs [n_rows, n_outputs, (n_features + 1)^2], zero outside the diagonal.
void WriteApproxValues(CudaContext const& cuda, double const* contributions, std::int64_t n_slots, bool are_pairs,
                       ShapOutput const& output);

}  // namespace kauri::cuda
