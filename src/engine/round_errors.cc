#include "engine/round_errors.h"

#include "common/threads/parallel_for.h"

namespace kauri {

void RoundErrors::Compute(Context const& ctx, MetaInfo const& info, Span<float const> margins) {
  constexpr std::int64_t kRowsPerBlock = 1 << 14;
  auto const n_outputs = static_cast<std::int64_t>(margins.size()) / info.n_rows;
  auto const n_targets = static_cast<std::int64_t>(info.labels.size()) / info.n_rows;
  residuals_.resize(margins.size());
  weights_.resize(info.weights.empty() ? 0 : static_cast<std::size_t>(info.n_rows));
  ParallelForBlocks(ctx, info.n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        auto const label = info.labels[row * n_targets + (n_targets == 1 ? 0 : output)];
        residuals_[output * info.n_rows + row] = label - margins[row * n_outputs + output];
      }
      if (!weights_.empty()) weights_[row] = info.Weight(row);
    }
  });
}

LineErrors RoundErrors::Of(Context const& ctx, MetaInfo const& info, Span<float const> margins, RoundTree const& tree) {
  if (slopes_.IsEmpty() || info.n_rows == 0) return {};
  if (!is_computed_) Compute(ctx, info, margins);
  is_computed_ = true;
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  Span<float const> const residuals(residuals_);
  return slopes_.ErrorsOf(residuals.subspan(static_cast<std::size_t>(tree.output) * n_rows, n_rows), weights_,
                          tree.output);
}

}  // namespace kauri
