#include "engine/gradient_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "common/fixed_point.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "engine/gradient_table_rows.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 13;

std::uint64_t BitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float FromBits(std::uint64_t word) {
  auto const bits = static_cast<std::uint32_t>(word);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

[[noreturn]] void FailRow(GradientRows const& rows) {
  for (std::int64_t row = 0; row < rows.n_rows; ++row) {
    for (std::int64_t output = 0; output < rows.n_outputs; ++output) {
      auto const pair = rows.pairs[row * rows.n_outputs + output];
      if (!std::isfinite(pair.gradient) || !std::isfinite(pair.hessian)) FailGradient(pair, rows.first_row + row);
    }
  }
  Fail(ErrorKind::kInternal,
       "expected a gradient that is NaN or infinite, as the first scan found one, but the second scan found none");
}

/// Combines the surveys of all ranks. Bits of magnitudes ascend with the magnitudes; the last word indicates that
/// hessians differ.
RowSurvey SurveyOfRanks(Context const& ctx, RowSurvey survey) {
  if (!IsDistributed(ctx)) return survey;
  std::vector<std::uint64_t> words;
  for (auto const largest : survey.largest) words.push_back(BitsOf(largest));
  words.push_back(survey.same_hessians ? 0 : 1);
  MaxOverRanks(ctx, words);
  for (std::size_t i = 0; i < survey.largest.size(); ++i) survey.largest[i] = FromBits(words[i]);
  survey.same_hessians = words.back() == 0;
  return survey;
}

}  // namespace

RowSurvey SurveyGradients(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs) {
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  RowSurvey const empty{std::vector<float>(2 * n_outputs, 0.0F), true};
  std::vector<RowSurvey> of_block(NumBlocks(n_rows, kRowsPerBlock), empty);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    GradientRows const rows{gradients.data() + begin * n_outputs, end - begin, n_outputs, begin};
    if (!SurveyRows(rows, &of_block[block])) FailRow(rows);
  });
  auto all = empty;
  for (auto const& block : of_block) {
    all.same_hessians = all.same_hessians && block.same_hessians;
    for (std::size_t i = 0; i < all.largest.size(); ++i) all.largest[i] = std::max(all.largest[i], block.largest[i]);
  }
  return SurveyOfRanks(ctx, std::move(all));
}

GradientUnit UnitOf(RowSurvey const& survey, std::int64_t output) {
  return {FixedPointUnit(survey.largest[2 * output]), FixedPointUnit(survey.largest[2 * output + 1])};
}

void GradientTable::Resize(std::int64_t n_rows, std::int64_t n_outputs) {
  stride_ = TableStride(n_outputs + n_hessians_);
  size_ = SizeInMemory(n_rows * stride_);
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
  std::vector<double> steps;
  units_.clear();
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    units_.push_back(UnitOf(survey, output));
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
