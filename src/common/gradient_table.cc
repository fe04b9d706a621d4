#include "common/gradient_table.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "common/fixed_point.h"
#include "common/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 13;

std::size_t At(std::int64_t index) { return static_cast<std::size_t>(index); }

/// What one pass over the gradients finds out.
struct Survey {
  std::vector<GradientPair> largest;  // [n_outputs], absolute values
  bool same_hessians = true;          // of all outputs, row by row
};

void SurveyRow(Span<GradientPair const> row, std::int64_t number, Survey* survey) {
  for (std::size_t output = 0; output < row.size(); ++output) {
    auto const pair = row[output];
    if (!std::isfinite(pair.gradient) || !std::isfinite(pair.hessian)) FailGradient(pair, number);
    auto& largest = survey->largest[output];
    largest.gradient = std::max(largest.gradient, std::fabs(pair.gradient));
    largest.hessian = std::max(largest.hessian, std::fabs(pair.hessian));
    survey->same_hessians = survey->same_hessians && pair.hessian == row[0].hessian;
  }
}

Survey SurveyGradients(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs) {
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  Survey const empty{std::vector<GradientPair>(At(n_outputs), {0.0F, 0.0F}), true};
  std::vector<Survey> of_block(At(NumBlocks(n_rows, kRowsPerBlock)), empty);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    for (auto row = begin; row < end; ++row) {
      SurveyRow({gradients.data() + row * n_outputs, At(n_outputs)}, row, &of_block[At(block)]);
    }
  });
  auto all = empty;
  for (auto const& block : of_block) {
    all.same_hessians = all.same_hessians && block.same_hessians;
    for (std::size_t output = 0; output < all.largest.size(); ++output) {
      all.largest[output].gradient = std::max(all.largest[output].gradient, block.largest[output].gradient);
      all.largest[output].hessian = std::max(all.largest[output].hessian, block.largest[output].hessian);
    }
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
  auto const survey = SurveyGradients(ctx, gradients, n_outputs);
  std::vector<GradientUnit> steps;
  units_.clear();
  for (auto const& largest : survey.largest) {
    units_.push_back({FixedPointUnit(largest.gradient), FixedPointUnit(largest.hessian)});
    steps.push_back({1.0 / units_.back().gradient, 1.0 / units_.back().hessian});
  }
  n_hessians_ = survey.same_hessians ? 1 : n_outputs;
  Resize(n_rows, n_outputs);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      auto* const values = values_.get() + row * stride_;
      std::fill_n(values, stride_, 0);
      if (!sampled.empty() && sampled[At(row)] == 0) continue;
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        auto const pair = QuantisePair(gradients[At(row * n_outputs + output)], steps[At(output)]);
        values[output] = pair.gradient;
        values[n_outputs + (n_hessians_ == 1 ? 0 : output)] = pair.hessian;
      }
    }
  });
}

}  // namespace kauri
