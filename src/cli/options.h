/// \file The options of the command line: its own parameters, evaluation sets, and parameters for the learner.
#pragma once

#include <dmlc/parameter.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/config_parser.h"
#include "predictor/interactions/interaction_rule.h"

namespace kauri::cli {

/// The program's parameters. Names, defaults and meaning follow XGBoost's command line; early_stopping_rounds, resume,
/// preset, time_budget, model_dialect, pred_contribs, receipt and the tasks besides train, pred and dump are
/// Kauri's own. Two names cannot be declared: `test:data` is test_path, and `eval[NAME]` fills
/// Options::evaluation_sets.
struct CliParam : public dmlc::Parameter<CliParam> {
  int task;             ///< Task
  int kind;             ///< ExplainKind
  int reduce;           ///< ExplainReduce
  int explain_output;   ///< ExplainScale
  int dump_format;      ///< DumpFormat
  int importance_type;  ///< ImportanceType
  int index;            ///< InteractionIndex
  int max_order;
  int strongest;
  int n_resamples;
  int nfold;
  bool stratified;
  int dsplit;
  int preset;  ///< Preset
  int num_round;
  int rounds_budget;
  int early_stopping_rounds;
  int save_period;
  bool resume;
  bool receipt;
  double time_budget;
  int iteration_begin;
  int iteration_end;
  int ntree_limit;
  bool eval_train;
  bool pred_margin;
  bool pred_contribs;
  bool dump_stats;
  std::string data;
  std::string test_path;
  std::string model_in;
  std::string model_out;
  std::string model_dir;
  std::string model_dialect;
  std::string export_target;
  bool export_test;
  bool export_contributions;
  std::string name_pred;
  std::string name_explain;
  std::string features;
  std::string background;
  std::string orders;
  int n_orders;
  std::string name_errors;
  std::string name_dump;
  std::string name_importance;
  std::string name_evaluation;
  std::string name_cv;
  std::string name_report;
  std::string name_summary;
  std::string quantiles;
  std::string fmap;

  enum Task {
    kTrain = 0,
    kPredict = 1,
    kDump = 2,
    kExplain = 3,
    kImportance = 4,
    kLeaf = 5,
    kEvaluate = 6,
    kConvert = 7,
    kCheck = 8,
    kVerify = 9,
    kCrossValidate = 10,
    kReport = 11,
    kSummary = 12,
    kExport = 13
  };
  enum Preset { kNoPreset = 0, kBest = 1 };
  enum ImportanceType { kWeight = 0, kGain = 1, kCover = 2, kTotalGain = 3, kTotalCover = 4 };
  enum ExplainKind {
    kContributions = 0,
    kInteractions = 1,
    kApproximate = 2,
    kBanzhaf = 3,
    kTaylor = 4,
    kSampled = 5,
    kSets = 6,
    kBanzhafPairs = 7,
    kDependence = 8
  };
  enum ExplainScale { kOfMargins = 0, kOfValues = 1, kOfLosses = 2 };
  enum ExplainReduce { kNone = 0, kMeanAbs = 1 };
  enum DumpFormat { kText = 0, kJson = 1, kDot = 2 };

