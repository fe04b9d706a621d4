#include "booster/boosters/gblinear.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "booster/boosters/coordinate_descent.h"
#include "booster/boosters/finite_check.h"
#include "common/memory_size.h"
#include "kauri/error.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(GbLinearParam);

namespace {

class GbLinear : public Booster {
 public:
  explicit GbLinear(TrainingParams const& params) : updater_(ParseParameters<GbLinearParam>(params.all)) {}

  Round BoostRound(Context const& ctx, DataMatrix const& train, Model const& model, std::int64_t iteration,
                   Engine* engine) const override {
    if (model.linear.n_rounds == std::numeric_limits<std::int32_t>::max()) {
      Fail(ErrorKind::kModel, "the model has ", model.linear.n_rounds,
           " rounds, the most that a model file can hold; train a new model.");
    }
    auto* const host = engine->OnHost();
    if (host == nullptr)
      Fail(ErrorKind::kInternal, "booster=gblinear trains in host memory; expected a CPU engine, got a device engine");
    auto next = model;  // a linear model has no trees
    if (!model.IsLinear()) next.linear.weights.assign(SizeInMemory((model.n_features + 1) * model.NumOutputs()), 0.0F);
    host->UpdateLinear(ctx, train, updater_, &next);
    RequireFiniteWeights(next.linear.weights, iteration);
    ++next.linear.n_rounds;
    Round round;
    round.n_parallel_trees = model.n_parallel_trees;
    round.linear = std::move(next.linear);
    return round;
  }

 private:
  CoordinateDescent updater_;
};

}  // namespace

void GbLinearParam::Validate() const {
  if (updater == kCoordDescent || feature_selector == kCyclic || feature_selector == kShuffle) return;
  auto const* const name = feature_selector == kRandom ? "random" : feature_selector == kGreedy ? "greedy" : "thrifty";
  Fail(ErrorKind::kParameter, "feature_selector=", name,
       " does not go with updater=shotgun, which supports cyclic and shuffle; use updater=coord_descent.");
}

std::unique_ptr<Booster> MakeGbLinear(TrainingParams const& params) { return std::make_unique<GbLinear>(params); }

ParameterTable GbLinearParameters() { return DescribeParameters<GbLinearParam>(); }

}  // namespace kauri
