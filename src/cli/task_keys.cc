#include "cli/task_keys.h"

#include <array>
#include <cstdint>

#include "booster/parameter_check.h"
#include "common/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

/// A set of tasks: bit CliParam::Task is that task.
using Tasks = std::uint32_t;

template <typename... Task>
constexpr Tasks Of(Task... tasks) {
  return ((Tasks{1} << static_cast<unsigned>(tasks)) | ...);
}

constexpr auto kLearning = Of(CliParam::kTrain, CliParam::kCrossValidate);
constexpr auto kOfRows =
    Of(CliParam::kPredict, CliParam::kExplain, CliParam::kLeaf, CliParam::kEvaluate, CliParam::kReport);
constexpr auto kRounds = Of(CliParam::kPredict, CliParam::kExplain, CliParam::kLeaf);
constexpr auto kOfModels = kOfRows | Of(CliParam::kTrain, CliParam::kDump, CliParam::kImportance, CliParam::kConvert,
                                        CliParam::kCheck, CliParam::kVerify, CliParam::kCrossValidate);
constexpr auto kNamed = Of(CliParam::kDump, CliParam::kImportance, CliParam::kReport, CliParam::kExplain,
                           CliParam::kPredict, CliParam::kSummary);

struct KeyTasks {
  char const* key;
  Tasks tasks;
};

/// Keys that are not here are read by all tasks.
constexpr KeyTasks kTable[] = {
    {"data", kLearning | Of(CliParam::kVerify, CliParam::kSummary)},
    {"test_path", kOfRows},
    {"eval[NAME]", Of(CliParam::kTrain, CliParam::kEvaluate)},
    {"eval_train", Of(CliParam::kTrain)},
    {"preset", Of(CliParam::kTrain)},
    {"rounds_budget", Of(CliParam::kTrain)},
    {"num_round", kLearning},
    {"early_stopping_rounds", kLearning},
    {"save_period", Of(CliParam::kTrain)},
    {"resume", Of(CliParam::kTrain)},
    {"receipt", Of(CliParam::kTrain)},
    {"time_budget", Of(CliParam::kTrain)},
    {"model_in", kOfModels},
    {"model_out", Of(CliParam::kTrain, CliParam::kConvert)},
    {"model_dialect", Of(CliParam::kTrain, CliParam::kConvert)},
    {"model_dir", Of(CliParam::kTrain)},
    {"name_pred", Of(CliParam::kPredict, CliParam::kLeaf)},
    {"pred_margin", Of(CliParam::kPredict)},
    {"pred_contribs", Of(CliParam::kPredict)},
    {"kind", Of(CliParam::kExplain)},
    {"explain_output", Of(CliParam::kExplain)},
    {"orders", Of(CliParam::kExplain)},
    {"n_orders", Of(CliParam::kExplain)},
    {"name_errors", Of(CliParam::kExplain)},
    {"features", Of(CliParam::kExplain)},
    {"background", Of(CliParam::kExplain)},
    {"reduce", Of(CliParam::kExplain)},
    {"name_explain", Of(CliParam::kExplain)},
    {"iteration_begin", kRounds},
    {"iteration_end", kRounds},
    {"ntree_limit", Of(CliParam::kPredict, CliParam::kLeaf)},
    {"dump_stats", Of(CliParam::kDump)},
    {"dump_format", Of(CliParam::kDump)},
    {"name_dump", Of(CliParam::kDump)},
    {"importance_type", Of(CliParam::kImportance)},
    {"name_importance", Of(CliParam::kImportance)},
    {"name_evaluation", Of(CliParam::kEvaluate)},
    {"n_resamples", Of(CliParam::kEvaluate)},
    {"nfold", kLearning},
    {"stratified", Of(CliParam::kCrossValidate)},
    {"name_cv", Of(CliParam::kCrossValidate)},
    {"name_report", Of(CliParam::kReport)},
    {"name_summary", Of(CliParam::kSummary)},
    {"quantiles", Of(CliParam::kSummary)},
    {"fmap", kNamed},
    {"dsplit", kLearning},
};

Tasks ReadersOf(std::string const& key) {
  for (auto const& [known, tasks] : kTable) {
    if (key == known) return tasks;
  }
  return ~Tasks{0};
}

bool Contains(Tasks tasks, int task) { return (tasks >> static_cast<unsigned>(task) & 1U) != 0; }

/// By the enumeration's order.
constexpr std::array<char const*, 13> kNames{"train", "pred",     "dump",    "explain", "importance",
                                             "leaf",  "evaluate", "convert", "check",   "verify",
                                             "cv",    "report",   "summary"};

}  // namespace

std::string TasksThatRead(std::string const& key) {
  auto const readers = ReadersOf(key);
  if (readers == ~Tasks{0}) return {};
  std::string names;
  for (std::size_t task = 0; task < kNames.size(); ++task) {
    if (Contains(readers, static_cast<int>(task))) names += (names.empty() ? "" : ", ") + std::string(kNames[task]);
  }
  return names;
}

void RequireRead(Setting const& setting, std::string const& own_name, CliParam const& cli) {
  constexpr auto kReadParametersOfTrees = kLearning | Of(CliParam::kVerify, CliParam::kSummary);
  if (IsReadByTreeMethodsAlone(own_name) && !Contains(kReadParametersOfTrees, cli.task)) {
    Fail(ErrorKind::kParameter, setting.origin, ": task=", kNames[static_cast<std::size_t>(cli.task)],
         " learns no trees and does not read ", Quoted(setting.key), "; it is a parameter of train, cv. Leave it out.");
  }
  if (Contains(ReadersOf(own_name), cli.task)) return;
  Fail(ErrorKind::kParameter, setting.origin, ": task=", kNames[static_cast<std::size_t>(cli.task)], " does not read ",
       Quoted(setting.key), "; it is a key of ", TasksThatRead(own_name), ". Leave it out.");
}

}  // namespace kauri::cli