  DMLC_DECLARE_PARAMETER(CliParam) {
    DMLC_DECLARE_FIELD(task)
        .set_default(kTrain)
        .add_enum("train", kTrain)
        .add_enum("pred", kPredict)
        .add_enum("dump", kDump)
        .add_enum("explain", kExplain)
        .add_enum("importance", kImportance)
        .add_enum("leaf", kLeaf)
        .add_enum("evaluate", kEvaluate)
        .add_enum("convert", kConvert)
        .add_enum("check", kCheck)
        .add_enum("verify", kVerify)
        .add_enum("cv", kCrossValidate)
        .add_enum("report", kReport)
        .add_enum("summary", kSummary)
        .add_enum("export", kExport)
        .describe("What to do. `kauri help` lists the tasks, and `kauri help TASK` the keys that a task reads.");
    DMLC_DECLARE_FIELD(data).set_default("").describe(
        "Training data: a path, or a path with keys, as in houses.csv?label_column=price&weight_column=n. The key "
        "format is libsvm or csv, if the ending .libsvm, .svm or .csv, also before .gz, does not say it; what "
        "save_binary wrote is recognised. With #cache at the end, the bins of text lie in a file beside the path "
        "`cache`, for hist. The file path.feature_types beside text says which columns are categorical: q, int, c, one "
        "for each column. Also train_path.");
    DMLC_DECLARE_FIELD(test_path).set_default("").describe(
        "Data for pred, leaf, explain, evaluate and report. Also test_path.");
    DMLC_DECLARE_FIELD(eval_train).set_default(false).describe("Evaluate the training data too, under the name train.");
    DMLC_DECLARE_FIELD(preset)
        .set_default(kNoPreset)
        .add_enum("none", kNoPreset)
        .add_enum("best", kBest)
        .describe(
            "best: train searches for a learning rate, a number of rounds and a few settings that are not given, by "
            "cross-validation with nfold folds (5 if not given), writes the mean of the folds' models to model_out, "
            "and prints what it tried. It needs the Python package.");
    DMLC_DECLARE_FIELD(rounds_budget)
        .set_default(0)
        .set_lower_bound(0)
        .describe(
            "Number of rounds, each on all folds, for which preset=best searches. The same number gives the same bytes "
            "on every machine. 0: as many as time_budget allows, 2000 without it.");
    DMLC_DECLARE_FIELD(num_round).set_default(10).set_lower_bound(0).describe("Boosting rounds.");
    DMLC_DECLARE_FIELD(early_stopping_rounds)
        .set_default(0)
        .set_lower_bound(0)
        .describe(
            "Stop when the last metric on the last eval[NAME] has not improved for so many rounds, and save the "
            "model up to its best round; with cv, the mean of the last metric on the folds' test rows, and write the "
            "rounds up to the best; 0: never.");
    DMLC_DECLARE_FIELD(save_period)
        .set_default(0)
        .set_lower_bound(0)
        .describe("Save the model to model_dir every so many rounds; 0: only at the end.");
    DMLC_DECLARE_FIELD(resume).set_default(false).describe(
        "Go on from the newest model that save_period left in model_dir, if there is one, to the same bytes that an "
        "uninterrupted training writes.");
    DMLC_DECLARE_FIELD(receipt).set_default(false).describe(
        "Keep a receipt in the model: checksums of the data, the parameters and the model's bytes, for task=verify. It "
        "takes one more training.");
    DMLC_DECLARE_FIELD(time_budget)
        .set_default(0.0)
        .set_lower_bound(0.0)
        .describe(
            "Stop after the round that ends so many seconds after the first began; 0: never. Also of preset=best.");
    DMLC_DECLARE_FIELD(model_in).set_default("").describe(
        "Model to continue, apply, explain or dump; its contents show its format.");
    DMLC_DECLARE_FIELD(model_out).set_default("").describe(
        "Where the model goes: .json, or .ubj or .model for UBJSON. If empty, `kauri train DATA` writes model.json in "
        "model_dir, and a configuration file the number of rounds: 0010.model.");
    DMLC_DECLARE_FIELD(model_dialect)
        .set_default("")
        .describe(
            "The version of XGBoost for which the final model is written; later versions read it as well: 1.7, 2.1, "
            "3.0, 3.2 or 3.4. If empty, 3.2, with whatever only later versions can store. A model that the given "
            "version cannot store is an error.");
    DMLC_DECLARE_FIELD(model_dir).set_default("./").describe("Folder of models that model_out does not name.");
    DMLC_DECLARE_FIELD(name_pred)
        .set_default("pred.txt")
        .describe("Where predictions go, one value per line; stdout: standard output.");
    DMLC_DECLARE_FIELD(pred_margin).set_default(false).describe("Predict raw margins.");
    DMLC_DECLARE_FIELD(pred_contribs)
        .set_default(false)
        .describe("Predict each feature's SHAP value: CSV with a header, the last column is the bias.");
    DMLC_DECLARE_FIELD(kind)
        .set_default(kContributions)
        .add_enum("contributions", kContributions)
        .add_enum("interactions", kInteractions)
        .add_enum("approximate", kApproximate)
        .add_enum("banzhaf", kBanzhaf)
        .add_enum("taylor", kTaylor)
        .add_enum("banzhaf_interactions", kBanzhafPairs)
        .add_enum("sampled", kSampled)
        .add_enum("dependence", kDependence)
        .add_enum("sets", kSets)
        .describe(
            "What explain writes: each feature's SHAP value, those of pairs of features, the faster approximation of "
            "the first, each feature's Banzhaf value, Shapley-Taylor or Banzhaf interactions of pairs, SHAP values "
            "from sampled sets of features on the scale of explain_output, interactions of sets of up to max_order "
            "features, or each feature's partial dependence over all rows: CSV with a line per interval in which the "
            "mean margin is constant.");
    DMLC_DECLARE_FIELD(index)
        .set_default(static_cast<int>(InteractionIndex::kKSii))
        .add_enum("SII", static_cast<int>(InteractionIndex::kSii))
        .add_enum("k-SII", static_cast<int>(InteractionIndex::kKSii))
        .add_enum("STII", static_cast<int>(InteractionIndex::kStii))
        .add_enum("FSII", static_cast<int>(InteractionIndex::kFsii))
        .add_enum("BII", static_cast<int>(InteractionIndex::kBii))
        .describe(
            "The interactions of kind=sets: Shapley (SII), Shapley that add up to the margin (k-SII), Shapley-Taylor "
            "(STII), faithful (FSII) or Banzhaf (BII).");
    DMLC_DECLARE_FIELD(max_order).set_default(2).describe("The largest number of features of a set, for kind=sets.");
    DMLC_DECLARE_FIELD(strongest).set_default(0).set_lower_bound(0).describe(
        "Number of sets that kind=sets writes for each row and output, strongest first; 0: all.");
    DMLC_DECLARE_FIELD(explain_output)
        .set_default(kOfValues)
        .add_enum("margin", kOfMargins)
        .add_enum("value", kOfValues)
        .add_enum("loss", kOfLosses)
        .describe(
            "What kind=sampled explains: margins, predictions, or each row's loss by the objective's metric, for which "
            "test:data needs labels.");
    DMLC_DECLARE_FIELD(orders).set_default("auto").describe(
        "How kind=sampled chooses orders of features: auto, exact, mc, antithetic, orthogonal, sobol, herding, sbq, "
        "owen, owen_halved or stratified.");
    DMLC_DECLARE_FIELD(n_orders).set_default(0).set_lower_bound(0).describe(
        "Number of orders that kind=sampled takes; 0: 2 (d - 1) for d features, at least 10.");
    DMLC_DECLARE_FIELD(name_errors)
        .set_default("")
        .describe(
            "Where the standard errors of kind=sampled go, as name_explain; NaN where orders are no independent parts; "
            "empty: nowhere.");
    DMLC_DECLARE_FIELD(features).set_default("").describe(
        "Features whose values explain writes, by name or number: age,3; the bias follows them. Empty: all.");
    DMLC_DECLARE_FIELD(background)
        .set_default("")
        .describe(
            "Data whose rows replace the values of features that are left out (interventional values), for every kind "
            "but approximate, sets and dependence. If empty, the model's record of its training data is used.");
    DMLC_DECLARE_FIELD(reduce)
        .set_default(kNone)
        .add_enum("none", kNone)
        .add_enum("mean_abs", kMeanAbs)
        .describe("Explain every row, or write the mean over the rows of the absolute values.");
    DMLC_DECLARE_FIELD(name_explain)
        .set_default("explain.csv")
        .describe(
            "Where explanations go: .csv (a header; the last column is the bias; with several outputs or interactions "
            "the first columns number the lines), .npy (a float32 array [rows, outputs if several, features + 1, "
            "features + 1 for interactions], without rows for reduce=mean_abs), or stdout: CSV to standard output.");
    DMLC_DECLARE_FIELD(iteration_begin)
        .set_default(0)
        .set_lower_bound(0)
        .describe("First boosting round used by pred and explain.");
    DMLC_DECLARE_FIELD(iteration_end)
        .set_default(0)
        .set_lower_bound(0)
        .describe("One past the last boosting round used by pred and explain; 0: all.");
    DMLC_DECLARE_FIELD(ntree_limit)
        .set_default(0)
        .set_lower_bound(0)
        .describe("Old form of iteration_end, counted in trees; 0: not used.");
    DMLC_DECLARE_FIELD(export_target)
        .set_default("")
        .describe(
            "Language in which export writes the model to model_out: c, duckdb, postgresql, sqlite, onnx, wasm, "
            "wasm_source (C to compile to WebAssembly), treelite (a checkpoint, by the Python package and its library) "
            "or treelite_source (the tables of one as JSON). Empty: the ending of model_out says it.");
    DMLC_DECLARE_FIELD(export_test)
        .set_default(false)
        .describe(
            "Run the test that the exported file carries, with a compiler, database or runtime of this machine, and "
            "say "
            "what ran. It needs the Python package.");
    DMLC_DECLARE_FIELD(export_contributions)
        .set_default(false)
        .describe(
            "Export a program that computes the contributions (SHAP values) of a row too; targets c, wasm and "
            "wasm_source.");
    DMLC_DECLARE_FIELD(dump_stats).set_default(false).describe("Dump gains and covers too.");
    DMLC_DECLARE_FIELD(dump_format)
        .set_default(kText)
        .add_enum("text", kText)
        .add_enum("json", kJson)
        .add_enum("dot", kDot)
        .describe("Form of the dump; text and dot show the names of categories, json their numbers.");
    DMLC_DECLARE_FIELD(name_dump).set_default("dump.txt").describe("Where the dump goes; stdout: standard output.");
    DMLC_DECLARE_FIELD(importance_type)
        .set_default(kGain)
        .add_enum("weight", kWeight)
        .add_enum("gain", kGain)
        .add_enum("cover", kCover)
        .add_enum("total_gain", kTotalGain)
        .add_enum("total_cover", kTotalCover)
        .describe(
            "What importance counts: splits by the feature, or the mean or the sum of their gains or covers. A linear "
            "model has weight alone, its weights.");
    DMLC_DECLARE_FIELD(name_importance)
        .set_default("importance.csv")
        .describe("Where importance goes, as CSV: feature and score; stdout: standard output.");
    DMLC_DECLARE_FIELD(name_evaluation)
        .set_default("stdout")
        .describe(
            "Where evaluate goes, as CSV: data, metric, value, and the ends of its interval; stdout: standard output.");
    DMLC_DECLARE_FIELD(n_resamples)
        .set_default(200)
        .set_lower_bound(0)
        .describe(
            "Number of bootstrap samples of the rows (in ranking, of the queries), with replacement and by `seed`, for "
            "the 95 % confidence intervals of evaluate; 0: no intervals.");
    DMLC_DECLARE_FIELD(nfold).set_default(3).describe(
        "Number of folds of cv: all rows in an order by `seed`, divided into equal parts. The rows of a query stay "
        "together.");
    DMLC_DECLARE_FIELD(stratified).set_default(false).describe("Give every fold of cv the same share of each label.");
    DMLC_DECLARE_FIELD(name_cv).set_default("stdout").describe(
        "Where cv goes, as CSV: the round, then for each metric the mean and the standard deviation over the folds, on "
        "the training rows and on the test rows; stdout: standard output.");
    DMLC_DECLARE_FIELD(name_report)
        .set_default("report.html")
        .describe("Where the page of report goes, one file of HTML with its pictures; stdout: standard output.");
    DMLC_DECLARE_FIELD(name_summary)
        .set_default("stdout")
        .describe(
            "Where summary goes, as CSV with one line for each column of data: counts, bounds, moments, the quantiles "
            "that `quantiles` lists, computed by `sketch`, and the largest error of their ranks; stdout: standard "
            "output.");
    DMLC_DECLARE_FIELD(quantiles)
        .set_default("0.01,0.05,0.25,0.5,0.75,0.95,0.99")
        .describe("Shares of all rows, ascending, whose quantiles summary writes.");
    DMLC_DECLARE_FIELD(fmap).set_default("").describe(
        "File of feature names, 'index name type' per line, for tasks that show features (dump, importance, report, "
        "explain, pred with pred_contribs, summary). They replace the model's own names. Also name_fmap.");
    DMLC_DECLARE_FIELD(dsplit).set_default(0).add_enum("row", 0).describe("How data is divided among machines.");
    DMLC_DECLARE_ALIAS(data, train_path);
    DMLC_DECLARE_ALIAS(fmap, name_fmap);
  }

  /// \throws Error(kParameter): files that the task needs are not given; options that contradict each other.
  void Validate() const;

 private:
  void ValidateTraining() const;
  void ValidateFolds() const;
  void ValidatePrediction() const;
  void ValidateExplanation() const;
};

struct Options {
  CliParam cli;
  std::vector<std::string> feature_names{};                          ///< names of fmap; empty: it is not given
  std::vector<std::pair<std::string, std::string>> evaluation_sets;  ///< (name, uri), in the order first given
  std::vector<std::pair<std::string, std::string>> learner;          ///< (name, value), in order; later ones override
  bool has_nfold = false;  ///< true if nfold is given, rather than its default
};

/// Returns a key's own name: eta for learning_rate, eval[NAME] for eval[test], and test_path, as it is declared, for
/// test:data.
std::string OwnName(std::string const& key);

/// Divides settings into options of the program (`cli`), evaluation sets and parameters of the learner; reads the file
/// `fmap`. settings: in the order of precedence, later ones override. \throws Error(kParameter) for unknown names, with
/// the nearest known one, for two names of one key, for keys that the task does not read and for missing paths.
Options ReadOptions(std::vector<Setting> const& settings);

}  // namespace kauri::cli
