#include "booster/boosters/tree_updates.h"

#include <algorithm>
#include <array>
#include <utility>

#include "booster/boosters/finite_check.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

std::vector<std::string> SplitNames(std::string const& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; !text.empty();) {
    auto const comma = text.find(',', begin);
    names.push_back(text.substr(begin, comma - begin));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  return names;
}

/// A builder of trees by XGBoost's name.
struct BuilderName {
  char const* name;
  char const* tree_method;
  DeviceKind device;
};
constexpr std::array<BuilderName, 5> kBuilders{{{"grow_colmaker", "exact", DeviceKind::kCpu},
                                                {"grow_histmaker", "approx", DeviceKind::kCpu},
                                                {"grow_quantile_histmaker", "hist", DeviceKind::kCpu},
                                                {"grow_gpu_hist", "hist", DeviceKind::kCuda},
                                                {"grow_gpu_approx", "approx", DeviceKind::kCuda}}};
/// Updaters that XGBoost allows after a builder and that have no effect here: builders apply gamma themselves, and the
/// statistics of a tree built from all rows are up to date.
constexpr std::array<char const*, 3> kDoNothing{"prune", "sync", "refresh"};

BuilderName const* FindBuilder(std::string const& name) {
  auto const* const found =
      std::find_if(kBuilders.begin(), kBuilders.end(), [&](auto const& builder) { return name == builder.name; });
  return found == kBuilders.end() ? nullptr : found;
}

/// Checks one name of `updater` with process_type=default. The registry checks names with process_type=update.
/// \throws Error(kParameter) for a name that is neither a builder nor without effect after one.
void RequireKnown(std::string const& name) {
  std::vector<std::string> known(kDoNothing.begin(), kDoNothing.end());
  for (auto const& builder : kBuilders) known.emplace_back(builder.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  auto const nearest = NearestName(name, known);
  Fail(ErrorKind::kParameter, "Unknown updater '", name, "'",
       nearest.empty() ? std::string(".") : "; did you mean '" + nearest + "'?",
       " Leave updater out: tree_method says how trees are built.");
}

/// Checks that tree_method and device do not contradict a builder. \throws Error(kParameter).
void RequireAgreement(BuilderName const& builder, std::string const& tree_method, DeviceKind device) {
  if (builder.device != device) {
    Fail(ErrorKind::kParameter, "updater=", builder.name, " builds trees on ",
         builder.device == DeviceKind::kCpu ? "the CPU" : "a CUDA device",
         ", but device=", device == DeviceKind::kCpu ? "cpu" : "cuda",
         " is set; leave updater out and set tree_method=", builder.tree_method, ".");
  }
  if (tree_method == "auto" || tree_method == builder.tree_method) return;
  Fail(ErrorKind::kParameter, "updater=", builder.name, " means tree_method=", builder.tree_method,
       ", but tree_method=", tree_method, " is set; leave updater out.");
}

}  // namespace

std::string TreeMethodOf(std::string const& updater, std::string const& tree_method, DeviceKind device) {
  auto const names = SplitNames(updater);
  for (auto const& name : names) RequireKnown(name);
  auto const* const builder = names.empty() ? nullptr : FindBuilder(names.front());
  if (builder == nullptr) return tree_method;
  RequireAgreement(*builder, tree_method, device);
  for (auto name = names.begin() + 1; name != names.end(); ++name) {
    if (std::find(kDoNothing.begin(), kDoNothing.end(), *name) != kDoNothing.end()) continue;
    Fail(ErrorKind::kParameter, "updater=", updater, ": ", *name,
         " cannot follow a builder; name one builder, or leave updater out.");
  }
  return builder->tree_method;
}

UpdaterList::UpdaterList(std::string const& updater) {
  auto const names = SplitNames(updater);
  is_empty = names.empty();
  builds = !is_empty && FindBuilder(names.front()) != nullptr;
  refreshes = std::find(names.begin(), names.end(), "refresh") != names.end();
}

TreeUpdates::TreeUpdates(std::string const& updater, TrainingParams const& params) : param_(params.tree) {
  for (auto const& name : SplitNames(updater)) steps_.push_back(GetRegistries().tree_updaters.Find(name).make(params));
}

Round TreeUpdates::UpdateRound(Context const& ctx, DataMatrix const& train, Model const& model, Model const& old,
                               Predictor const& predictor, Engine* engine) const {
  auto* const host = engine->OnHost();
  if (host == nullptr)
    Fail(ErrorKind::kInternal,
         "process_type=update changes trees in host memory; expected a CPU engine, got a device engine");
  RoundTree task;
  task.param = &param_;
  task.place.iteration = model.NumIterations();
  task.place.n_outputs = model.NumOutputs();
  task.place.leaf_scale = 1.0F / static_cast<float>(old.n_parallel_trees);
  auto const range = old.TreesOf({task.place.iteration, task.place.iteration + 1});
  Round round;
  round.n_parallel_trees = old.n_parallel_trees;
  for (auto index = range.begin; index < range.end; ++index) {
    auto tree = old.trees[index];
    task.output = old.output_of_tree[index];
    host->UpdateTree(ctx, train, predictor, steps_, task, &tree);
    RequireFiniteLeaves(tree, task);
    ++task.place.tree_in_iteration;
    round.trees.push_back(std::move(tree));
    round.output_of_tree.push_back(old.output_of_tree[index]);
  }
  return round;
}

}  // namespace kauri
