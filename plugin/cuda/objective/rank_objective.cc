/// rank:pairwise, rank:ndcg and rank:map.
#include "cuda/objective/make_objective.h"
#include "cuda/objective/rank_gradients.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

class RankVersion : public DeviceObjective {
 public:
  explicit RankVersion(LambdaRule const& rule) : rule_(rule) {}

  void ComputeGradients(CudaContext const& cuda, Context const& ctx, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t iteration, Span<GradientPair> out) const override {
    if (margins.size() != info.labels.size() || out.size() != info.labels.size()) {
      Fail(ErrorKind::kInternal, "gradients of ", info.labels.size(), " labels asked for ", margins.size(),
           " margins and ", out.size(), " places on the device");
    }
    auto rule = rule_;
    rule.key = PairKey(ctx.seed, iteration);
    RankGradients(cuda, rule, margins, info, out);
  }
  bool Transforms() const override { return false; }
  void TransformMargins(CudaContext const&, Span<float>, std::int64_t) const override {}

 private:
  LambdaRule rule_;
};

}  // namespace

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(LambdaRule const& rule) {
  return std::make_unique<RankVersion>(rule);
}

}  // namespace kauri::cuda
