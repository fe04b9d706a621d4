#include "cli/tasks.h"

#include <array>
#include <cstdint>

#include "booster/config/parameter_check.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

/// A set of tasks, one bit per CliParam::Task.
using Tasks = std::uint32_t;

template <typename... Task>
constexpr Tasks Of(Task... tasks) {
  return ((Tasks{1} << static_cast<unsigned>(tasks)) | ...);
}

constexpr auto kLearning = Of(CliParam::kTrain, CliParam::kCrossValidate);
constexpr auto kOfRows =
    Of(CliParam::kPredict, CliParam::kExplain, CliParam::kLeaf, CliParam::kEvaluate, CliParam::kReport);
constexpr auto kRounds = Of(CliParam::kPredict, CliParam::kExplain, CliParam::kLeaf);
constexpr auto kOfModels =
    kOfRows | Of(CliParam::kTrain, CliParam::kDump, CliParam::kImportance, CliParam::kConvert, CliParam::kCheck,
                 CliParam::kVerify, CliParam::kCrossValidate, CliParam::kExport);
constexpr auto kNamed = Of(CliParam::kDump, CliParam::kImportance, CliParam::kReport, CliParam::kExplain,
                           CliParam::kPredict, CliParam::kSummary);

struct KeyTasks {
  char const* key;
  Tasks tasks;
};

constexpr auto kScored =
    kLearning | Of(CliParam::kEvaluate, CliParam::kReport, CliParam::kExplain);  // explain can explain a row's loss
constexpr auto kReadBins = kLearning | Of(CliParam::kVerify);                    // training data may be a cache of bins
constexpr auto kSketched = kLearning | Of(CliParam::kSummary);

/// The tasks that read each key. Training parameters that are not listed here are read by kLearning; other keys that
/// are not listed are read by all tasks.
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
    {"model_out", Of(CliParam::kTrain, CliParam::kConvert, CliParam::kExport)},
    {"model_dialect", Of(CliParam::kTrain, CliParam::kConvert)},
    {"export_target", Of(CliParam::kExport)},
    {"export_test", Of(CliParam::kExport)},
    {"export_contributions", Of(CliParam::kExport)},
    {"model_dir", Of(CliParam::kTrain)},
    {"name_pred", Of(CliParam::kPredict, CliParam::kLeaf)},
    {"pred_margin", Of(CliParam::kPredict)},
    {"pred_contribs", Of(CliParam::kPredict)},
    {"kind", Of(CliParam::kExplain)},
    {"index", Of(CliParam::kExplain)},
    {"max_order", Of(CliParam::kExplain)},
    {"strongest", Of(CliParam::kExplain)},
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
    {"eval_metric", kScored},
    {"disable_default_eval_metric", kScored},
    {"base_score", kLearning},
    {"booster", kLearning},
    {"categorical_encoding", kLearning},
    {"ordered_permutations", kLearning},
    {"ordered_strength", kLearning},
    {"ordered_combination", kLearning},
    {"num_target", kLearning},
    {"scale_pos_weight", kLearning},
    {"lambdarank_pair_method", kLearning},
    {"lambdarank_num_pair_per_sample", kLearning},
    {"lambdarank_normalization", kLearning},
    {"lambdarank_score_normalization", kLearning},
    {"lambdarank_unbiased", kLearning},
    {"lambdarank_bias_norm", kLearning},
    {"max_bin", kReadBins},
    {"memory_budget", kReadBins},
    {"cache_host_ratio", kReadBins},
    {"sketch", kSketched},
    {"sketch_size", kSketched},
    {"sketch_order", kSketched},
    {"sketch_density", kSketched},
};

Tasks ReadersOf(std::string const& key) {
  for (auto const& [known, tasks] : kTable) {
    if (key == known) return tasks;
  }
  return IsReadByTrainingAlone(key) ? kLearning : ~Tasks{0};
}

bool Contains(Tasks tasks, int task) { return (tasks >> static_cast<unsigned>(task) & 1U) != 0; }

struct TaskWords {
  char const* name;
  char const* line;
};

/// The tasks in the enumeration's order.
constexpr std::array<TaskWords, 14> kTasks{{{"train", "Train a model on data."},
                                            {"pred", "Predict rows with a model."},
                                            {"dump", "Write the trees or weights of a model."},
                                            {"explain", "Write SHAP values and other explanations of rows."},
                                            {"importance", "Write the importance of the features to a model."},
                                            {"leaf", "Write the leaf of each tree that a row reaches."},
                                            {"evaluate", "Write metrics of a model with confidence intervals."},
                                            {"convert", "Write a model in another format or dialect."},
                                            {"check", "Check that a file is a sound model."},
                                            {"verify", "Train a model again by its receipt and compare."},
                                            {"cv", "Cross-validate: write the metrics of every round."},
                                            {"report", "Write an HTML report (needs the Python package)."},
                                            {"summary", "Write statistics of the columns of data."},
                                            {"export", "Write a model in another language or format."}}};

char const* NameOf(int task) { return kTasks[static_cast<std::size_t>(task)].name; }

}  // namespace

std::vector<TaskInfo> AllTasks() {
  std::vector<TaskInfo> tasks;
  for (auto const& [name, line] : kTasks) tasks.push_back({name, line});
  return tasks;
}

bool IsReadBy(std::string const& own_name, int task) { return Contains(ReadersOf(own_name), task); }

std::string TasksThatRead(std::string const& key) {
  auto const readers = ReadersOf(key);
  if (readers == ~Tasks{0}) return {};
  std::string names;
  for (int task = 0; task < static_cast<int>(kTasks.size()); ++task) {
    if (Contains(readers, task)) names += (names.empty() ? "" : ", ") + std::string(NameOf(task));
  }
  return names;
}

void RequireRead(Setting const& setting, std::string const& own_name, CliParam const& cli) {
  if (IsReadBy(own_name, cli.task)) return;
  Fail(ErrorKind::kParameter, setting.origin, ": task=", NameOf(cli.task), " does not read ", Quoted(setting.key),
       "; it is a key of ", TasksThatRead(own_name), ". Leave it out.");
}

}  // namespace kauri::cli
