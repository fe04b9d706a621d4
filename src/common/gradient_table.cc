#include "common/gradient_table.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "common/fixed_point.h"
#include "common/gradient_table_rows.h"
#include "common/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 13;

std::size_t At(std::int64_t index) { return static_cast<std::size_t>(index); }

[[noreturn]] void FailRow(GradientRows const& rows) {
  for (std::int64_t row = 0; row < rows.n_rows; ++row) {
    for (std::int64_t output = 0; output < rows.n_outputs; ++output) {
      auto const pair = rows.pairs[row * rows.n_outputs + output];
      if (!std::isfinite(pair.gradient) || !std::isfinite(pair.hessian)) FailGradient(pair, rows.first_row + row);
    }
  }
  Fail(ErrorKind::kInternal, "a gradient was not finite and is now");
}

RowSurvey SurveyAll(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs) {
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  RowSurvey const empty{std::vector<float>(At(2 * n_outputs), 0.0F), true};
  std::vector<RowSurvey> of_block(At(NumBlocks(n_rows, kRowsPerBlock)), empty);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    GradientRows const rows{gradients.data() + begin * n_outputs, end - begin, n_outputs, begin};
    if (!SurveyRows(rows, &of_block[At(block)])) FailRow(rows);
  });
  auto all = empty;
  for (auto const& block : of_block) {
    all.same_hessians = all.same_hessians && block.same_hessians;
    for (std::size_t i = 0; i < all.largest.size(); ++i) all.largest[i] = std::max(all.largest[i], block.largest[i]);
  }
  return all;
}

/// Whole vectors of 4 numbers, or of 8.
std::int64_t PaddedWidth(std::int64_t n) { return n <= 4 ? 4 : (n + 7) / 8 * 8; }

}  // namespace

void GradientTable::Resize(std::int64_t n_rows, std::int64_t n_outputs) {
  stride_ = PaddedWidth(n_outputs + n_hessians_);
  size_ = At(n_rows * stride_);
  if (size_ <= capacity_) return;
  values_.reset();
  values_ = hwy::AllocateAligned<std::int32_t>(size_);
  if (values_ == nullptr) throw std::bad_alloc();
  capacity_ = size_;
}

void GradientTable::Quantise(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                             Span<std::uint8_t const> sampled) {
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  auto const survey = SurveyAll(ctx, gradients, n_outputs);
  std::vector<double> steps;
  units_.clear();
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    units_.push_back(
        {FixedPointUnit(survey.largest[At(2 * output)]), FixedPointUnit(survey.largest[At(2 * output + 1)])});
    steps.push_back(1.0 / units_.back().gradient);
    steps.push_back(1.0 / units_.back().hessian);
  }
  n_hessians_ = survey.same_hessians ? 1 : n_outputs;
  Resize(n_rows, n_outputs);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    GradientRows const rows{gradients.data() + begin * n_outputs, end - begin, n_outputs, begin};
    QuantiseRows(rows, steps, sampled, {n_hessians_, stride_, values_.get() + begin * stride_});
  });
}

}  // namespace kauri
