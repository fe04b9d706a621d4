#include "booster/model/model_copies.h"

#include <map>
#include <string>

#include "booster/model_io/object_reader.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Removes the attributes of early stopping unless the slice is the first rounds of the model and has the best round.
void ForgetBestRound(IterationRange range, std::int64_t step, std::map<std::string, std::string>* attributes) {
  auto const best = attributes->find("best_iteration");
  if (best == attributes->end()) return;
  std::int64_t round = 0;
  auto const is_kept =
      range.begin == 0 && step == 1 && model_io::ParseInteger(best->second, &round) && round < range.end;
  if (is_kept) return;
  attributes->erase(best);
  attributes->erase("best_score");
}

}  // namespace

/// The binding names all members, so that a new one cannot be forgotten.
Model WithoutTrees(Model const& model) {
  auto const& [n_features, n_classes, n_targets, base_score, estimated, objective, param_key, params, state, booster,
               n_parallel, trees, output_of_tree, iteration_ptr, tree_weights, linear, feature_names, feature_types,
               categories, attributes] = model;
  return {n_features, n_classes, n_targets,     base_score,    estimated,  objective, param_key,
          params,     state,     booster,       n_parallel,    {},         {},        {0},
          {},         linear,    feature_names, feature_types, categories, attributes};
}

Model SliceOf(Model const& model, IterationRange range, std::int64_t step) {
  if (step < 1) Fail(ErrorKind::kParameter, "a slice needs a step of at least 1, got ", step, ".");
  if (model.IsLinear())
    Fail(ErrorKind::kParameter, "a linear booster has no rounds to slice: its weights are the result of all rounds.");
  model.TreesOf(range);  // checks the range
  auto const end = range.end == 0 ? model.NumIterations() : range.end;
  auto slice = WithoutTrees(model);
  for (auto iteration = range.begin; iteration < end; iteration += step) {
    auto const trees = model.TreesOf({iteration, iteration + 1});
    for (auto tree = trees.begin; tree < trees.end; ++tree) {
      slice.trees.push_back(model.trees[tree]);
      slice.output_of_tree.push_back(model.output_of_tree[tree]);
      if (!model.tree_weights.empty()) slice.tree_weights.push_back(model.TreeWeight(tree));
    }
    slice.iteration_ptr.push_back(static_cast<std::int64_t>(slice.trees.size()));
  }
  ForgetBestRound({range.begin, end}, step, &slice.attributes);
  return slice;
}

}  // namespace kauri
