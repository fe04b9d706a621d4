/// \file Parameters of the learner itself.
#pragma once

#include <dmlc/parameter.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kauri/context.h"
#include "kauri/parameter.h"

namespace kauri {

struct LearnerParam : public dmlc::Parameter<LearnerParam> {
  std::string objective;
  std::string booster;
  std::string device;
  std::string predictor;
  std::string base_score;
  std::string eval_metric;
  int nthread;
  std::int64_t seed;
  int verbosity;
  bool validate_parameters;
  bool disable_default_eval_metric;
  std::string unseen_category;
  std::string categorical_encoding;
  std::int64_t ordered_permutations;
  float ordered_strength;
  std::int64_t ordered_combination;
  std::int64_t num_target;
  bool fail_on_invalid_gpu_id;

  DMLC_DECLARE_PARAMETER(LearnerParam) {
    DMLC_DECLARE_FIELD(objective)
        .set_default("reg:squarederror")
        .describe("The loss that training minimises; see the list of objectives.");
    DMLC_DECLARE_FIELD(booster).set_default("gbtree").describe("What a round adds; see the list of boosters.");
    DMLC_DECLARE_FIELD(device).set_default("cpu").describe(
        "Where to run: cpu, cuda (the first CUDA device), cuda:N, several as cuda:N,M,.. or cuda:all. Predictions and "
        "explanations split their rows over several devices, and so does training with hist and approx; exact trains "
        "on one alone. No result depends on how many there are.");
    DMLC_DECLARE_FIELD(predictor).set_default("auto").describe(
        "What predicts and explains: auto (the device's own), cpu_predictor or gpu_predictor (the first CUDA device "
        "where device=cpu). Margins and leaves are the same bits from both; explanations agree to about 1e-6.");
    DMLC_DECLARE_FIELD(base_score)
        .set_default("")
        .describe(
            "Prediction before the first tree, in output space: a number, or [a, b, ..] per output. Estimated if not "
            "given.");
    DMLC_DECLARE_FIELD(eval_metric)
        .set_default("")
        .describe("Metric for evaluation sets, may be given repeatedly; the objective's own if not given.");
    DMLC_DECLARE_FIELD(nthread).set_default(0).describe(
        "Number of worker threads. 0 or below: OMP_NUM_THREADS of the environment if it is set, otherwise the number "
        "of processors that the process may use, by its CPU affinity and by the CPU limit of its container. At most "
        "four per core, or 256 on small machines, are started. It never changes a result.");
    DMLC_DECLARE_FIELD(seed).set_default(0).describe(
        "Seed of row and column sampling and of the random partners of lambdarank_pair_method=mean.");
    DMLC_DECLARE_FIELD(verbosity).set_default(1).set_range(0, 3).describe(
        "What the log callback receives: 0 nothing, 1 warnings, 2 information, 3 details. Given to a booster, it holds "
        "for the thread that trains it from then on.");
    DMLC_DECLARE_FIELD(validate_parameters)
        .set_default(false)
        .describe("Unknown parameter names are errors (the command line and Python set it); else warnings in the log.");
    DMLC_DECLARE_FIELD(disable_default_eval_metric)
        .set_default(false)
        .describe("Do not evaluate the objective's own metric when eval_metric is not given.");
    DMLC_DECLARE_FIELD(unseen_category)
        .set_default("")
        .describe(
            "How a category that did not occur in training is treated. xgboost: it goes left at every split of its "
            "feature, as in XGBoost, and a name that the model does not know is an error. missing: it counts as "
            "missing. error: it is an error. Stored with the model; if not given, the model's own setting, at first "
            "xgboost.");
    DMLC_DECLARE_FIELD(categorical_encoding)
        .set_default("")
        .describe(
            "How trees learn from categories. partition: splits divide the categories. ordered: a category becomes the "
            "mean label of the rows before its own in a random order (with 3 classes or more, the share of each "
            "class), and trees split these numbers; for columns with many categories of few rows each. If not given, "
            "the model's own setting, at first partition.");
    DMLC_DECLARE_FIELD(ordered_permutations)
        .set_default(4)
        .set_range(1, 1024)
        .describe(
            "For categorical_encoding=ordered: number of random orders that the rounds use in turn; each costs a copy "
            "of the training data.");
    DMLC_DECLARE_FIELD(ordered_strength)
        .set_default(1.0F)
        .describe(
            "For categorical_encoding=ordered: how many rows the mean label of all rows, or the share of a class among "
            "all rows, counts as when it is averaged with a category's own; above 0.");
    DMLC_DECLARE_FIELD(ordered_combination)
        .set_default(1)
        .set_range(1, 8)
        .describe(
            "For categorical_encoding=ordered: largest number of categorical columns in a combination, whose joint "
            "categories are encoded like those of a column (CatBoost's max_ctr_complexity). At most 16 combinations of "
            "each size are used, the most informative ones. 1: none.");
    DMLC_DECLARE_FIELD(num_target)
        .set_default(1)
        .set_range(1, 1 << 24)
        .describe(
            "Number of outputs of a model that is trained on the caller's gradients. It may be left out if there are "
            "several label columns, or if the objective states it.");
    DMLC_DECLARE_FIELD(fail_on_invalid_gpu_id)
        .set_default(false)
        .describe(
            "With XGBoost's package, which goes on with another device: a number in `device` that no device has is an "
            "error. Elsewhere it always is.");
    DMLC_DECLARE_ALIAS(nthread, n_jobs);
    DMLC_DECLARE_ALIAS(seed, random_state);
  }
  /// Checks values. \throws Error(kParameter) for an unknown unseen_category or categorical_encoding, or for an
  /// ordered_strength of 0 or below.
  void Validate() const;

  int Threads() const;
};

/// Parses the numbers of a base_score text: "0.5" or "[0.2, 0.3, 0.5]"; empty text: none. \throws Error(kParameter).
std::vector<float> ParseBaseScore(std::string const& text);

/// Returns the base scores of a text for `n_outputs` outputs, one for each; none if the text is empty.
/// \throws Error(kParameter) for a wrong number of values.
std::vector<float> BaseScoresOf(std::string const& text, std::size_t n_outputs);

/// Returns the declared name of a parameter: eta for learning_rate. Other names are returned unchanged.
std::string CanonicalParameterName(std::string const& name);

/// Returns the aliases of all parameters.
std::vector<std::string> ParameterAliases();

/// Returns every name that may be set: names declared by components, their aliases, and XGBoost's names without effect.
std::vector<std::string> KnownParameterNames();

/// Returns every parameter that any component declares, grouped: (heading, table). For --help and for checking names.
std::vector<std::pair<std::string, ParameterTable>> AllParameters();

}  // namespace kauri
