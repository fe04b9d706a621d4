/// \file What a round does to every row besides growing trees. All arrays are in device memory; everything is
/// asynchronous unless it returns a value.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "common/fixed_point.h"
#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/tree/tree_totals.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"
#include "tree/sampling/row_choice.h"
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
  /// The unit that QuantiseGradients chooses (common/fixed_point.h).
  KAURI_HD GradientUnit Unit() const {
    return {FixedPointUnit(FloatOfBits(gradient)), FixedPointUnit(FloatOfBits(hessian))};
  }

 private:
  KAURI_HD static float FloatOfBits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};

/// What the host must know of the pairs of a tree.
struct OutputSummary {
  FixedSum sum;  ///< of the pairs that were quantised last
  LargestMagnitude largest;
};

/// The same of all outputs, read in one copy.
struct PairSummary {
  std::vector<FixedSum> sums;
  std::vector<LargestMagnitude> largest;
};

/// The same in device memory.
class DevicePairSummary {
 public:
  /// Room for n_outputs; all zero.
  void Clear(CudaContext const& cuda, std::int64_t n_outputs);
  void ClearTotals(CudaContext const& cuda);
  /// [n_outputs].
  PairTotals* Totals() const { return reinterpret_cast<PairTotals*>(bytes_.data()); }
  LargestMagnitude* Largest() const { return reinterpret_cast<LargestMagnitude*>(bytes_.data() + BytesOfTotals()); }
  /// Magnitudes of all devices or ranks in place of those that were read last.
  void SetLargest(CudaContext const& cuda, std::vector<LargestMagnitude> const& largest);
  /// Has it copied as it is then. Of the calls of Fetch the last counts.
  void Fetch(CudaContext const& cuda);
  /// What was fetched of an output; waits for it.
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

/// Row sampling of one tree (tree/sampling/sampling.h).
struct RowSample {
  std::uint64_t key = 0;
  float rate = 1.0F;
  std::uint8_t const* marks = nullptr;  ///< [n_rows], device: the host has drawn, 1 = used; nullptr: by key and rate
  std::int64_t first_row = 0;           ///< what row 0 is called among all rows, where it is drawn by key
  bool is_exact = false;                ///< a certain number of rows: those of `choice`
  RowChoice choice = {};

  KAURI_HD bool IsUsed(std::int64_t row) const {
    if (marks != nullptr) return marks[row] != 0;
    if (is_exact) return choice.Has(first_row + row);
    return rate >= 1.0F || IsRowSampled(key, first_row + row, rate);
  }
};

/// largest (in, out): [n_outputs], device, zero before.
void FindLargest(CudaContext const& cuda, PairTable const& gradients, LargestMagnitude* largest);
/// largest (in, out): [n_outputs], device. of_others: the same of other rows, where the device can read them.
void TakeLarger(CudaContext const& cuda, std::vector<LargestMagnitude const*> const& of_others, std::int64_t n_outputs,
                LargestMagnitude* largest);

/// The first row whose pair for `output` is not finite; the number of rows if all are. Waits for the value.
std::int64_t FirstNotFinite(CudaContext const& cuda, PairTable const& gradients, std::int64_t output);

/// The pairs for `output` of the rows that a ResolutionWatch looks at.
Buffer<GradientPair> WatchedPairs(CudaContext const& cuda, PairTable const& gradients, std::int64_t output);

/// What a tree for one output is built from.
struct QuantiseTask {
  PairTable gradients;
  std::int64_t output = 0;
  LargestMagnitude const* largest = nullptr;  ///< of the output, device: the unit follows from it
  RowSample sample;
  Span<FixedPair> pairs;         ///< (out) [n_rows], column `output` in units; zero where the row is not sampled
  Span<std::uint8_t> sampled;    ///< (out) [n_rows], 1 = used, may be where the marks are; empty: not wanted
  PairTotals* totals = nullptr;  ///< (in, out) the sum of `pairs` is added to theirs, device; their unit is set
};

void Quantise(CudaContext const& cuda, QuantiseTask const& task);

/// The same of all outputs, from all rows.
struct QuantiseRoundTask {
  PairTable gradients;
  LargestMagnitude const* largest;  ///< [n_outputs], device
  FixedPair* pairs;                 ///< (out) [n_outputs, n_rows]
  PairTotals* totals;               ///< (in, out) [n_outputs], as in QuantiseTask
};

void QuantiseRound(CudaContext const& cuda, QuantiseRoundTask const& task);

/// Of a tree for each output: the values of its leaves, and [n_rows] the leaves of its rows.
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

}  // namespace kauri::cuda
