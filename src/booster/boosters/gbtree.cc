#include "booster/boosters/gbtree.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "booster/boosters/device.h"
#include "booster/boosters/finite_check.h"
#include "booster/boosters/tree_updates.h"
#include "booster/names/other_names.h"
#include "collective/row_ranges.h"
#include "common/text/log.h"
#include "data/categories/categories.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/feature_cost.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(GbTreeParam);

namespace {

/// Warns of limits that the method ignores: it grows level by level to max_depth.
void WarnOfLimits(TreeMethod const& method, TreeParam const& param) {
  if (method.entry == nullptr) return;
  auto const& supported = method.entry->supports.features;
  auto const has_leaves = param.max_leaves > 0 && !supported.Has(Feature::kMaxLeaves);
  auto const has_policy = param.grow_policy == TreeParam::kLossGuide && !supported.Has(Feature::kLossGuide);
  if (!has_leaves && !has_policy) return;
  Log(LogLevel::kWarning, "tree_method=", method.given, " ignores ",
      has_leaves ? "max_leaves=" + std::to_string(param.max_leaves) : std::string(),
      has_leaves && has_policy ? " and " : "", has_policy ? "grow_policy=lossguide" : "",
      ": it grows level by level, to max_depth. Limit max_depth, or use tree_method=hist.");
}

/// Returns TreePlace::n_rows, or 0 if no parameter needs it.
std::int64_t CountRowsFor(Context const& ctx, TreeParam const& param, MetaInfo const& info) {
  auto const asks = param.cat_smooth != 0.0F || param.cat_l2 > 0.0F || param.min_data_per_group > 0;
  return param.random_strength > 0.0F || (asks && HasCategorical(info)) ? CountGlobalRows(ctx, info.n_rows) : 0;
}

class GbTree : public Booster {
 public:
  GbTree(TrainingParams const& params, BuilderWrap const& wrap)
      : tree_param_(params.tree),
        param_(ParseParameters<GbTreeParam>(params.all)),
        feature_costs_(ParseFeatureCost(tree_param_)),
        free_outputs_(params.free_outputs) {
    auto const method = ChooseTreeMethod(param_, ParseDeviceKind(params.all));
    if (method.entry != nullptr) builder_ = wrap(method.entry->make(params));
    if (UpdatesTrees()) {
      updates_ = std::make_unique<TreeUpdates>(param_.updater, params);
    } else {
      WarnOfLimits(method, tree_param_);
    }
  }

  /// Trains a round. Trees are ordered by output (vector leaves count as output 0), with the parallel trees of one
  /// output side by side, as in XGBoost's files.
  Round BoostRound(Context const& ctx, DataMatrix const& train, Model const& model, std::int64_t iteration,
                   Engine* engine) const override {
    RoundTree task;
    task.vector_leaves = param_.multi_strategy == GbTreeParam::kMultiOutputTree && model.NumOutputs() > 1;
    auto const n_outputs = task.vector_leaves ? 1 : model.NumOutputs();
    task.place.iteration = iteration;
    task.place.n_outputs = model.NumOutputs();
    task.place.n_rows = CountRowsFor(ctx, tree_param_, train.Info());
    task.place.leaf_scale = 1.0F / static_cast<float>(param_.num_parallel_tree);
    task.place.feature_weights = train.Info().feature_weights;
    task.subsample = tree_param_.subsample;
    task.param = &tree_param_;
    OpenCosts costs(feature_costs_, model, train.NumCols());
    Round round;
    round.n_parallel_trees = param_.num_parallel_tree;
    std::vector<RoundTree> tasks;
    for (task.output = 0; task.output < n_outputs; ++task.output) {
      task.place.free_outputs = FreeOutputsOf(task, model.NumOutputs());
      for (int parallel = 0; parallel < param_.num_parallel_tree; ++parallel) {
        tasks.push_back(task);
        round.output_of_tree.push_back(static_cast<std::int32_t>(task.output));
        ++task.place.tree_in_iteration;
      }
    }
    if (feature_costs_.empty()) {
      round.trees = engine->BuildTrees(ctx, train, *builder_, tasks);
      for (std::size_t i = 0; i < tasks.size(); ++i) RequireFiniteLeaves(round.trees[i], tasks[i]);
      return round;
    }
    for (auto& one : tasks) {  // features paid for by one tree are free for the next
      one.place.feature_costs = costs.Get();
      round.trees.push_back(std::move(engine->BuildTrees(ctx, train, *builder_, {one}).front()));
      costs.Pay(round.trees.back());
      RequireFiniteLeaves(round.trees.back(), one);
    }
    return round;
  }

