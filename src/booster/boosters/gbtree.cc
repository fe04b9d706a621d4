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
#include "kauri/registry.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/absolute_error/absolute_error_rules.h"
#include "tree/absolute_error/error_sketch.h"
#include "tree/constraints/constraints.h"
#include "tree/feature_cost.h"
#include "tree/linear/linear_tree.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(GbTreeParam);

namespace {

/// Prefix of the names of device methods.
constexpr std::string_view kDevicePrefix = "gpu_";

bool IsOfDevice(std::string const& tree_method) { return tree_method.rfind(kDevicePrefix, 0) == 0; }

/// Throws for a method without a device version. The registry's message would name a value that the user did not write:
/// gpu_hist for tree_method=auto.
[[noreturn]] void FailNoDeviceVersion(std::string const& tree_method, std::string const& on_cpu) {
  std::string known;
  for (auto const& name : GetRegistries().tree_methods.Names()) {
    if (IsOfDevice(name)) known += (known.empty() ? "" : ", ") + name.substr(kDevicePrefix.size());
  }
  Fail(ErrorKind::kParameter, "tree_method=", tree_method, on_cpu == tree_method ? "" : " means " + on_cpu + ", which",
       " has no version for device=cuda. Use ", known.empty() ? "" : "tree_method=" + known + ", or ", "device=cpu.");
}

[[noreturn]] void FailOnCpu(std::string const& tree_method) {
  Fail(ErrorKind::kParameter, "tree_method=", tree_method, " builds trees in device memory; set device=cuda, or ",
       "tree_method=", tree_method.substr(kDevicePrefix.size()), " with device=cpu.");
}

[[noreturn]] void FailNoVectorLeaves(std::string const& tree_method) {
  Fail(ErrorKind::kParameter, "Only the hist tree method is supported for building multi-target trees with vector ",
       "leaf: multi_strategy=multi_output_tree, but tree_method=", tree_method,
       " builds no trees with vector leaves; use tree_method=hist, or multi_strategy=one_output_per_tree.");
}

/// Returns the registry's entry, or nullptr for a CPU method without a device version. Only training needs one;
/// predictions do not.
Registry<TreeBuilderFactory>::Entry const* FindTreeMethod(std::string const& tree_method, DeviceKind device) {
  auto const& methods = GetRegistries().tree_methods;
  auto const name = ResolveTreeMethod(tree_method, device);
  auto const on_cpu = ResolveTreeMethod(tree_method, DeviceKind::kCpu);
  if (auto const* found = methods.TryFind(name)) return found;
  if (methods.TryFind(on_cpu) == nullptr) RefuseOtherName(NameKind::kTreeMethod, tree_method);
  if (name == on_cpu || methods.TryFind(on_cpu) == nullptr) return &methods.Find(on_cpu);  // throws if it is unknown
  return nullptr;
}

/// Warns of parameters that the exact method ignores: it grows level by level to max_depth.
void WarnOfLimits(TreeParam const& param) {
  std::string ignored = param.max_leaves > 0 ? "max_leaves=" + std::to_string(param.max_leaves) : std::string();
  if (param.grow_policy == TreeParam::kLossGuide)
    ignored += ignored.empty() ? "grow_policy=lossguide" : " and grow_policy=lossguide";
  if (ignored.empty()) return;
  Log(LogLevel::kWarning, "tree_method=exact ignores ", ignored,
      ": it grows level by level, to max_depth. Limit max_depth, or use tree_method=hist.");
}

/// Checks the parameters of symmetric trees, which need histograms over the same bins in every round.
void RequireSymmetric(std::string const& tree_method, GbTreeParam const& param, TreeParam const& tree_param) {
  if (tree_method != "hist" && tree_method != "gpu_hist") {
    Fail(ErrorKind::kParameter, "grow_policy=symmetric: tree_method=", tree_method, " makes no symmetric trees; ",
         "set tree_method=hist, or grow_policy=depthwise.");
  }
  auto const has_vectors = param.multi_strategy == GbTreeParam::kMultiOutputTree;
  if (has_vectors == tree_param.extra_trees) return;
  if (has_vectors) {
    Fail(ErrorKind::kParameter, "grow_policy=symmetric supports vector leaves only with random thresholds; set ",
         "extra_trees=1, multi_strategy=one_output_per_tree, or grow_policy=depthwise.");
  }
  Fail(ErrorKind::kParameter,
       "extra_trees=1: grow_policy=symmetric supports random thresholds only with vector leaves; set ",
       "multi_strategy=multi_output_tree, extra_trees=0, or grow_policy=depthwise.");
}

/// Refuses path_smooth with monotone constraints. Smoothing may reverse the order of the children's weights, because
/// the parent's weight need not lie between them.
void RequireSmoothable(TreeParam const& param) {
  if (!(param.path_smooth > 0.0F) || !ParseConstraints(param).HasMonotone()) return;
  Fail(ErrorKind::kParameter, "path_smooth=", param.path_smooth,
       " with monotone_constraints=", param.monotone_constraints,
       ": leaf values smoothed towards their parents' may break the constraints; ", "leave out one of the two.");
}

/// Checks that the method supports noise on gains. Noise is added to gains of gradients; the exact method on devices
/// compares gains without it.
void RequireNoise(std::string const& tree_method, TreeParam const& param) {
  if (tree_method == "gpu_exact") {
    Fail(ErrorKind::kParameter, "random_strength=", param.random_strength, ": tree_method=exact has no noise on gains ",
         "with device=cuda; set tree_method=hist or approx, device=cpu, or random_strength=0.");
  }
  if (param.split_criterion == TreeParam::kAbsoluteError) {
    Fail(ErrorKind::kParameter, "random_strength=", param.random_strength, " adds noise to gains of gradients, but ",
         "split_criterion=absolute_error compares errors; set random_strength=0, or split_criterion=gradient.");
  }
}

/// Checks the parameters of linear leaves, which are fitted in host memory, from gradients of one output.
void RequireLinear(DeviceKind device, GbTreeParam const& param, TreeParam const& tree_param) {
  if (device != DeviceKind::kCpu) {
    Fail(ErrorKind::kParameter, "linear_tree=1 has no version for device=cuda; set device=cpu, or linear_tree=0.");
  }
  if (param.multi_strategy == GbTreeParam::kMultiOutputTree) {
    Fail(ErrorKind::kParameter, "linear_tree=1 does not support leaves with several outputs; set ",
         "multi_strategy=one_output_per_tree, or linear_tree=0.");
  }
  RequireLinearTree(tree_param);
}

/// Checks the parameters of the absolute-error criterion. It needs label bins of one output, and with hist rows in host
/// memory.
void RequireErrors(std::string const& tree_method, GbTreeParam const& param, TreeParam const& tree_param) {
  auto const is_exact = tree_method == "exact" || tree_method == "gpu_exact";
  if (tree_method != "hist" && !is_exact) {
    Fail(ErrorKind::kParameter, "split_criterion=absolute_error: tree_method=", tree_method, " does not support it; ",
         "set tree_method=exact, tree_method=hist with device=cpu, or split_criterion=gradient.");
  }
  if (param.multi_strategy == GbTreeParam::kMultiOutputTree) {
    Fail(ErrorKind::kParameter, "split_criterion=absolute_error does not support trees with several outputs; set ",
         "multi_strategy=one_output_per_tree, or split_criterion=gradient.");
  }
  RequireAbsoluteError(tree_param);
}

/// Returns TreePlace::n_rows, or 0 if no parameter needs it.
std::int64_t CountRowsFor(Context const& ctx, TreeParam const& param, MetaInfo const& info) {
  auto const asks = param.cat_smooth != 0.0F || param.cat_l2 > 0.0F || param.min_data_per_group > 0;
  return param.random_strength > 0.0F || (asks && HasCategorical(info)) ? CountGlobalRows(ctx, info.n_rows) : 0;
}

class GbTree : public Booster {
 public:
  GbTree(ParamMap const& map, BuilderWrap const& wrap)
      : device_(ParseDeviceKind(map)),
        tree_param_(ParseParameters<TreeParam>(map)),
        error_sketch_(ErrorSketchOf(map)),
        param_(ParseParameters<GbTreeParam>(map)),
        feature_costs_(ParseFeatureCost(tree_param_)) {
    if (!UpdatesTrees()) param_.tree_method = TreeMethodOf(param_.updater, param_.tree_method, device_);
    tree_method_ = ResolveTreeMethod(param_.tree_method, device_);
    if (auto const* method = FindTreeMethod(param_.tree_method, device_)) builder_ = wrap(method->make(map));
    if (UpdatesTrees()) updates_ = std::make_unique<TreeUpdates>(param_.updater, map);
    if (!UpdatesTrees() && param_.tree_method == "exact") WarnOfLimits(tree_param_);
  }

