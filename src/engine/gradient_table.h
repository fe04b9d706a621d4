/// \file The gradients of all outputs in fixed point, side by side, from which trees with vector leaves are built, and
/// the survey of all gradients, which determines their units.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

#include "engine/gradient_table_rows.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "kauri/table_stride.h"

namespace kauri {

/// Surveys gradients [n_rows, n_outputs] in one pass, row by row. In a distributed run the result covers the rows of
/// all ranks. \throws Error(kData) for a gradient or hessian that is not finite, naming the first row.
RowSurvey SurveyGradients(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs);

/// Returns the units of an output.
GradientUnit UnitOf(RowSurvey const& survey, std::int64_t output);

/// Owns the data of a GradientTableView. Rows of 16 integers and more begin at cache lines.
class GradientTable {
 public:
  /// Converts gradients [n_rows, n_outputs] to fixed point; each output gets its own unit. sampled: [n_rows] or empty;
  /// rows that are not sampled become zeros. \throws Error(kData) for a gradient or hessian that is not finite, naming
  /// the row.
  void Quantise(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                Span<std::uint8_t const> sampled);
  GradientTableView View() const { return {{values_.get(), size_}, units_, n_hessians_, stride_}; }

 private:
  void Resize(std::int64_t n_rows, std::int64_t n_outputs);

  hwy::AlignedFreeUniquePtr<std::int32_t[]> values_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;  ///< n_rows * stride
  std::vector<GradientUnit> units_;
  std::int64_t n_hessians_ = 0;
  std::int64_t stride_ = 0;
};

}  // namespace kauri