  bool UpdatesTrees() const override { return param_.process_type == GbTreeParam::kUpdate; }

  Round UpdateRound(Context const& ctx, DataMatrix const& train, Model const& model, Model const& old,
                    Predictor const& predictor, Engine* engine) const override {
    return updates_->UpdateRound(ctx, train, model, old, predictor, engine);
  }

 private:
  /// Returns TreePlace::free_outputs.
  Span<std::uint8_t const> FreeOutputsOf(RoundTree const& task, std::int64_t n_outputs) const {
    if (static_cast<std::int64_t>(free_outputs_.size()) != n_outputs) return {};
    if (task.vector_leaves) return free_outputs_;
    return {free_outputs_.data() + task.output, 1};
  }

  TreeParam tree_param_;
  GbTreeParam param_;
  std::vector<float> feature_costs_;
  std::vector<std::uint8_t> free_outputs_;  ///< as in TrainingParams
  std::unique_ptr<TreeBuilder> builder_;    ///< nullptr: see TreeMethod::entry
  std::unique_ptr<TreeUpdates> updates_;    ///< nullptr unless UpdatesTrees()
};

}  // namespace

std::unique_ptr<Booster> MakeGbTree(TrainingParams const& params) {
  return MakeGbTreeWith(params, [](std::unique_ptr<TreeBuilder> builder) { return builder; });
}

std::unique_ptr<Booster> MakeGbTreeWith(TrainingParams const& params, BuilderWrap const& wrap) {
  return std::make_unique<GbTree>(params, wrap);
}

ParameterTable GbTreeParameters() {
  // Made once: the first round of a training asks for it several times, and making it takes 0.1 ms.
  static ParameterTable const kAll = [] {
    auto table = DescribeParameters<GbTreeParam>();
    auto const tree = DescribeParameters<TreeParam>();
    table.insert(table.end(), tree.begin(), tree.end());
    return table;
  }();
  return kAll;
}

namespace {

/// Prefix of the names of device methods.
constexpr std::string_view kDevicePrefix = "gpu_";

bool HasDevicePrefix(std::string const& name) { return name.rfind(kDevicePrefix, 0) == 0; }

}  // namespace

TreeMethod ChooseTreeMethod(GbTreeParam const& param, DeviceKind device) {
  TreeMethod method;
  auto const updates = param.process_type == GbTreeParam::kUpdate;
  method.given = updates ? param.tree_method : TreeMethodOf(param.updater, param.tree_method, device);
  method.name = ResolveTreeMethod(method.given, device);
  auto const on_cpu = ResolveTreeMethod(method.given, DeviceKind::kCpu);
  auto const& methods = GetRegistries().tree_methods;
  method.entry = methods.TryFind(method.name);
  if (method.entry != nullptr || methods.TryFind(on_cpu) != nullptr) return method;
  RefuseOtherName(NameKind::kTreeMethod, method.given);
  method.entry = &methods.Find(on_cpu);  // throws, because it is unknown
  return method;
}

std::string ResolveTreeMethod(std::string const& tree_method, DeviceKind device) {
  auto const method = tree_method == "auto" ? std::string("hist") : tree_method;
  return device == DeviceKind::kCuda && !HasDevicePrefix(method) ? std::string(kDevicePrefix) + method : method;
}

std::string WithoutDevicePrefix(std::string const& name) {
  return HasDevicePrefix(name) ? name.substr(kDevicePrefix.size()) : name;
}

}  // namespace kauri
