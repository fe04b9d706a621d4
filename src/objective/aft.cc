#include "objective/aft.h"

#include "common/block_sum.h"
#include "common/loss/aft_loss.h"
#include "common/loss/loss_param.h"
#include "common/parallel_for.h"
#include "kauri/error.h"
#include "objective/entries.h"
#include "objective/labels.h"
#include "objective/log_link.h"

namespace kauri {

Aft::Aft(ParamMap const& params) : param_(ParseParameters<AftParam>(params)) {}

AftLoss Aft::Loss() const {
  return {param_.aft_loss_distribution, static_cast<double>(param_.aft_loss_distribution_scale)};
}

void Aft::ValidateInfo(MetaInfo const& info) const {
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  auto const& lower = info.label_lower_bound;
  auto const& upper = info.label_upper_bound;
  if (lower.size() != n_rows || upper.size() != n_rows) {
    Fail(ErrorKind::kData, kName, ": ", lower.size(), " values of label_lower_bound and ", upper.size(),
         " of label_upper_bound for ", info.n_rows, " rows; set both for every row");
  }
  CheckRowWeights(info, {kName, "", ""});
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (lower[row] >= 0.0F && upper[row] > 0.0F && lower[row] <= upper[row]) continue;
    Fail(ErrorKind::kData, kName, ": the bounds [", lower[row], ", ", upper[row], "] of row ", row,
         " are no interval of times; give 0 <= label_lower_bound <= label_upper_bound, the latter above 0");
  }
}

void Aft::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                           Span<GradientPair> out) const {
  if (margins.size() != info.label_lower_bound.size() || out.size() != info.label_lower_bound.size()) {
    Fail(ErrorKind::kInternal, "gradients of ", info.label_lower_bound.size(), " label bounds asked for ",
         margins.size(), " margins and ", out.size(), " places");
  }
  auto const loss = Loss();
  ParallelForBlocks(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      auto const i = static_cast<std::size_t>(row);
      out[i] = loss.Gradient(margins[i], info.label_lower_bound[i], info.label_upper_bound[i], info.Weight(row));
    }
  });
}

float Aft::BaseScoreToMargin(float base_score) const { return LogOfBaseScore(kName, base_score); }

void Aft::TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const { ExpMargins(ctx, values); }

void RegisterAft(Registry<ObjectiveFactory>* registry) {
  registry->Add({Aft::kName, "Times between label_lower_bound and label_upper_bound: the accelerated failure time.",
                 [](ParamMap const& params) { return std::make_unique<Aft>(params); }, DescribeParameters<AftParam>});
}

}  // namespace kauri
