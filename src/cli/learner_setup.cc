#include "cli/learner_setup.h"

#include <string>

#include "booster/config/learner_param.h"
#include "booster/config/parameter_check.h"
#include "booster/names/class_names.h"
#include "common/files/read_file.h"
#include "common/text/log.h"
#include "data/memory_budget.h"
#include "data_from_uri.h"
#include "kauri/error.h"
#include "kauri/tree_param.h"

namespace kauri::cli {
namespace {

constexpr std::size_t kShownText = 60;

void SetParameters(Options const& options, Learner* learner) {
  learner->SetParam("validate_parameters", "true");
  for (auto const& [name, value] : options.learner) learner->SetParam(name, value);
}

/// Warns if the model uses a special missing value. An estimator of the Python package stores it in its model; text
/// files have empty fields for it.
void WarnOfMissing(Learner const& learner) {
  auto const found = learner.Attributes().find("kauri_missing");
  if (found == learner.Attributes().end()) return;
  Log(LogLevel::kWarning, "the model was learnt from tables in which ", found->second.substr(0, kShownText),
      " means a missing value; here it is a number: leave such fields empty.");
}

void LoadModelIn(Options const& options, Learner* learner) {
  if (options.cli.model_in.empty()) return;
  auto const bytes = ReadFile(FileToRead{options.cli.model_in, "model"});
  try {
    learner->LoadModel({bytes.data(), bytes.size()});
  } catch (Error const& error) {
    Fail(error.Kind(), "model_in=", options.cli.model_in, ": ", error.what());
  }
  WarnOfMissing(*learner);
}

}  // namespace

void SetUpLearner(Options const& options, Learner* learner) {
  LoadModelIn(options, learner);
  SetParameters(options, learner);
  learner->Configure();
}

ParamMap LearnerParams(Options const& options) {
  ParamMap params;
  for (auto const& [name, value] : options.learner) {
    auto const adapted = AdaptParameter(name, value);
    if (!adapted.name.empty()) params[adapted.name] = adapted.value;
  }
  return params;
}

Context MakeContext(Options const& options) {
  Context ctx;
  ctx.threads = ParseParameters<LearnerParam>(LearnerParams(options)).Threads();
  return ctx;
}

std::shared_ptr<DataMatrix> ReadData(Options const& options, std::string const& key, std::string const& uri,
                                     TextNames* names, DataMatrix const* like) {
  auto const params = LearnerParams(options);
  auto const ctx = MakeContext(options);
  BinStoreOptions bins;
  bins.max_bin = ParseParameters<TreeParam>(params).max_bin;
  bins.budget = ParseParameters<MemoryParam>(params).Budget();
  bins.like = like;
  try {
    return ReadUri(ctx, uri, bins, names);
  } catch (Error const& error) {
    Fail(error.Kind(), key, "=", uri, ": ", error.what());
  }
}

std::shared_ptr<DataMatrix> ReadValues(Options const& options, std::string const& key, std::string const& uri,
                                       TextNames* names) {
  auto data = ReadData(options, key, uri, names);
  if (data->Store() == nullptr) return data;
  Fail(ErrorKind::kParameter, key, "=", uri,
       ": the task needs the values of the features, but a cache keeps only bins; leave out the part from '#' on.");
}

std::shared_ptr<DataMatrix> ReadRowsFor(ReadyModel const& model, Options const& options, std::string const& key,
                                        std::string const& uri, LabelUse labels) {
  auto names = TextNamesOf(model.GetModel());
  auto data = ReadValues(options, key, uri, &names);
  try {
    if (labels == LabelUse::kCompared) RequireKnownClasses(names, model.GetModel());
    model.CheckColumns(DeclaredColumns::Of(data->Info()).With(*data->View()), data->NumCols());
  } catch (Error const& error) {
    Fail(error.Kind(), key, "=", uri, ": ", error.what());
  }
  return data;
}

}  // namespace kauri::cli