  void RequireTraining() const override {
    if (UpdatesTrees() && tree_param_.linear_tree) {
      Fail(ErrorKind::kParameter, "linear_tree=1 with process_type=update: no updater fits linear leaves; leave out ",
           "one of the two.");
    }
    if (UpdatesTrees()) return updates_->RequireTraining();
    RequireTreeBuilder(param_.updater, tree_param_);
    if (device_ == DeviceKind::kCpu && IsOfDevice(tree_method_)) FailOnCpu(tree_method_);
    if (builder_ == nullptr) {
      FailNoDeviceVersion(param_.tree_method, ResolveTreeMethod(param_.tree_method, DeviceKind::kCpu));
    }
    RequireSmoothable(tree_param_);
    if (tree_param_.random_strength > 0.0F) RequireNoise(tree_method_, tree_param_);
    if (tree_param_.linear_tree) RequireLinear(device_, param_, tree_param_);
    if (error_sketch_ != nullptr) error_sketch_->Require(tree_method_, tree_param_);
    if (tree_param_.split_criterion == TreeParam::kAbsoluteError) RequireErrors(tree_method_, param_, tree_param_);
    if (tree_param_.grow_policy == TreeParam::kSymmetric) RequireSymmetric(tree_method_, param_, tree_param_);
    if (param_.multi_strategy != GbTreeParam::kMultiOutputTree || builder_->BuildsVectorLeaves()) return;
    FailNoVectorLeaves(tree_method_);
  }

