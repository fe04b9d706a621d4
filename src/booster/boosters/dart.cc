#include "booster/boosters/dart.h"

#include "booster/boosters/gbtree.h"
#include "common/random/random.h"
#include "kauri/tree_param.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(DartParam);

namespace {

/// Random streams: whether a round skips dropout, which trees are dropped, and the tree for one_drop.
enum class Purpose : std::uint64_t { kDart = 0x64617274, kSkip = 1, kTrees = 2, kOne = 3 };

std::uint64_t KeyOf(std::uint64_t key, Purpose purpose) {
  return CombineKeys(key, static_cast<std::uint64_t>(purpose));
}

double Sum(std::vector<float> const& weights) {
  double sum = 0.0;
  for (auto const weight : weights) sum += static_cast<double>(weight);
  return sum;
}

/// Draws one tree with probability proportional to its weight.
std::int64_t DrawByWeight(std::vector<float> const& weights, double uniform) {
  auto left = uniform * Sum(weights);
  for (std::size_t tree = 0; tree < weights.size(); ++tree) {
    left -= static_cast<double>(weights[tree]);
    if (left < 0.0) return static_cast<std::int64_t>(tree);
  }
  return static_cast<std::int64_t>(weights.size()) - 1;
}

std::vector<float> WeightsOf(Model const& model) {
  auto weights = model.tree_weights;
  weights.resize(model.trees.size(), 1.0F);
  return weights;
}

class Dart : public Booster {
 public:
  explicit Dart(TrainingParams const& params)
      : param_(ParseParameters<DartParam>(params.all)), eta_(params.tree.eta), trees_(MakeGbTree(params)) {}

  bool UpdatesTrees() const override { return trees_->UpdatesTrees(); }

  std::vector<std::int64_t> DroppedTrees(Context const& ctx, Model const& model) const override {
    auto const round = static_cast<std::uint64_t>(model.NumIterations());
    return DrawDroppedTrees(param_, WeightsOf(model), CombineKeys(KeyOf(ctx.seed, Purpose::kDart), round));
  }

  Round BoostRound(Context const& ctx, DataMatrix const& train, Model const& model, std::int64_t iteration,
                   Engine* engine) const override {
    return Weighed(ctx, model, trees_->BoostRound(ctx, train, model, iteration, engine));
  }

  Round UpdateRound(Context const& ctx, DataMatrix const& train, Model const& model, Model const& old,
                    Predictor const& predictor, Engine* engine) const override {
    return Weighed(ctx, model, trees_->UpdateRound(ctx, train, model, old, predictor, engine));
  }

 private:
  /// Adds tree weights to a round. round: trained without the dropped trees.
  Round Weighed(Context const& ctx, Model const& model, Round round) const {
    round.tree_weights = WeightsOf(model);
    auto const n_new = static_cast<std::int64_t>(round.trees.size());
    WeighTrees(param_, DroppedTrees(ctx, model), n_new, eta_, &round.tree_weights);
    return round;
  }

  DartParam param_;
  float eta_;
  std::unique_ptr<Booster> trees_;
};

}  // namespace

std::vector<std::int64_t> DrawDroppedTrees(DartParam const& param, std::vector<float> const& weights,
                                           std::uint64_t key) {
  std::vector<std::int64_t> dropped;
  if (weights.empty() || RandomUniform(KeyOf(key, Purpose::kSkip), 0) < static_cast<double>(param.skip_drop)) return {};
  auto const by_weight = param.sample_type == DartParam::kWeighted;
  auto const mean = Sum(weights) / static_cast<double>(weights.size());
  for (std::size_t tree = 0; tree < weights.size(); ++tree) {
    auto const rate =
        static_cast<double>(param.rate_drop) * (by_weight ? static_cast<double>(weights[tree]) / mean : 1.0);
    if (RandomUniform(KeyOf(key, Purpose::kTrees), tree) < rate) dropped.push_back(static_cast<std::int64_t>(tree));
  }
  if (param.one_drop && dropped.empty()) {
    auto const bits = KeyOf(key, Purpose::kOne);
    dropped.push_back(by_weight ? DrawByWeight(weights, RandomUniform(bits, 0))
                                : RandomBelow(bits, 0, static_cast<std::uint32_t>(weights.size())));
  }
  return dropped;
}

void WeighTrees(DartParam const& param, std::vector<std::int64_t> const& dropped, std::int64_t n_new, float eta,
                std::vector<float>* weights) {
  auto const n_dropped = static_cast<float>(dropped.size());
  auto of_new = 1.0F;
  auto factor = 1.0F;
  if (!dropped.empty() && param.normalize_type == DartParam::kForest) {
    of_new = factor = static_cast<float>(1.0 / (1.0 + static_cast<double>(eta)));  // as XGBoost rounds
  } else if (!dropped.empty()) {
    of_new = 1.0F / (n_dropped + eta);
    factor = n_dropped / (n_dropped + eta);
  }
  for (auto const tree : dropped) (*weights)[tree] *= factor;
  weights->resize(weights->size() + static_cast<std::size_t>(n_new), of_new);
}

std::unique_ptr<Booster> MakeDart(TrainingParams const& params) { return std::make_unique<Dart>(params); }

}  // namespace kauri
