#include "booster/model_io/dialect.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "booster/model_io/own_attributes.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::array<ModelDialect, 5> kDialects{{{1, 7, true}, {2, 1, true}, {3, 0, true}, {3, 2, true}, {3, 4, true}}};

std::string NameOf(ModelDialect const& dialect) {
  return std::to_string(dialect.major) + "." + std::to_string(dialect.minor);
}

constexpr auto kNever = std::numeric_limits<std::int64_t>::max();

/// A property of models that XGBoost's model files can store since a version, or cannot store at all (kNever).
struct Feature {
  char const* what;  ///< follows "the model has" in the message
  char const* cure;  ///< follows "or" in the message
  std::int64_t major;
  std::int64_t minor;
  bool (*is_in)(Model const& model);
};

bool HasSeveralBaseScores(Model const& model) {
  auto const& scores = model.base_score;
  return std::any_of(scores.begin(), scores.end(), [&](float score) { return score != scores.front(); });
}

bool HasCategoryNames(Model const& model) {
  auto const& names = model.categories.names;
  return std::any_of(names.begin(), names.end(), [](CategoryNames const& of_feature) { return of_feature.Size() > 0; });
}

/// Returns whether rounds have different numbers of trees. Before 2.0 readers divide the trees evenly among the rounds.
bool HasUnequalRounds(Model const& model) {
  auto const per_round = (model.HasVectorLeaves() ? 1 : model.NumOutputs()) * model.n_parallel_trees;
  for (std::size_t round = 0; round < model.iteration_ptr.size(); ++round) {
    if (model.iteration_ptr[round] != static_cast<std::int64_t>(round) * per_round) return true;
  }
  return false;
}

/// Returns whether categories that training has not seen count as missing at some split. XGBoost sends them to the left
/// at every split.
bool TakesUnseenForMissing(Model const& model) {
  auto const splits = [](Tree const& tree) { return tree.HasCategorical(); };
  return model.categories.unseen == UnseenCategory::kMissing &&
         std::any_of(model.trees.begin(), model.trees.end(), splits);
}

constexpr std::array<Feature, 14> kFeatures{{
    {"linear leaves (linear_tree)", "train with linear_tree=0", kNever, 0,
     [](Model const& model) { return model.HasLinearLeaves(); }},
    {"categories that trees know by numbers of the training (categorical_encoding=ordered)",
     "train with categorical_encoding=partition", kNever, 0,
     [](Model const& model) { return model.categories.ordered != nullptr; }},
    {"unseen categories that count as missing (unseen_category=missing)", "set unseen_category=xgboost", kNever, 0,
     TakesUnseenForMissing},
    {"trees with vector leaves (multi_strategy=multi_output_tree)", "train one tree per output", 2, 0,
     [](Model const& model) { return model.HasVectorLeaves(); }},
    {"rounds of unequal numbers of trees", "train all rounds with the same num_parallel_tree", 2, 0,
     [](Model const& model) { return !model.IsLinear() && HasUnequalRounds(model); }},
    {"the objective reg:quantileerror", "train with another objective", 2, 0,
     [](Model const& model) { return model.objective == "reg:quantileerror"; }},
    {"base scores that differ between its outputs", "train with one number as base_score", 3, 1, HasSeveralBaseScores},
    {"names of categories", "train on the numbers of categories, with feature_types", 3, 1, HasCategoryNames},
    {"the objective reg:expectileerror", "train with another objective", 3, 3,
     [](Model const& model) { return model.objective == "reg:expectileerror"; }},
    {"the objective reg:huber", "train with another objective", kNever, 0,
     [](Model const& model) { return model.objective == "reg:huber"; }},
    {"the objective reg:fair", "train with another objective", kNever, 0,
     [](Model const& model) { return model.objective == "reg:fair"; }},
    {"the objective reg:mape", "train with another objective", kNever, 0,
     [](Model const& model) { return model.objective == "reg:mape"; }},
    {"the objective binary:focal", "train with another objective", kNever, 0,
     [](Model const& model) { return model.objective == "binary:focal"; }},
    {"the objective binary:exponential", "train with booster=adaboost or another objective", kNever, 0,
     [](Model const& model) { return model.objective == "binary:exponential"; }},
}};

