/// rank:pairwise, rank:ndcg and rank:map.
#include "cuda/objective/device_objective.h"
#include "cuda/objective/rank_gradients.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

class RankVersion : public DeviceObjective {
 public:
  explicit RankVersion(LambdaRule const& rule) : rule_(rule) {}

  void ComputeGradients(CudaContext const& cuda, Context const& ctx, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t iteration, Span<GradientPair> out) const override {
    RankGradients(cuda, RuleOf(ctx, margins, info, iteration, out), margins, info, out);
  }
  bool Transforms() const override { return false; }
  void TransformMargins(CudaContext const&, Span<float>, std::int64_t) const override {}

 protected:
  /// Returns the rule of a round. \throws Error(kInternal).
  LambdaRule RuleOf(Context const& ctx, Span<float const> margins, DeviceInfo const& info, std::int64_t iteration,
                    Span<GradientPair> out) const {
    if (margins.size() != info.labels.size() || out.size() != info.labels.size()) {
      Fail(ErrorKind::kInternal, "expected ", info.labels.size(),
           " margins and gradient pairs on the device, one per label, got ", margins.size(), " margins and ",
           out.size(), " gradient pairs");
    }
    auto rule = rule_;
    rule.key = PairKey(ctx.seed, iteration);
    return rule;
  }

 private:
  LambdaRule rule_;
};

/// A ranking objective that learns the bias of positions.
class UnbiasedVersion : public RankVersion {
 public:
  explicit UnbiasedVersion(UnbiasedRule const& rule) : RankVersion(rule.rule), rule_(rule) {}

  void ComputeGradients(CudaContext const& cuda, Context const& ctx, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t iteration, Span<GradientPair> out) const override {
    auto const of_round = RuleOf(ctx, margins, info, iteration, out);
    PositionBias bias(*rule_.state, of_round.NumPositions(info.largest_group));
    bias.Learn(UnbiasedGradients(cuda, of_round, bias, margins, info, out), rule_.norm);
    bias.Store(rule_.state);
  }

 private:
  UnbiasedRule rule_;
};

}  // namespace

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(LambdaRule const& rule) {
  return std::make_unique<RankVersion>(rule);
}

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(UnbiasedRule const& rule) {
  return std::make_unique<UnbiasedVersion>(rule);
}

}  // namespace kauri::cuda
