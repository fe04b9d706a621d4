#include "engine/gradient_table_rows.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/gradient_table_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rounds the interleaved gradients and hessians of a row to integers in the same layout.
void RoundRow(float const* row, double const* steps, std::size_t n, std::int32_t* out) {
  hn::ScalableTag<double> const d;
  hn::Rebind<float, decltype(d)> const narrow;
  hn::Rebind<std::int32_t, decltype(d)> const integers;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    auto const scaled = hn::Mul(hn::PromoteTo(d, hn::LoadU(narrow, row + i)), hn::LoadU(d, steps + i));
    hn::StoreU(hn::DemoteTo(integers, hn::Round(scaled)), integers, out + i);
  }
  for (; i < n; ++i) out[i] = static_cast<std::int32_t>(std::nearbyint(static_cast<double>(row[i]) * steps[i]));
}

void QuantiseRows(GradientRows const& rows, Span<double const> steps, Span<std::uint8_t const> sampled,
                  TableRows const& out) {
  auto const n_outputs = rows.n_outputs;
  std::vector<std::int32_t> rounded(steps.size());
  for (std::int64_t row = 0; row < rows.n_rows; ++row) {
    auto const* pairs = rows.pairs + row * n_outputs;
    auto* const values = out.values + row * out.stride;
    std::fill_n(values, out.stride, 0);
    if (!sampled.empty() && sampled[rows.first_row + row] == 0) continue;
    RoundRow(&pairs->gradient, steps.data(), steps.size(), rounded.data());
    auto const* from = rounded.data();
    for (std::int64_t output = 0; output < n_outputs; ++output, from += 2) values[output] = from[0];
    from = rounded.data() + 1;
    for (std::int64_t output = 0; output < out.n_hessians; ++output, from += 2) {
      values[n_outputs + output] = std::max(*from, pairs[output].hessian > 0.0F ? 1 : *from);
    }
  }
}

/// Updates the largest absolute value of every column. Returns false if a number is not finite.
bool SurveyNumbers(float const* numbers, std::int64_t n_rows, std::size_t width, float* largest) {
  std::vector<float> poison(width, 0.0F);  // becomes NaN if a number is infinite or NaN
  hn::ScalableTag<float> const d;
  auto const lanes = hn::Lanes(d);
  for (std::int64_t row = 0; row < n_rows; ++row, numbers += width) {
    std::size_t i = 0;
    for (; i + lanes <= width; i += lanes) {
      auto const number = hn::LoadU(d, numbers + i);
      hn::StoreU(hn::Max(hn::LoadU(d, largest + i), hn::Abs(number)), d, largest + i);
      hn::StoreU(hn::Add(hn::LoadU(d, poison.data() + i), hn::Mul(number, hn::Zero(d))), d, poison.data() + i);
    }
    for (; i < width; ++i) {
      largest[i] = std::max(largest[i], std::fabs(numbers[i]));
      poison[i] += numbers[i] * 0.0F;
    }
  }
  return std::all_of(poison.begin(), poison.end(), [](float value) { return value == 0.0F; });
}

bool SurveyRows(GradientRows const& rows, RowSurvey* survey) {
  for (std::int64_t row = 0; row < rows.n_rows && survey->same_hessians; ++row) {
    auto const* pairs = rows.pairs + row * rows.n_outputs;
    for (std::int64_t output = 1; output < rows.n_outputs; ++output) {
      survey->same_hessians = survey->same_hessians && pairs[output].hessian == pairs[0].hessian;
    }
  }
  return SurveyNumbers(&rows.pairs->gradient, rows.n_rows, survey->largest.size(), survey->largest.data());
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

static_assert(sizeof(GradientPair) == 2 * sizeof(float), "pairs are read as rows of floats");

HWY_EXPORT(QuantiseRows);
HWY_EXPORT(SurveyRows);

void QuantiseRows(GradientRows const& rows, Span<double const> steps, Span<std::uint8_t const> sampled,
                  TableRows const& out) {
  HWY_DYNAMIC_DISPATCH(QuantiseRows)(rows, steps, sampled, out);
}

bool SurveyRows(GradientRows const& rows, RowSurvey* survey) { return HWY_DYNAMIC_DISPATCH(SurveyRows)(rows, survey); }

}  // namespace kauri
#endif  // HWY_ONCE
