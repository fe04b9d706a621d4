#include "booster/model/column_fit.h"

#include "kauri/error.h"

namespace kauri {
namespace {

void CheckNames(Model const& model, Span<std::string const> names, DataInWords const& words) {
  if (names.empty() || model.feature_names.empty()) return;
  RequireColumnNames(names, {model.feature_names}, words);
}

[[noreturn]] void FailCount(Model const& model, std::int64_t n_cols, DataInWords const& words, char const* cure) {
  Fail(ErrorKind::kData, "Number of columns: ", words.noun, " ", words.has, " ", n_cols, " features, the model ",
       model.n_features, "; ", cure, ".");
}

bool HasXgboostsHabits(Client const& client) { return client.habits == Habits::kXgboost; }

}  // namespace

void CheckColumnFit(Model const& model, DeclaredColumns const& data, std::int64_t n_cols, DataInWords const& words) {
  CheckNames(model, data.names, words);
  if (n_cols > model.n_features) FailCount(model, n_cols, words, "drop the features that the model does not know");
  if (n_cols == model.n_features || data.may_lack_columns) return;
  FailCount(model, n_cols, words, "give all that it was trained on, NaN where a value is missing");
}

void CheckTrainingNames(Model const& model, MetaInfo const& train) {
  auto const n_names = static_cast<std::int64_t>(model.feature_names.size());
  CheckNames(model, train.feature_names, {"the training data"});
  if (model.NumIterations() > 0 || n_names == 0 || n_names == train.n_cols) return;
  Fail(ErrorKind::kData, "Incorrect number of feature names: the booster was given ", n_names,
       ", and the training data have ", train.n_cols, " features; set one for each.");
}

DeclaredColumns ToEvaluate(DeclaredColumns data, Client const& client) {
  if (HasXgboostsHabits(client)) data.may_lack_columns = true;
  return data;
}

DeclaredColumns ToPredict(DeclaredColumns data, Client const& client) {
  return HasXgboostsHabits(client) ? Unchecked(data) : data;
}

DeclaredColumns Unchecked(DeclaredColumns data) {
  data.names = {};
  data.may_lack_columns = true;
  return data;
}

void AdoptColumnLabels(MetaInfo const& train, ModelDraft* draft) {
  auto const& model = draft->Get();
  auto const lacks_names = model.feature_names.empty() && !train.feature_names.empty();
  auto const lacks_types = model.feature_types.empty() && !train.feature_types.empty();
  if (lacks_names) draft->Edit()->feature_names = train.feature_names;
  if (lacks_types) draft->Edit()->feature_types = train.feature_types;
}

void CheckColumnLabels(Model const& model, std::string const& field, Span<std::string const> labels) {
  auto const is_name = field == "feature_name";
  auto const n_labels = static_cast<std::int64_t>(labels.size());
  if (n_labels > 0 && model.NumIterations() > 0 && n_labels != model.n_features) {
    Fail(ErrorKind::kParameter, "Incorrect number of feature ", is_name ? "names" : "types", ": ", n_labels,
         " for a booster of ", model.n_features, " features; set one for each.");
  }
  if (is_name) RequireUniqueNames(labels);
}

}  // namespace kauri
