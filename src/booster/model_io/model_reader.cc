#include <algorithm>
#include <cmath>
#include <limits>

#include "booster/model_io/category_table.h"
#include "booster/model_io/model_document.h"
#include "booster/model_io/model_parts.h"
#include "booster/model_io/object_reader.h"
#include "booster/model_io/own_attributes.h"

namespace kauri::model_io {
namespace {

constexpr std::int64_t kLargestInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostOutputs = 1 << 20;  ///< bounds the memory that a few bytes of a hostile file can request

std::int64_t IntegerOr(ObjectReader const& reader, std::string const& key, std::int64_t highest,
                       std::int64_t otherwise) {
  return reader.Has(key) ? reader.IntegerIn(key, 0, highest) : otherwise;
}

void ReadLearnerParam(ObjectReader const& learner, Model* model) {
  auto const param = learner.Child("learner_model_param");
  model->n_features = param.IntegerIn("num_feature", 0, kLargestInt);
  model->n_classes = param.IntegerIn("num_class", 0, kMostOutputs);
  model->n_targets = std::max<std::int64_t>(1, IntegerOr(param, "num_target", kMostOutputs, 1));
  model->base_score = ReadBaseScore(param);
  auto const size = static_cast<std::int64_t>(model->base_score.size());
  if (size != 1 && size != model->NumOutputs()) {
    param.FailAt("base_score", "has ", size, " numbers; expected 1 or ", model->NumOutputs(),
                 ", the number of outputs");
  }
  model->base_score_estimated = IntegerOr(param, "boost_from_average", 1, 1) != 0;
}

/// Reads the position biases of an unbiased ranking.
void ReadObjectiveState(ObjectReader const& objective, Model* model) {
  auto const unbiased = model->objective_params.find("lambdarank_unbiased");
  if (unbiased == model->objective_params.end() || unbiased->second == "0") return;
  for (auto const* key : {"ti+", "tj-"}) {
    if (!objective.Has(key)) continue;
    auto const biases = objective.TakeFloats(key);
    for (auto const bias : biases) {
      if (!(bias >= 0.0F) || !std::isfinite(bias))
        objective.FailAt(key, "has the position bias ", bias, "; expected 0 or more");
    }
    model->objective_state[key] = biases;
  }
}

/// Reads the objective. Its parameters are its only member that is an object.
void ReadObjective(ObjectReader const& learner, Model* model) {
  auto const objective = learner.Child("objective");
  model->objective = objective.String("name");
  if (model->objective == "reg:linear") model->objective = "reg:squarederror";
  for (auto const& member : objective.Members()) {
    if (!std::holds_alternative<Object>(member.value.data)) continue;
    model->objective_param_key = member.key;
    model->objective_params = objective.StringMap(member.key);
    break;
  }
  ReadObjectiveState(objective, model);
}

void ReadFeatureInfo(ObjectReader const& learner, Model* model) {
  if (learner.Has("feature_names")) model->feature_names = learner.Strings("feature_names");
  if (learner.Has("feature_types")) model->feature_types = learner.Strings("feature_types");
  if (learner.Has("attributes")) model->attributes = learner.StringMap("attributes");
}

/// Fails if a leaf times the weight of its tree is infinite.
void CheckWeighedLeaves(ObjectReader const& holder, Model const& model, std::size_t index) {
  auto const& tree = model.trees[index];
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    for (auto const value : tree.LeafValues(node)) {
      if (std::isfinite(value * model.tree_weights[index])) continue;
      holder.FailAt("weight_drop", "is ", model.tree_weights[index], " at index ", index, ", and leaf ", node,
                    " of this tree has value ", value, "; their product must be finite");
    }
  }
}

/// Reads dart's tree weights, if `holder` has them: beside gbtree (until 3.2), beside model (3.3), inside model (since
/// 3.4).
void ReadTreeWeights(ObjectReader const& holder, Model* model) {
  constexpr char const* kKey = "weight_drop";
  if (!holder.Has(kKey)) return;
  model->tree_weights = holder.TakeFloats(kKey);
  model->booster = "dart";
  if (model->tree_weights.size() > model->trees.size()) {
    holder.FailAt(kKey, "has ", model->tree_weights.size(), " weights for ", model->trees.size(), " trees");
  }
  auto const& weights = model->tree_weights;
  auto const wrong = std::find_if(weights.begin(), weights.end(), [](float weight) { return !std::isfinite(weight); });
  if (wrong != weights.end())
    holder.FailAt(kKey, "is ", *wrong, " at index ", wrong - weights.begin(), "; expected finite");
  for (std::size_t tree = 0; tree < weights.size(); ++tree) CheckWeighedLeaves(holder, *model, tree);
}

/// Returns the iteration pointers of a file before 2.0, which has no iteration_indptr. Every iteration has one group of
/// parallel trees per output, or a single group if leaves are vectors.
std::vector<std::int64_t> EqualIterations(ObjectReader const& gbtree, Model const& model) {
  auto const per_iteration = (model.HasVectorLeaves() ? 1 : model.NumOutputs()) * model.n_parallel_trees;
  auto const n_trees = static_cast<std::int64_t>(model.trees.size());
  if (n_trees % per_iteration != 0) {
    gbtree.FailAt("trees", "has ", n_trees, " trees, which is no multiple of ", per_iteration,
                  ", outputs times parallel trees, and 'iteration_indptr' is missing");
  }
  std::vector<std::int64_t> pointers;
  for (std::int64_t tree = 0; tree <= n_trees; tree += per_iteration) pointers.push_back(tree);
  return pointers;
}

void ReadIterations(ObjectReader const& gbtree, Model* model) {
  constexpr char const* kKey = "iteration_indptr";
  if (!gbtree.Has(kKey)) {
    model->iteration_ptr = EqualIterations(gbtree, *model);
    return;
  }
  auto pointers = gbtree.TakeInt64(kKey);
  if (pointers.empty()) pointers = {0};
  auto const n_trees = static_cast<std::int64_t>(model->trees.size());
  if (pointers.front() != 0 || pointers.back() != n_trees || !std::is_sorted(pointers.begin(), pointers.end())) {
    gbtree.FailAt(kKey, "does not ascend from 0 to ", n_trees, ", the number of trees");
  }
  model->iteration_ptr = std::move(pointers);
}

void ReadTreeOutputs(ObjectReader const& gbtree, Model* model) {
  constexpr char const* kKey = "tree_info";
  auto outputs = gbtree.TakeInt32(kKey);
  if (outputs.size() != model->trees.size()) {
    gbtree.FailAt(kKey, "has ", outputs.size(), " elements for ", model->trees.size(), " trees");
  }
  auto const n_outputs = model->NumOutputs();
  auto const outside = [=](std::int32_t output) { return output < 0 || output >= n_outputs; };
  auto const wrong = std::find_if(outputs.begin(), outputs.end(), outside);
  if (wrong != outputs.end()) {
    gbtree.FailAt(kKey, "holds ", *wrong, " at index ", wrong - outputs.begin(), "; expected an output from 0 to ",
                  n_outputs - 1);
  }
  model->output_of_tree = std::move(outputs);
}

void ReadTrees(ObjectReader const& gbtree, Model* model) {
  auto const param = gbtree.Child("gbtree_model_param");
  auto* trees = gbtree.Elements("trees");
  auto const n_trees = static_cast<std::int64_t>(trees->size());
  if (param.IntegerIn("num_trees", 0, kLargestInt) != n_trees) {
    param.FailAt("num_trees", "is not ", n_trees, ", the number of trees in 'trees'");
  }
  model->n_parallel_trees = std::max<std::int64_t>(1, IntegerOr(param, "num_parallel_tree", kLargestInt, 1));
  model->trees.reserve(trees->size());
  for (std::int64_t i = 0; i < n_trees; ++i) {
    auto const path = gbtree.PathOf("trees") + "[" + std::to_string(i) + "]";
    model->trees.push_back(ReadTree(&(*trees)[i], {path, i, model->n_features, model->NumOutputs()}));
  }
}

void ReadGbtree(ObjectReader const& booster, Model* model) {
  auto const gbtree = booster.Child("model");
  ReadTrees(gbtree, model);
  ReadTreeOutputs(gbtree, model);
  ReadIterations(gbtree, model);
  ReadTreeWeights(gbtree, model);
  ReadTreeWeights(booster, model);
  ReadCategoryTable(gbtree, model);
}

void ReadBooster(ObjectReader const& learner, Model* model) {
  auto const booster = learner.Child("gradient_booster");
  auto const name = booster.String("name");
  if (name == "gbtree") {
    ReadGbtree(booster, model);
  } else if (name == "dart") {
    ReadGbtree(booster.Child("gbtree"), model);
    model->booster = name;
    ReadTreeWeights(booster, model);
  } else if (name == "gblinear") {
    ReadLinearPart(booster, model);
  } else {
    booster.FailAt("name", "is '", Printable(name), "'; expected gbtree, dart or gblinear");
  }
}

}  // namespace

Model ReadModel(Value* document) {
  ObjectReader const top(document, "");
  auto const learner = top.Child("learner");
  Model model;
  ReadLearnerParam(learner, &model);
  ReadObjective(learner, &model);
  ReadFeatureInfo(learner, &model);
  ReadBooster(learner, &model);
  TakeOwnAttributes(&model);
  return model;
}

}  // namespace kauri::model_io
