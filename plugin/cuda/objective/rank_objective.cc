#include "cuda/objective/rank_objective.h"

#include "cuda/objective/rank_gradients.h"
#include "kauri/error.h"
#include "objective/lambda_rank.h"

namespace kauri::cuda {
namespace {

/// `objective` must outlive it.
class DeviceRankObjective : public DeviceObjective {
 public:
  explicit DeviceRankObjective(LambdaRank const& objective) : objective_(objective) {}

  void ComputeGradients(CudaContext const& cuda, Context const& ctx, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t iteration, Span<GradientPair> out) const override {
    if (margins.size() != info.labels.size() || out.size() != info.labels.size()) {
      Fail(ErrorKind::kInternal, "gradients of ", info.labels.size(), " labels asked for ", margins.size(),
           " margins and ", out.size(), " places on the device");
    }
    RankGradients(cuda, objective_.Rule(ctx.seed, iteration), margins, info, out);
  }
  bool Transforms() const override { return false; }
  void TransformMargins(CudaContext const&, Span<float>, std::int64_t) const override {}

 private:
  LambdaRank const& objective_;
};

}  // namespace

std::unique_ptr<DeviceObjective> MakeDeviceRankObjective(Objective const& objective) {
  auto const* ranking = dynamic_cast<LambdaRank const*>(&objective);
  if (ranking == nullptr || ranking->LearnsPositionBias()) return nullptr;
  return std::make_unique<DeviceRankObjective>(*ranking);
}

}  // namespace kauri::cuda