  void RequireGroup() const override {
    if (UpdatesTrees()) {
      Fail(ErrorKind::kParameter, "process_type=update needs all rows in one process; ",
           "for distributed training use process_type=default.");
    }
    if (tree_param_.linear_tree) {
      Fail(ErrorKind::kParameter, "linear_tree=1 needs all rows in one process; for distributed training use ",
           "linear_tree=0.");
    }
    if (tree_param_.split_criterion == TreeParam::kAbsoluteError) {
      Fail(ErrorKind::kParameter,
           "split_criterion=absolute_error needs all rows in one process; for distributed training ",
           "use split_criterion=gradient.");
    }
    if (device_ == DeviceKind::kCuda) return RequireGroupOnDevice();
    if (builder_->LearnsInGroups()) return;
    Fail(ErrorKind::kParameter, "tree_method=", tree_method_, " needs all rows in one process; ",
         "for distributed training use tree_method=hist or approx.");
  }

  /// Checks parameters for split gradients. Monotone constraints, for example, would pass down bounds of other weights
  /// than the leaves get.
  void RequireSplitGradients() const override {
    if (param_.multi_strategy != GbTreeParam::kMultiOutputTree || UpdatesTrees()) {
      Fail(ErrorKind::kParameter, "Reduced gradient must be used with vector leaf trees: separate gradients ",
           "for splits and leaves need multi_strategy=multi_output_tree, tree_method=hist and ",
           "process_type=default; set these, or leave out the gradients for splits (return None from split_grad).");
    }
    if (tree_param_.path_smooth > 0.0F) {
      Fail(ErrorKind::kParameter, "path_smooth=", tree_param_.path_smooth, " does not support separate gradients ",
           "for splits and leaves; set path_smooth=0, or leave out the gradients for splits.");
    }
    if (!ParseConstraints(tree_param_).HasMonotone()) return;
    Fail(ErrorKind::kParameter, "Monotonic constraints are not supported with reduced gradients: leave out ",
         "monotone_constraints=", tree_param_.monotone_constraints, ", or leave out the gradients for splits.");
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
      round.trees.push_back(engine->BuildTree(ctx, train, *builder_, one));
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
  void RequireGroupOnDevice() const {
    auto const has_vectors = param_.multi_strategy == GbTreeParam::kMultiOutputTree;
    if (builder_->LearnsInGroups() && !has_vectors) return;
    Fail(ErrorKind::kParameter, "with device=cuda distributed training needs tree_method=hist and one number in each ",
         "leaf, got ", has_vectors ? "multi_strategy=multi_output_tree" : "tree_method=" + tree_method_,
         ". Change that, or use device=cpu.");
  }

  DeviceKind device_;
  TreeParam tree_param_;
  std::shared_ptr<ErrorSketch const> error_sketch_;  ///< null: label bins
  GbTreeParam param_;
  std::vector<float> feature_costs_;
  std::string tree_method_;               ///< name in the registry
  std::unique_ptr<TreeBuilder> builder_;  ///< nullptr: see FindTreeMethod
  std::unique_ptr<TreeUpdates> updates_;  ///< nullptr unless UpdatesTrees()
};

}  // namespace

std::string ResolveTreeMethod(std::string const& tree_method, DeviceKind device) {
  auto const method = tree_method == "auto" ? std::string("hist") : tree_method;
  return device == DeviceKind::kCuda && !IsOfDevice(method) ? std::string(kDevicePrefix) + method : method;
}

std::unique_ptr<Booster> MakeGbTree(ParamMap const& map) {
  return MakeGbTreeWith(map, [](std::unique_ptr<TreeBuilder> builder) { return builder; });
}

std::unique_ptr<Booster> MakeGbTreeWith(ParamMap const& map, BuilderWrap const& wrap) {
  return std::make_unique<GbTree>(map, wrap);
}

ParameterTable GbTreeParameters() {
  auto table = DescribeParameters<GbTreeParam>();
  auto const tree = DescribeParameters<TreeParam>();
  table.insert(table.end(), tree.begin(), tree.end());
  return table;
}

}  // namespace kauri
