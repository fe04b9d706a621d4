#include "booster/model/model_copies.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "booster/model_io/object_reader.h"
#include "data/categories/category_names.h"
#include "data/column_names.h"
#include "kauri/error.h"
#include "kauri/ordered_encoding.h"

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

namespace {

using Models = std::vector<Model const*>;

/// A distinct model and its weight in the mean.
struct Part {
  Model const* model;
  std::int64_t times;  ///< number of times that it was listed
  std::int64_t of;     ///< number of models listed

  float Of(float leaf) const { return leaf * static_cast<float>(times) / static_cast<float>(of); }
};

void RequireSame(bool is_same, std::size_t which, char const* what) {
  if (is_same) return;
  Fail(ErrorKind::kParameter, "average: booster ", which, " and the first have not the same ", what,
       "; average boosters of the same data, objective and base_score.");
}

bool HaveSameEncoding(ModelCategories const& a, ModelCategories const& b) {
  if (a.ordered == nullptr || b.ordered == nullptr) return a.ordered == b.ordered;
  return *a.ordered == *b.ordered;
}

bool HaveSameNames(CategoryNameTable const& a, CategoryNameTable const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void RequireAverage(Models const& models) {
  if (models.empty()) Fail(ErrorKind::kParameter, "average: there are 0 boosters; pass at least one.");
  auto const& first = *models.front();
  for (std::size_t i = 0; i < models.size(); ++i) {
    auto const& model = *models[i];
    if (model.IsLinear() || model.booster == "gblinear") {
      Fail(ErrorKind::kParameter, "average: booster ", i, " is linear and has no trees; pass boosters of trees.");
    }
    if (!model.objective_state.empty()) {
      Fail(ErrorKind::kParameter, "average: booster ", i, " has trained position biases, which cannot be averaged; ",
           "train with lambdarank_unbiased=false.");
    }
    RequireSame(model.booster == first.booster, i, "kind of booster");
    RequireSame(model.objective == first.objective && model.objective_params == first.objective_params, i, "objective");
    RequireSame(model.NumOutputs() == first.NumOutputs(), i, "number of outputs");
    RequireSame(model.n_features == first.n_features, i, "number of features");
    RequireSame(HaveSameNames(model.categories.names, first.categories.names), i, "names of categories");
    RequireSame(HaveSameEncoding(model.categories, first.categories), i, "numbers for categories (ordered)");
    RequireSame(model.base_score == first.base_score, i, "intercept");
  }
}

/// Returns the column names shared by all models that have names. \throws Error(kData) if they differ.
std::vector<std::string> NamesOfAll(Models const& models) {
  std::vector<std::string> shared;
  for (std::size_t i = 0; i < models.size(); ++i) {
    auto const& names = models[i]->feature_names;
    if (names.empty()) continue;
    if (shared.empty()) shared = names;
    RequireColumnNames(names, {shared, "the first that has names"}, {"booster " + std::to_string(i), "has"});
  }
  return shared;
}

std::vector<Part> PartsOf(Models const& models) {
  std::vector<Part> parts;
  for (auto const* model : models) {
    auto const found = std::find_if(parts.begin(), parts.end(), [&](Part const& part) { return part.model == model; });
    if (found == parts.end()) {
      parts.push_back({model, 1, static_cast<std::int64_t>(models.size())});
    } else {
      ++found->times;
    }
  }
  return parts;
}

/// Returns the tree with its leaf values and base weights scaled by the part's weight in the mean.
Tree ShareOf(Part const& part, Tree tree) {
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) tree.split_value[node] = part.Of(tree.split_value[node]);
  }
  for (auto* values : {&tree.base_weight, &tree.leaf_vector, &tree.linear.base, &tree.linear.slope}) {
    for (auto& value : *values) value = part.Of(value);
  }
  tree.row_count.clear();
  return tree;
}

/// Adds a part's trees of one output and iteration, if the part has that iteration.
void AddTrees(Part const& part, std::int64_t iteration, std::int32_t output, Model* average) {
  auto const& model = *part.model;
  if (iteration >= model.NumIterations()) return;
  auto const trees = model.TreesOf({iteration, iteration + 1});
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    if (model.output_of_tree[tree] != output) continue;
    average->trees.push_back(ShareOf(part, model.trees[tree]));
    average->output_of_tree.push_back(output);
    if (!average->tree_weights.empty() || !model.tree_weights.empty()) {
      average->tree_weights.resize(average->trees.size() - 1, 1.0F);
      average->tree_weights.push_back(model.TreeWeight(tree));
    }
  }
}

std::int64_t MostIterations(std::vector<Part> const& parts) {
  std::int64_t most = 0;
  for (auto const& part : parts) most = std::max(most, part.model->NumIterations());
  return most;
}

/// Returns the categories seen by any model; unknown if one model does not know them.
std::vector<std::vector<std::int32_t>> SeenByAny(Models const& models) {
  auto all = models.front()->categories.seen;
  for (auto const* model : models) {
    auto const& seen = model->categories.seen;
    if (seen.size() != all.size()) return {};
    for (std::size_t feature = 0; feature < all.size(); ++feature) {
      std::vector<std::int32_t> both;
      std::set_union(all[feature].begin(), all[feature].end(), seen[feature].begin(), seen[feature].end(),
                     std::back_inserter(both));
      all[feature] = std::move(both);
    }
  }
  return all;
}

}  // namespace

Model AverageOf(Models const& models) {
  RequireAverage(models);
  auto average = WithoutTrees(*models.front());
  average.attributes.clear();
  average.feature_names = NamesOfAll(models);
  average.categories.seen = SeenByAny(models);
  auto const parts = PartsOf(models);
  average.n_parallel_trees *= static_cast<std::int64_t>(parts.size());
  auto const n_outputs = static_cast<std::int32_t>(average.NumOutputs());
  for (std::int64_t iteration = 0; iteration < MostIterations(parts); ++iteration) {
    for (std::int32_t output = 0; output < n_outputs; ++output) {
      for (auto const& part : parts) AddTrees(part, iteration, output, &average);
    }
    average.iteration_ptr.push_back(static_cast<std::int64_t>(average.trees.size()));
  }
  return average;
}

}  // namespace kauri