/// Returns the first property of the model that the dialect cannot store; nullptr if it can store them all.
Feature const* FirstUnsayable(Model const& model, ModelDialect const& dialect) {
  auto const* const found = std::find_if(kFeatures.begin(), kFeatures.end(), [&](Feature const& feature) {
    return !dialect.IsSince(feature.major, feature.minor) && feature.is_in(model);
  });
  return found == kFeatures.end() ? nullptr : found;
}

}  // namespace

ModelDialect ParseDialect(std::string const& text) {
  if (text.empty()) return {};
  std::string known;
  for (auto const& dialect : kDialects) {
    if (text == NameOf(dialect)) return dialect;
    known += (known.empty() ? "" : ", ") + NameOf(dialect);
  }
  Fail(ErrorKind::kParameter, "the dialect of model files '", text, "' is not known; expected one of ", known, ".");
}

void RequireSayable(Model const& model, ModelDialect const& dialect) {
  if (!dialect.is_chosen) return;
  auto const* const feature = FirstUnsayable(model, dialect);
  if (feature == nullptr) return;
  auto const first = std::find_if(kDialects.begin(), kDialects.end(), [&](ModelDialect const& other) {
    return other.IsSince(feature->major, feature->minor);
  });
  auto const file = first == kDialects.end() ? "leave the dialect out, which gives a file for Kauri"
                                             : "write the dialect " + NameOf(*first) + " or later";
  Fail(ErrorKind::kParameter, "the model has ", feature->what, ", which model files of the dialect ", NameOf(dialect),
       " cannot express; ", file, ", or ", feature->cure, ".");
}

ModelDialect DialectOfClient(std::array<int, 3> const& version, Model const& model) {
  ModelDialect const client{version[0], version[1], true, version[2]};
  auto const& oldest = kDialects.front();
  if (client.IsSince(oldest.major, oldest.minor) && FirstUnsayable(model, client) == nullptr) return client;
  auto const* const later = std::find_if(kDialects.begin(), kDialects.end(), [&](ModelDialect const& dialect) {
    return !client.IsSince(dialect.major, dialect.minor) && FirstUnsayable(model, dialect) == nullptr;
  });
  return later == kDialects.end() ? ModelDialect{} : *later;
}

namespace model_io {

ObjectiveMembers ObjectiveIn(ModelDialect const& dialect, Model const& model) {
  if (IsDistribution(model)) return {"reg_loss_param", {{"scale_pos_weight", "1"}}, {}};  // of reg:squarederror
  ObjectiveMembers members{model.objective_param_key, model.objective_params, model.objective_state};
  if (model.objective == "reg:squaredlogerror" && members.param_key.empty() && !dialect.IsSince(3, 0)) {
    return {"reg_loss_param", {{"scale_pos_weight", "1"}}, {}};  // unused there, but required
  }
  if (members.param_key != "lambdarank_param") return members;
  if (!dialect.IsSince(2, 0)) return {"lambda_rank_param", {{"fix_list_weight", "0"}, {"num_pairsample", "1"}}, {}};
  if (!dialect.IsSince(3, 0)) members.params.erase("lambdarank_score_normalization");
  return members;
}

float BaseScoreIn(ModelDialect const& dialect, Model const& model) {
  constexpr float kSmallest = 1e-6F;
  auto const score = model.base_score.front();
  auto const is_logistic = model.objective == "binary:logistic" || model.objective == "reg:logistic";
  return is_logistic && !dialect.IsSince(3, 2) ? std::clamp(score, kSmallest, 1.0F - kSmallest) : score;
}

}  // namespace model_io
}  // namespace kauri
