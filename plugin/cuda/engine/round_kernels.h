/// \file The work of a round on every row, except growing trees. All arrays are in device memory; everything is
/// asynchronous unless it returns a value.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "common/fixed_point.h"
#include "common/random/gradient_rounding.h"
#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/tree/small_pair.h"
#include "cuda/tree/tree_totals.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"
#include "tree/sampling/sampling.h"

namespace kauri::cuda {

/// Gradient pairs, [n_rows, n_outputs].
struct PairTable {
  Span<GradientPair const> pairs;
  std::int64_t n_outputs;
  std::int64_t NumRows() const { return static_cast<std::int64_t>(pairs.size()) / n_outputs; }
};

/// Largest magnitudes of an output, as the bits of floats: they sort like the floats, infinities and NaNs last.
struct LargestMagnitude {
  std::uint32_t gradient;
  std::uint32_t hessian;

  bool IsFinite() const { return gradient < 0x7F800000U && hessian < 0x7F800000U; }
  /// Returns the unit that QuantiseGradients chooses (common/fixed_point.h).
  KAURI_HD GradientUnit Unit() const {
    return {FixedPointUnit(FloatOfBits(gradient)), FixedPointUnit(FloatOfBits(hessian))};
  }
  /// Returns the shifts of RoundGradients (engine/rounded_gradients.h).
  KAURI_HD RoundingShifts Shifts(int bits) const {
    return ShiftsOf({FloatOfBits(gradient), FloatOfBits(hessian)}, bits);
  }
  /// Returns the unit of pairs that are rounded to so many bits; 0: not rounded.
  KAURI_HD GradientUnit UnitOfBits(int bits) const { return bits == 0 ? Unit() : RoundedUnit(Unit(), Shifts(bits)); }

 private:
  KAURI_HD static float FloatOfBits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};

/// Sum and largest magnitudes of a tree's pairs, for the host.
struct OutputSummary {
  FixedSum sum;  ///< of the pairs that were quantised last
  LargestMagnitude largest;
};

/// OutputSummary for all outputs, read in one copy.
struct PairSummary {
  std::vector<FixedSum> sums;
  std::vector<LargestMagnitude> largest;
};

/// PairSummary in device memory.
class DevicePairSummary {
 public:
  /// Makes room for n_outputs, and sets everything to zero.
  void Clear(CudaContext const& cuda, std::int64_t n_outputs);
  void ClearTotals(CudaContext const& cuda);
  /// Return [n_outputs] totals and magnitudes in device memory.
  PairTotals* Totals() const { return reinterpret_cast<PairTotals*>(bytes_.data()); }
  LargestMagnitude* Largest() const { return reinterpret_cast<LargestMagnitude*>(bytes_.data() + BytesOfTotals()); }
  /// Replaces the largest magnitudes by those over all devices or ranks.
  void SetLargest(CudaContext const& cuda, std::vector<LargestMagnitude> const& largest);
  /// Queues a copy of the current values to the host. Only the last Fetch counts.
  void Fetch(CudaContext const& cuda);
  /// Returns the fetched values of an output; waits for them.
  OutputSummary Fetched(std::int64_t output) const;
  PairSummary Read(CudaContext const& cuda);

 private:
  std::size_t BytesOfTotals() const { return ToSize(n_outputs_) * sizeof(PairTotals); }
  OutputSummary OnHost(std::int64_t output) const;
  std::size_t BytesOfLargest() const { return ToSize(n_outputs_) * sizeof(LargestMagnitude); }

  std::int64_t n_outputs_ = 0;
  Buffer<unsigned char> bytes_;  ///< the totals, then the magnitudes
  PinnedBuffer<unsigned char> on_host_;
  std::optional<Event> fetched_;
};

/// Row sampling of one tree (tree/sampling/sampling.h), and the rounding of the pairs of its rows.
struct RowSample {
  std::uint64_t key = 0;
  float rate = 1.0F;
  std::uint8_t const* marks = nullptr;  ///< [n_rows], device, drawn by the host, 1 = used; nullptr: by key and rate
  std::int64_t first_row = 0;           ///< number of row 0 among all rows
  bool is_exact = false;                ///< an exact number of rows is drawn, by `choice`
  RowChoice choice = {};
  GradientRounding rounding = {};

