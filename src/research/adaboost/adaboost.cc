#include "research/adaboost/adaboost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "booster/boosters/device.h"
#include "booster/boosters/gbtree.h"
#include "collective/reduce.h"
#include "common/math.h"
#include "kauri/booster.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"

namespace kauri {
namespace {

constexpr char kObjective[] = "binary:logitraw";
constexpr double kLeastError = 1e-10;

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
  bool LearnsInGroups() const override { return trees_->LearnsInGroups(); }
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
ParamMap OfTrees(ParamMap map) {
  map["eta"] = "1";
  return map;
}

/// Returns AdaBoost's defaults of tree parameters, where they differ from gbtree's.
ParamMap Defaults() { return {{"eta", "1"}, {"lambda", "0"}, {"min_child_weight", "0"}}; }

ParamMap WithDefaults(ParamMap map) {
  map.merge(Defaults());
  return map;
}

/// Returns whether the objective and the tree weights are compatible with AdaBoost.
bool MayVote(Model const& model) { return model.objective == kObjective && model.tree_weights.empty(); }

class AdaBoost : public Booster {
 public:
  explicit AdaBoost(ParamMap const& map)
      : device_(ParseDeviceKind(map)),
        tree_param_(ParseParameters<TreeParam>(map)),
        param_(ParseParameters<GbTreeParam>(map)),
        loss_(GetRegistries().objectives.Find("binary:exponential").make(map)),
        trees_(MakeGbTreeWith(OfTrees(map), [eta = tree_param_.eta](std::unique_ptr<TreeBuilder> builder) {
          return std::make_unique<VotingBuilder>(std::move(builder), eta);
        })) {
    auto const objective = map.find("objective");
    if (objective != map.end()) objective_ = objective->second;
  }

  void RequireTraining() const override {
    if (objective_ != kObjective) {
      Fail(ErrorKind::kParameter, "booster=adaboost trains binary classifiers, whose trees add up to half the ",
           "log-odds; objective=", objective_.empty() ? "(none)" : objective_,
           " is not supported: set objective=", kObjective, ".");
    }
    if (device_ != DeviceKind::kCpu) {
      Fail(ErrorKind::kParameter, "booster=adaboost builds trees in host memory, and device=cuda was given; ",
           "set device=cpu, or use booster=gbtree with objective=binary:exponential.");
    }
    RequireAllRows();
    RequireVotes();
    trees_->RequireTraining();
  }
  void RequireGroup() const override { trees_->RequireGroup(); }
  ParamMap ParameterDefaults() const override { return Defaults(); }
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
  /// Checks parameters: the leaves give the error of a tree only if they are the means of their rows' labels.
  void RequireVotes() const {
    struct Value {
      char const* name;
      float value;
    };
    std::array<Value, 4> const values{{{"lambda", tree_param_.lambda},
                                       {"alpha", tree_param_.alpha},
                                       {"max_delta_step", tree_param_.max_delta_step},
                                       {"path_smooth", tree_param_.path_smooth}}};
    for (auto const& value : values) {
      if (value.value == 0.0F) continue;
      Fail(ErrorKind::kParameter, value.name, "=", value.value,
           " shrinks leaf values, but leaves of booster=adaboost hold ", "votes; set ", value.name,
           "=0, or use booster=gbtree.");
    }
    if (tree_param_.linear_tree) {
      Fail(ErrorKind::kParameter, "linear_tree=1 fits linear leaves, but leaves of booster=adaboost hold votes; set ",
           "linear_tree=0, or use booster=gbtree.");
    }
    if (!ParseConstraints(tree_param_).HasMonotone()) return;
    Fail(ErrorKind::kParameter, "monotone_constraints=", tree_param_.monotone_constraints,
         " bound leaf values, but leaves of booster=adaboost hold votes; leave the constraints out, or use "
         "booster=gbtree.");
  }
  void RequireAllRows() const {
    if (tree_param_.subsample < 1.0F || tree_param_.bagging_temperature > 0.0F) {
      Fail(ErrorKind::kParameter, "subsample=", tree_param_.subsample,
           " and bagging_temperature=", tree_param_.bagging_temperature,
           ": booster=adaboost measures the error of each tree on all rows; set ",
           "subsample=1 and bagging_temperature=0, or use booster=gbtree.");
    }
    if (param_.num_parallel_tree > 1 || param_.process_type == GbTreeParam::kUpdate) {
      Fail(ErrorKind::kParameter,
           "booster=adaboost adds one tree a round, and num_parallel_tree=", param_.num_parallel_tree,
           " and process_type=", param_.process_type == GbTreeParam::kUpdate ? "update" : "default",
           " were given; set num_parallel_tree=1 and process_type=default, or use booster=gbtree.");
    }
  }

  /// Returns whether all rows are right by the largest step, which the next tree without errors would only repeat. The
  /// margins are read, at the cost of a copy, only if the last tree had no errors or zero leaves.
  bool HasEnded(Context const& ctx, DataMatrix const& train, Model const& model, Engine const& engine) const {
    if (model.trees.empty() || model.NumOutputs() != 1) return false;
    auto const most = static_cast<float>(static_cast<double>(tree_param_.eta) * AdaBoostStep(0.0));
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

  DeviceKind device_;
  TreeParam tree_param_;
  GbTreeParam param_;
  std::string objective_;
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
  registries->boosters.Add({"adaboost",
                            "Trees that vote on two classes, by AdaBoost.M1: objective=binary:logitraw; eta=1, "
                            "lambda=0 and min_child_weight=0 unless they are given.",
                            [](ParamMap const& map) { return std::make_unique<AdaBoost>(WithDefaults(map)); }});
  registries->boosters_in_attributes.Add({"adaboost", "Trees whose leaves may be votes.", MayVote});
}

}  // namespace kauri
