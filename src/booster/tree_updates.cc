#include "booster/tree_updates.h"

#include <utility>

#include "booster/device.h"
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

}  // namespace

TreeUpdates::TreeUpdates(std::string const& updater, ParamMap const& map)
    : device_(ParseDeviceKind(map)), param_(ParseParameters<TreeParam>(map)) {
  for (auto const& name : SplitNames(updater)) steps_.push_back(GetRegistries().tree_updaters.Find(name).make(map));
}

void TreeUpdates::RequireTraining() const {
  if (steps_.empty()) {
    Fail(ErrorKind::kParameter,
         "process_type=update needs to know what to do with the trees; set updater=refresh, updater=prune or "
         "updater=refresh,prune.");
  }
  if (device_ != DeviceKind::kCpu) {
    Fail(ErrorKind::kParameter, "process_type=update has no version for device=cuda; use device=cpu.");
  }
}

void TreeUpdates::UpdateRound(Context const& ctx, DataMatrix const& train, Model const& old, Predictor const& predictor,
                              Engine* engine, Model* model) const {
  RoundTree round;
  round.iteration = model->NumIterations();
  round.param = &param_;
  round.leaf_scale = 1.0F / static_cast<float>(old.n_parallel_trees);
  auto const range = old.TreesOf({round.iteration, round.iteration + 1});
  std::vector<Tree> trees(old.trees.begin() + range.begin, old.trees.begin() + range.end);
  for (auto& tree : trees) {
    round.output = old.output_of_tree[static_cast<std::size_t>(range.begin + round.tree_in_iteration)];
    engine->UpdateTree(ctx, train, predictor, steps_, round, &tree);
    ++round.tree_in_iteration;
  }
  for (auto& tree : trees) {
    model->output_of_tree.push_back(old.output_of_tree[model->trees.size()]);
    model->trees.push_back(std::move(tree));
  }
  model->iteration_ptr.push_back(range.end);
  engine->FinishRound(train, *model);
}

void RequireTreeBuilder(std::string const& updater) {
  auto const names = SplitNames(updater);
  if (names.empty() || GetRegistries().tree_updaters.TryFind(names.front()) == nullptr) return;
  Fail(ErrorKind::kParameter, "updater=", updater, " changes trees that exist and makes no new ones; ",
       "set process_type=update to change those of a model.");
}

}  // namespace kauri