  KAURI_HD bool IsUsed(std::int64_t row) const {
    if (marks != nullptr) return marks[row] != 0;
    if (is_exact) return choice.Has(first_row + row);
    return rate >= 1.0F || IsRowSampled(key, first_row + row, rate);
  }
};

/// largest (in, out): [n_outputs], device, zero before.
void FindLargest(CudaContext const& cuda, PairTable const& gradients, LargestMagnitude* largest);
/// Raises the magnitudes to the maximum over these and other rows. largest (in, out): [n_outputs], device. of_others:
/// magnitudes of other rows, in memory that the device can read.
void TakeLarger(CudaContext const& cuda, std::vector<LargestMagnitude const*> const& of_others, std::int64_t n_outputs,
                LargestMagnitude* largest);

/// Returns the first row whose pair for `output` is not finite; the number of rows if all are finite. Waits for the
/// value.
std::int64_t FirstNotFinite(CudaContext const& cuda, PairTable const& gradients, std::int64_t output);

/// Returns the pairs for `output` of the rows that a ResolutionWatch examines.
Buffer<GradientPair> WatchedPairs(CudaContext const& cuda, PairTable const& gradients, std::int64_t output);

/// Task of quantising the pairs of a tree for one output.
struct QuantiseTask {
  PairTable gradients;
  std::int64_t output = 0;
  LargestMagnitude const* largest = nullptr;  ///< of the output, device; determines the unit
  RowSample sample;
  Span<FixedPair> pairs;         ///< (out) [n_rows], column `output` in units; zero in rows that are not sampled
  Span<std::uint8_t> sampled;    ///< (out) [n_rows], 1 = used, may be the same memory as the marks; empty: not needed
  PairTotals* totals = nullptr;  ///< (in, out) device; the sum of `pairs` is added, and the unit is set
  Span<SmallPair> small = {};    ///< (out) [n_rows], `pairs` in two bytes, if they are rounded
};

void Quantise(CudaContext const& cuda, QuantiseTask const& task);

/// Task of quantising the pairs of trees for all outputs, from all rows.
struct QuantiseRoundTask {
  PairTable gradients;
  LargestMagnitude const* largest;  ///< [n_outputs], device
  FixedPair* pairs;                 ///< (out) [n_outputs, n_rows]
  PairTotals* totals;               ///< (in, out) [n_outputs], as in QuantiseTask
  GradientRounding rounding = {};   ///< its key is RoundKeyOfRounding
  std::int64_t first_tree = 0;      ///< index of output 0's tree in the round; the trees of the other outputs follow
  SmallPair* small = nullptr;       ///< (out) [n_outputs, n_rows], `pairs` in two bytes, if they are rounded
};

void QuantiseRound(CudaContext const& cuda, QuantiseRoundTask const& task);

/// Task of summing the pairs of a tree by leaf, before rounding.
struct LeafSumTask {
  PairTable gradients;
  std::int64_t output = 0;
  LargestMagnitude const* largest = nullptr;  ///< of the output, device; determines the unit
  RowSample sample = {};
  Span<std::int32_t const> leaf_of_row = {};  ///< [n_rows], device
  std::uint32_t n_nodes = 0;
  FixedSum* sums = nullptr;  ///< (in, out) [n_nodes], device
};

/// Bytes per row: 8 for the pair and 4 for its leaf.
void SumLeaves(CudaContext const& cuda, LeafSumTask const& task);

/// Leaves of one tree for each output: their values, and the leaf of each row.
struct RoundLeaves {
  float const* values;               ///< of all trees, one behind the other
  std::uint32_t const* first_value;  ///< [n_outputs]
  std::int32_t const* leaf_of_row;   ///< [n_outputs, n_rows]
};

/// margins[row, output] += the value of the row's leaf, for all outputs.
void AddRoundLeaves(CudaContext const& cuda, RoundLeaves const& leaves, std::int64_t n_outputs, Span<float> margins);

/// margins[row, output] += leaf_values[leaf_of_row[row]].
void AddLeaves(CudaContext const& cuda, Span<float const> leaf_values, Span<std::int32_t const> leaf_of_row,
               std::int64_t n_outputs, std::int64_t output, Span<float> margins);

/// margins[row, output] += leaf_vectors[leaf_of_row[row], output]. leaf_vectors: [n_nodes, n_outputs]; all on the
/// device.
void AddLeafVectors(CudaContext const& cuda, Span<float const> leaf_vectors, Span<std::int32_t const> leaf_of_row,
                    std::int64_t n_outputs, Span<float> margins);

}  // namespace kauri::cuda
