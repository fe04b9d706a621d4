/// The tables of a model in JSON, from which the Python package (_export/treelite_checkpoint.py) builds a checkpoint of
/// Treelite.
///
/// Treelite adds the trees of an output one after the other in the type of the rows, and its base scores last. Kauri
/// adds the start first, so the package writes the start as trees without splits.
#include <string>
#include <vector>

#include "booster/export/targets.h"
#include "common/text/json_text.h"
#include "kauri/error.h"

namespace kauri::model_export {
namespace {

/// Returns the name of Treelite's function from margins to predictions. \throws Error(kParameter) if it has none.
std::string PostprocessorOf(ExportedModel const& model) {
  switch (model.transform) {
    case Transform::kIdentity:
      return "identity";
    case Transform::kLogistic:
    case Transform::kHalfLogistic:
      return "sigmoid";
    case Transform::kExponential:
      return "exponential";
    case Transform::kClass:
      return "hinge";
    case Transform::kSoftmax:
      return "softmax";
    case Transform::kLikeliest:
      Fail(ErrorKind::kParameter,
           "Treelite has no function that returns the likeliest class, as objective=", model.objective,
           " does; set objective=multi:softprob to export the probabilities of the classes.");
    case Transform::kSorted:
    case Transform::kSoftplusSteps:
      break;
  }
  Fail(ErrorKind::kParameter,
       "Treelite cannot put several predictions of a row in ascending order, as objective=", model.objective,
       " does; set objective=reg:squarederror to export the margins, or train one model for each.");
}

/// Refuses columns whose values Treelite reads otherwise: it cuts off fractions, and no row is an error to it.
void RequireSameCategories(ExportedModel const& model) {
  if (model.RefusesCategories()) {
    Fail(ErrorKind::kParameter,
         "Treelite cannot refuse a row, as unseen_category=error asks for new categories; set unseen_category=xgboost "
         "if the trees split on sets of categories, or export another target.");
  }
  for (auto const& condition : model.conditions) {
    auto const& column = model.columns[condition.feature];
    if (!condition.is_categorical || !column.needs_whole) continue;
    Fail(ErrorKind::kParameter, "Treelite takes a number with a fraction for the category below it, and this model (",
         "unseen_category=missing or categorical_encoding=ordered) for none, in column ", JsonQuoted(column.name),
         "; set unseen_category=xgboost if the trees split on sets of categories, or export another target.");
  }
}

template <typename Number>
std::string Numbers(std::vector<Number> const& numbers) {
  std::vector<std::string> texts;
  for (auto const number : numbers) texts.push_back(std::to_string(number));
  return JsonArray(texts);
}

std::string Floats(std::vector<float> const& values) {
  std::vector<std::string> texts;
  for (auto const value : values) texts.push_back(TestNumber(value));
  return JsonArray(texts);
}

std::string Conditions(ExportedModel const& model) {
  std::vector<std::string> texts;
  for (auto const& condition : model.conditions) {
    auto const flag = [](bool is_set) { return std::string(is_set ? "true" : "false"); };
    auto const feature = std::to_string(condition.feature);
    texts.push_back(condition.is_categorical ? JsonObject({{"feature", feature},
                                                           {"missing_right", flag(condition.missing_right)},
                                                           {"listed_right", flag(condition.listed_right)},
                                                           {"categories", Numbers(condition.categories)}})
                                             : JsonObject({{"feature", feature},
                                                           {"missing_right", flag(condition.missing_right)},
                                                           {"threshold", TestNumber(condition.threshold)}}));
  }
  return JsonArray(texts);
}

}  // namespace

std::string WriteTreeliteSource(ExportedModel const& model, TestVector const& test) {
  auto const postprocessor = PostprocessorOf(model);
  RequireSameCategories(model);
  auto attributes = Metadata(model, test);
  attributes["kauri.objective"] = JsonQuoted(model.objective);
  std::vector<std::uint32_t> split_condition;
  std::vector<std::uint32_t> left_leaves;
  for (auto const& split : model.splits) {
    split_condition.push_back(split.condition);
    left_leaves.push_back(split.left_leaves);
  }
  return JsonObject({{"summary", JsonQuoted(Summary(model) + ' ' + Summary(test))},
                     {"objective", JsonQuoted(model.objective)},
                     {"postprocessor", JsonQuoted(postprocessor)},
                     {"sigmoid_alpha", model.transform == Transform::kHalfLogistic ? "2.0" : "1.0"},
                     {"start", Floats(model.start)},
                     {"conditions", Conditions(model)},
                     {"split_condition", Numbers(split_condition)},
                     {"left_leaves", Numbers(left_leaves)},
                     {"leaf_width", std::to_string(model.leaf_width)},
                     {"leaves", Floats(model.leaves)},
                     {"tree_leaf", Numbers(model.tree_leaf)},
                     {"output_of_tree", Numbers(model.output_of_tree)},
                     {"attributes", JsonObject(attributes)}});
}

}  // namespace kauri::model_export
