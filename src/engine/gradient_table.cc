#include "engine/gradient_table.h"

#include <new>

#include "common/threads/parallel_for.h"
#include "engine/gradient_survey.h"
#include "engine/gradient_table_rows.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 13;

}  // namespace

void GradientTable::Resize(std::int64_t n_rows, std::int64_t n_outputs) {
  stride_ = TableStride(n_outputs + n_hessians_);
  size_ = ToSize(n_rows * stride_);
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
