#include "objective/several_alphas.h"

#include "common/block_sum.h"
#include "common/parallel_for.h"
#include "kauri/error.h"
#include "objective/labels.h"

namespace kauri {

void SeveralAlphas::ValidateInfo(MetaInfo const& info) const {
  if (info.n_targets != 1) {
    Fail(ErrorKind::kData, name_, ": ", info.n_targets, " label columns; give one column");
  }
  CheckLabelsAre<FiniteLabels>(info, name_);
}

void SeveralAlphas::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                                     Span<GradientPair> out) const {
  auto const expected = info.labels.size() * alphas_.size();
  if (margins.size() != expected || out.size() != expected) {
    Fail(ErrorKind::kInternal, "gradients of ", info.labels.size(), " labels and ", NumAlphas(), " alphas asked for ",
         margins.size(), " margins and ", out.size(), " places");
  }
  ParallelForBlocks(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      auto const first = row * NumAlphas();
      RowGradients(margins.data() + first, info.labels[row], info.Weight(row), out.data() + first);
    }
  });
}

}  // namespace kauri
