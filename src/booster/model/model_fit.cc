#include "booster/model/model_fit.h"

#include <string>

#include "kauri/error.h"
#include "kauri/ordered_encoding.h"

namespace kauri {
namespace {

std::string InWords(std::int64_t n_classes) {
  return n_classes > 1 ? std::to_string(n_classes) + " classes" : std::string("no classes");
}

bool NamesDistribution(std::string const& objective) { return objective.rfind("dist:", 0) == 0; }

}  // namespace

void RequireSameKind(Model const& model, std::string const& booster) {
  if (model.NumIterations() == 0 || model.IsLinear() == (booster == "gblinear")) return;
  Fail(ErrorKind::kParameter, "booster=", booster, " does not fit the model, which ",
       model.IsLinear() ? "is linear (gblinear)." : "consists of trees (gbtree, dart or adaboost).",
       " Leave the parameter out to go on with the model, or start a new one.");
}

void RequireSameClasses(Model const& model, Components const& parts) {
  auto const wanted = parts.objective->NumClasses();  // 0: the caller's gradients may still have several outputs
  if (model.NumIterations() == 0 || wanted == 0 || wanted == model.n_classes) return;
  Fail(ErrorKind::kParameter, "objective=", parts.param.objective, " with num_class=", wanted,
       " does not fit the model, which has ", InWords(model.n_classes),
       "; give the objective and the num_class that it was trained with, or start a new model.");
}

void RequireSameDistribution(Model const& model, Components const& parts) {
  auto const& objective = parts.param.objective;
  if (model.NumIterations() == 0 || !NamesDistribution(objective) || objective == model.objective) return;
  if (NamesDistribution(model.objective)) {
    Fail(ErrorKind::kParameter, "objective=", objective, " does not fit the model, which was trained with ",
         model.objective, " and whose raw scores have another meaning; leave the objective out, or start a new model.");
  }
  auto const wanted = parts.objective->NumOutputs(MetaInfo());
  if (wanted == model.NumOutputs()) return;
  Fail(ErrorKind::kParameter, "objective=", objective, " needs ", wanted, wanted == 1 ? " output" : " outputs",
       " per row, and the model has ", model.NumOutputs(), "; set the objective with which the model was trained.");
}

void RequireSameOutputs(Model const& model, Components const& parts, MetaInfo const& train) {
  auto const wanted = parts.objective->NumOutputs(train);
  auto const same_kind = (parts.objective->NumClasses() > 1) == (model.n_classes > 1);
  if (wanted == model.NumOutputs() && same_kind) return;
  Fail(ErrorKind::kData, "objective=", parts.param.objective, " and the training data, with ", train.n_targets,
       " label columns, need ", wanted, " outputs and ", InWords(parts.objective->NumClasses()), ", but the model has ",
       model.NumOutputs(), " and ", InWords(model.n_classes),
       "; continue training with the labels and parameters that it was trained with.");
}

void CheckPredictable(Model const& model) {
  if (model.n_features == 0) {
    Fail(ErrorKind::kModel, "the booster has no model yet; train it or load one before predicting.");
  }
}

void CheckExplicable(Model const& model) {
  auto const n_added = model.categories.NumAddedColumns();
  if (n_added == 0) return;
  auto const& encoding = *model.categories.ordered;
  if (encoding.settings.n_numbers > 1) {
    Fail(ErrorKind::kParameter,
         "the model encodes a category by its share of each class (categorical_encoding=ordered), ", "in ", n_added,
         " columns beside those of the data. The effect of such a column belongs to no single feature, ",
         "so there are no contributions or interactions. Train with categorical_encoding=partition, or ",
         "explain a function that predicts (explain_function).");
  }
  Fail(ErrorKind::kParameter, "the model has ", n_added, " combinations of categorical columns ",
       "(ordered_combination), whose effect belongs to no single column, so there are no ",
       "contributions or interactions. Train with ordered_combination=1, or explain a function that predicts ",
       "(explain_function).");
}

}  // namespace kauri
