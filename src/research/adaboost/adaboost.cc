#include "research/adaboost/adaboost.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "booster/boosters/gbtree.h"
#include "collective/reduce.h"
#include "common/math.h"
#include "kauri/booster.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {
namespace {

constexpr char kObjective[] = "binary:logitraw";
constexpr double kLeastError = 1e-10;

/// The error of a tree on all rows decides its weight, and leaves hold votes.
constexpr FeatureSet kSupported{Feature::kTrees, Feature::kHostMemory, Feature::kRanks,          Feature::kCategories,
                                Feature::kBins,  Feature::kApproxBins, Feature::kOrderedEncoding};

/// Turns the leaves of a tree that was grown with eta=1 and lambda=0 into votes. \returns whether the votes are
/// nonzero.
bool Vote(float eta, Tree* tree) {
  double all = 0.0;
  double wrong = 0.0;
  for (std::int32_t node = 0; node < tree->NumNodes(); ++node) {
    if (!tree->IsLeaf(node)) continue;
    auto const weight = static_cast<double>(tree->sum_hessian[node]);
    all += weight;
    wrong += weight * 0.5 * (1.0 - std::min(1.0, std::fabs(static_cast<double>(tree->split_value[node]))));
  }
  auto const step = all > 0.0 ? static_cast<float>(static_cast<double>(eta) * AdaBoostStep(wrong / all)) : 0.0F;
  for (std::int32_t node = 0; node < tree->NumNodes(); ++node) {
    if (tree->IsLeaf(node)) tree->SetLeafValue(node, tree->split_value[node] > 0.0F ? step : -step);
  }
  return step > 0.0F;
}

/// Grows the trees of another builder, with votes in their leaves.
class VotingBuilder : public TreeBuilder {
 public:
  VotingBuilder(std::unique_ptr<TreeBuilder> trees, float eta) : trees_(std::move(trees)), eta_(eta) {}

  std::string StateKey() const override { return trees_->StateKey(); }
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override {
    return trees_->MakeState(ctx, data);
  }
  Tree Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
             Span<std::int32_t> leaf_of_row) const override {
    auto tree = trees_->Build(ctx, data, task, state, leaf_of_row);
    if (Vote(eta_, &tree)) return tree;
    std::fill(leaf_of_row.begin(), leaf_of_row.end(), 0);
    return Tree();
  }

 private:
  std::unique_ptr<TreeBuilder> trees_;
  float eta_;
};

/// Returns the parameters of the trees, whose leaves are means of the labels -1 and 1.
TrainingParams OfTrees(TrainingParams params) {
  params.tree.eta = 1.0F;
  return params;
}

/// Returns whether the objective and the tree weights are compatible with AdaBoost.
bool MayVote(Model const& model) { return model.objective == kObjective && model.tree_weights.empty(); }

class AdaBoost : public Booster {
 public:
  explicit AdaBoost(TrainingParams const& params)
      : eta_(params.tree.eta),
        loss_(GetRegistries().objectives.Find("binary:exponential").make(params.all)),
        trees_(MakeGbTreeWith(OfTrees(params), [eta = eta_](std::unique_ptr<TreeBuilder> builder) {
          return std::make_unique<VotingBuilder>(std::move(builder), eta);
        })) {}

  Objective const* OwnLoss() const override { return loss_.get(); }

  Round BoostRound(Context const& ctx, DataMatrix const& train, Model const& model, std::int64_t iteration,
                   Engine* engine) const override {
    if (!HasEnded(ctx, train, model, *engine)) return trees_->BoostRound(ctx, train, model, iteration, engine);
    Round round;
    round.trees.emplace_back();
    round.output_of_tree.push_back(0);
    return round;
  }

 private:
  /// Returns whether all rows are right by the largest step, which the next tree without errors would only repeat. The
  /// margins are read, at the cost of a copy, only if the last tree had no errors or zero leaves.
  bool HasEnded(Context const& ctx, DataMatrix const& train, Model const& model, Engine const& engine) const {
    if (model.trees.empty() || model.NumOutputs() != 1) return false;
    auto const most = static_cast<float>(static_cast<double>(eta_) * AdaBoostStep(0.0));
    auto const last = std::fabs(model.trees.back().split_value.back());  // a leaf
    if (last != 0.0F && last != most) return false;
    auto const& info = train.Info();
    auto const margins = engine.Margins(train);
    std::uint64_t is_open = 0;
    for (std::int64_t row = 0; row < info.n_rows && is_open == 0; ++row) {
      auto const towards = info.labels[row] == 1.0F ? margins[row] : -margins[row];
      if (info.Weight(row) > 0.0F && !(towards >= most)) is_open = 1;
    }
    return MaxOverRanks(ctx, is_open) == 0;
  }

  float eta_;
  std::unique_ptr<Objective> loss_;
  std::unique_ptr<Booster> trees_;
};

}  // namespace

double AdaBoostStep(double error) {
  if (!(error < 0.5)) return 0.0;
  auto const bounded = std::max(error, kLeastError);
  return 0.5 * Log((1.0 - bounded) / bounded);
}

void RegisterAdaBoost(Registries* registries) {
  Registry<BoosterFactory>::Entry entry{
      "adaboost",
      "Trees that vote on two classes, by AdaBoost.M1: objective=binary:logitraw; eta=1, lambda=0 and "
      "min_child_weight=0 unless they are given.",
      [](TrainingParams const& params) { return std::make_unique<AdaBoost>(params); }};
  entry.supports = {kSupported};
  entry.defaults = {{"eta", "1"}, {"lambda", "0"}, {"min_child_weight", "0"}};
  registries->boosters.Add(std::move(entry));
  registries->boosters_in_attributes.Add({"adaboost", "Trees whose leaves may be votes.", MayVote});
}

}  // namespace kauri
