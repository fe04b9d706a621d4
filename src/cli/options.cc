#include "cli/options.h"

#include <algorithm>
#include <map>

#include "booster/config/learner_param.h"
#include "booster/config/parameter_check.h"
#include "booster/model_io/dump.h"
#include "booster/names/other_names.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/parameter.h"

namespace kauri::cli {

DMLC_REGISTER_PARAMETER(CliParam);

namespace {

constexpr char const* kEvalPrefix = "eval[";
constexpr std::size_t kEvalPrefixSize = 5;

std::vector<std::string> CliNames() {
  std::vector<std::string> names{"test:data", "train_path", "name_fmap"};
  for (auto const& info : DescribeParameters<CliParam>()) names.push_back(info.name);
  return names;
}

void RequirePath(std::string const& value, char const* name, char const* task_name) {
  if (value.empty()) Fail(ErrorKind::kParameter, "task=", task_name, " needs ", name, "=path.");
}

bool ContainsName(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void AddEvaluationSet(Setting const& setting, Options* options) {
  if (setting.key.back() != ']' || setting.key.size() <= kEvalPrefixSize + 1) {
    Fail(ErrorKind::kParameter, setting.origin, ": ", Quoted(setting.key), " is not of the form eval[NAME].");
  }
  auto name = setting.key.substr(kEvalPrefixSize, setting.key.size() - kEvalPrefixSize - 1);
  auto& sets = options->evaluation_sets;
  auto const found = std::find_if(sets.begin(), sets.end(), [&](auto const& set) { return set.first == name; });
  if (found == sets.end()) {
    sets.emplace_back(std::move(name), setting.value);
  } else {
    found->second = setting.value;
  }
}

/// Returns whether a feature map replaces the names of the model or the data in a task; the dump also reads its types.
bool IsNamedByMap(int task) {
  return task == CliParam::kImportance || task == CliParam::kReport || task == CliParam::kExplain ||
         task == CliParam::kPredict || task == CliParam::kSummary;
}

/// Checks the options of preset=best, which sets the other parameters of a training itself.
void RequireThoseOfBest(ParamMap const& own, Options const& options) {
  static std::vector<std::string> const kTaken{"task",        "data",          "model_out", "model_dialect",
                                               "time_budget", "rounds_budget", "nfold",     "preset"};
  if (options.cli.task != CliParam::kTrain) {
    Fail(ErrorKind::kParameter, "preset=best is for task=train only; leave it out.");
  }
  for (auto const& [name, value] : own) {
    if (ContainsName(kTaken, name)) continue;
    Fail(ErrorKind::kParameter, name, "=", value, " does not go with preset=best, which trains and stops by folds of ",
         "data; leave one of them out.");
  }
  for (auto const& [name, path] : options.evaluation_sets) {
    Fail(ErrorKind::kParameter, "eval[", name, "]=", path, " does not go with preset=best, which evaluates on folds ",
         "of data; leave it out, and use task=evaluate later.");
  }
  RequirePath(options.cli.model_out, "model_out", "train with preset=best");
}

/// The settings of one source. An argument overrides the file under any of a key's names; within one source two names
/// of one key must agree. The learner checks the same among its own parameters.
class GivenNames {
 public:
  void Note(Setting const& setting) {
    if (setting.key == "eval_metric") return;
    auto& given = given_[OwnName(setting.key)];
    if (setting.key.compare(0, kEvalPrefixSize, kEvalPrefix) == 0) return;
    auto const differs = given.key != setting.key && given.value != setting.value;
    if (!given.key.empty() && given.is_argument == setting.is_argument && differs) {
      Fail(ErrorKind::kParameter, setting.origin, ": ", given.key, "=", given.value, " (", given.origin, ") and ",
           setting.key, "=", setting.value, " are two names of one key with different values; give one of them.");
    }
    given = setting;
  }
  bool IsOverridden(Setting const& setting) const {
    auto const found = given_.find(OwnName(setting.key));
    return found != given_.end() && found->second.is_argument && !setting.is_argument;
  }

 private:
  std::map<std::string, Setting> given_;
};

[[noreturn]] void RefuseUnknown(Setting const& setting, std::vector<std::string> known) {
  auto const cli_names = CliNames();
  known.insert(known.end(), cli_names.begin(), cli_names.end());
  Fail(ErrorKind::kParameter, setting.origin, ": unknown parameter ", Quoted(setting.key), HintFor(setting.key, known),
       " kauri help all lists all of them.");
}

/// Checks the task's requirements beyond the ranges of single options.
void RequireThoseOfTask(ParamMap const& own, Options const& options) {
  if (options.cli.preset == CliParam::kBest) {
    RequireThoseOfBest(own, options);
  } else if (options.cli.rounds_budget > 0) {
    Fail(ErrorKind::kParameter, "rounds_budget=", options.cli.rounds_budget,
         " is for preset=best only; leave it out, and set num_round for the number of rounds.");
  }
  auto const has_folds = options.cli.task == CliParam::kCrossValidate;
  if (options.cli.early_stopping_rounds > 0 && options.evaluation_sets.empty() && !has_folds) {
    Fail(ErrorKind::kParameter, "early_stopping_rounds=", options.cli.early_stopping_rounds,
         " needs a set to watch; give eval[NAME]=path.");
  }
  if (options.cli.task == CliParam::kEvaluate && options.cli.test_path.empty() && options.evaluation_sets.empty()) {
    Fail(ErrorKind::kParameter, "task=evaluate needs test:data=path or eval[NAME]=path.");
  }
}

}  // namespace

std::string OwnName(std::string const& key) {
  if (key.compare(0, kEvalPrefixSize, kEvalPrefix) == 0) return "eval[NAME]";
  if (key == "test:data") return "test_path";
  if (key == "train_path") return "data";
  if (key == "name_fmap") return "fmap";
  auto const adapted = AdaptParameter(key, "");
  return adapted.name.empty() ? key : adapted.name;
}

Options ReadOptions(std::vector<Setting> const& settings) {
  Options options;
  ParamMap own;
  auto const own_names = CliNames();
  auto const learner_names = KnownParameterNames();
  GivenNames given;
  for (auto const& setting : settings) given.Note(setting);
  for (auto const& setting : settings) {
    if (setting.key.compare(0, kEvalPrefixSize, kEvalPrefix) == 0) {
      AddEvaluationSet(setting, &options);
    } else if (setting.key == "test:data") {
      own["test_path"] = setting.value;
    } else if (setting.key == "train_path") {
      own["data"] = setting.value;
    } else if (setting.key == "name_fmap") {
      own["fmap"] = setting.value;
    } else if (ContainsName(own_names, setting.key)) {
      own[setting.key] = setting.value;
    } else if (ContainsName(learner_names, setting.key)) {
      if (setting.key == "eval_metric" || !given.IsOverridden(setting))
        options.learner.emplace_back(setting.key, setting.value);
    } else {
      RefuseUnknown(setting, learner_names);
    }
  }
  options.cli = ParseParameters<CliParam>(own);
  for (auto const& setting : settings) {
    if (setting.is_argument) RequireRead(setting, OwnName(setting.key), options.cli);
  }
  if (!options.cli.fmap.empty() && IsNamedByMap(options.cli.task)) {
    options.feature_names = ReadFeatureMap(options.cli.fmap).names;
  }
  options.has_nfold = own.count("nfold") > 0;
  RequireThoseOfTask(own, options);
  return options;
}

void CliParam::Validate() const {
  switch (task) {
    case kTrain:
      return ValidateTraining();
    case kPredict:
      return ValidatePrediction();
    case kExplain:
      return ValidateExplanation();
    case kDump:
      return RequirePath(model_in, "model_in", "dump");
    case kImportance:
      return RequirePath(model_in, "model_in", "importance");
    case kLeaf:
      RequirePath(model_in, "model_in", "leaf");
      return RequirePath(test_path, "test:data", "leaf");
    case kEvaluate:
      return RequirePath(model_in, "model_in", "evaluate");
    case kConvert:
      RequirePath(model_in, "model_in", "convert");
      return RequirePath(model_out, "model_out", "convert");
    case kExport:
      RequirePath(model_in, "model_in", "export");
      return RequirePath(model_out, "model_out", "export");
    case kCheck:
      return RequirePath(model_in, "model_in", "check");
    case kVerify:
      RequirePath(model_in, "model_in", "verify");
      return RequirePath(data, "data", "verify");
    case kCrossValidate:
      return ValidateFolds();
    case kSummary:
      return RequirePath(data, "data", "summary");
    case kReport:
      RequirePath(model_in, "model_in", "report");
      return RequirePath(test_path, "test:data", "report");
    default:
      return;
  }
}

void CliParam::ValidateTraining() const {
  RequirePath(data, "data", "train");
  if (resume && save_period == 0) {
    Fail(ErrorKind::kParameter, "resume=true goes on from what save_period saves, but save_period is 0; give both.");
  }
  if (receipt && !model_in.empty()) {
    Fail(ErrorKind::kParameter, "receipt=true: a model that goes on from model_in=", model_in,
         " cannot be trained again from its data alone; leave out one of the two.");
  }
}

void CliParam::ValidateFolds() const {
  RequirePath(data, "data", "cv");
  if (model_in.empty()) return;
  Fail(ErrorKind::kParameter, "task=cv: a model that goes on from model_in=", model_in,
       " may have been trained on the test rows of the folds; leave out model_in.");
}

void CliParam::ValidatePrediction() const {
  RequirePath(model_in, "model_in", "pred");
  RequirePath(test_path, "test:data", "pred");
  if (pred_margin && pred_contribs) {
    Fail(ErrorKind::kParameter, "pred_margin and pred_contribs are both true; one run predicts one of the two.");
  }
  if (ntree_limit > 0 && iteration_end > 0) {
    Fail(ErrorKind::kParameter, "ntree_limit=", ntree_limit, " and iteration_end=", iteration_end,
         " say the same thing twice; give only iteration_end.");
  }
}

void CliParam::ValidateExplanation() const {
  RequirePath(model_in, "model_in", "explain");
  RequirePath(test_path, "test:data", "explain");
  if (!background.empty() && (kind == kApproximate || kind == kSets || kind == kDependence)) {
    Fail(ErrorKind::kParameter, "background=", background,
         " is for every kind but approximate, sets and dependence; use kind=contributions, or leave background out.");
  }
  if (kind == kSampled) RequirePath(background, "background", "explain with kind=sampled");
  if (kind == kSampled && (!features.empty() || reduce != kNone)) {
    Fail(ErrorKind::kParameter, "kind=sampled writes all features of each row; leave out features and reduce.");
  }
  if (kind == kSets && (!features.empty() || reduce != kNone)) {
    Fail(ErrorKind::kParameter, "kind=sets writes sets of all features for each row; leave out features and reduce.");
  }
  auto const has_keys_of_sets = index != static_cast<int>(InteractionIndex::kKSii) || max_order != 2 || strongest != 0;
  if (kind != kSets && has_keys_of_sets) {
    Fail(ErrorKind::kParameter, "index, max_order and strongest are for kind=sets alone; leave them out.");
  }
  if (kind != kSampled && explain_output == kOfLosses) {
    Fail(ErrorKind::kParameter, "explain_output=loss is for kind=sampled alone; other kinds explain margins.");
  }
  if (kind == kDependence && reduce != kNone) {
    Fail(ErrorKind::kParameter, "kind=dependence writes means over all rows already; leave out reduce.");
  }
  if (kind != kSampled && !name_errors.empty()) {
    Fail(ErrorKind::kParameter, "name_errors=", name_errors,
         " is for kind=sampled alone, as other values have no errors; leave one of them out.");
  }
}

}  // namespace kauri::cli
