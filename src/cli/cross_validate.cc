/// \file task=cv: trains one learner per fold, side by side, and prints their metrics in every round.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "booster/class_names.h"
#include "booster/learner.h"
#include "cli/early_stopping.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "data/copies/slice.h"
#include "data/meta_info.h"

namespace kauri::cli {
namespace {

constexpr char const* kTestRows = "test";

/// A metric over the folds.
struct FoldScore {
  EvaluationResult mean;  ///< names of the data and the metric, and the mean of the values
  double deviation;       ///< standard deviation of the values, with the number of folds as divisor, as in xgboost.cv
};

/// The learner of one fold with its rows.
class FoldTraining {
 public:
  FoldTraining(Options const& options, Context const& ctx, DataMatrix const& data, Fold const& rows)
      : train_(Slice(ctx, data, rows.train, true)),
        sets_{{"train", train_}, {kTestRows, Slice(ctx, data, rows.test, true)}} {
    SetUpLearner(options, &learner_);
    learner_.AddData(train_);
  }
  std::vector<EvaluationResult> Round(std::int64_t iteration) {
    learner_.BoostRound(train_, iteration);
    return learner_.Evaluate(sets_);
  }

 private:
  Learner learner_;
  std::shared_ptr<DataMatrix const> train_;
  std::vector<NamedData> sets_;
};

/// Returns mean and deviation of one metric in one round. of_folds: [n_folds][n_metrics], the metrics of each fold's
/// training rows and then of its test rows, in the same order in every fold.
FoldScore ScoreOf(std::vector<std::vector<EvaluationResult>> const& of_folds, std::size_t metric) {
  FoldScore score{of_folds[0][metric], 0.0};
  auto const n = static_cast<double>(of_folds.size());
  score.mean.value = 0;
  for (auto const& fold : of_folds) score.mean.value += fold[metric].value / n;
  for (auto const& fold : of_folds) {
    auto const difference = fold[metric].value - score.mean.value;
    score.deviation += difference * difference / n;
  }
  score.deviation = std::sqrt(score.deviation);
  return score;
}

class CrossValidation {
 public:
  explicit CrossValidation(Options const& options)
      : cli_(options.cli), stopping_(kTestRows, cli_.early_stopping_rounds, {}), progress_(cli_.num_round, "rounds") {
    Learner learner;
    SetUpLearner(options, &learner);
    auto const ready = learner.Ready();
    auto const& parts = *ready->Parts();
    TextNames names;
    auto const data = ReadValues(options, "data", cli_.data, &names);
    RequireClassification(names, learner);
    ValidateInfo(data->Info());
    FoldOptions const folds{cli_.nfold, cli_.stratified, static_cast<std::uint64_t>(parts.param.seed)};
    for (auto const& rows : MakeFolds(parts.ctx, data->Info(), folds)) {
      folds_.push_back(std::make_unique<FoldTraining>(options, parts.ctx, *data, rows));
    }
  }

  /// Returns the scores of each round, up to the best one if early stopping ended the training.
  std::vector<std::vector<FoldScore>> Run() {
    std::vector<std::vector<FoldScore>> rounds;
    while (static_cast<std::int64_t>(rounds.size()) < cli_.num_round && !stopping_.IsOver()) {
      rounds.push_back(Round(static_cast<std::int64_t>(rounds.size())));
      progress_.Update(static_cast<std::int64_t>(rounds.size()));
    }
    if (stopping_.IsOver() && stopping_.HasBest())
      rounds.resize(static_cast<std::size_t>(stopping_.Best().iteration) + 1);
    return rounds;
  }

 private:
  std::vector<FoldScore> Round(std::int64_t iteration) {
    std::vector<std::vector<EvaluationResult>> of_folds;
    for (auto const& fold : folds_) of_folds.push_back(fold->Round(iteration));
    std::vector<FoldScore> scores;
    std::vector<EvaluationResult> means;
    for (std::size_t metric = 0; metric < of_folds[0].size(); ++metric) {
      scores.push_back(ScoreOf(of_folds, metric));
      means.push_back(scores.back().mean);
    }
    stopping_.Update(iteration, means);
    return scores;
  }

  CliParam const& cli_;
  EarlyStopping stopping_;
  Progress progress_;
  std::vector<std::unique_ptr<FoldTraining>> folds_;
};

void WriteRounds(std::vector<std::vector<FoldScore>> const& rounds, std::ostream* out) {
  *out << "round";
  for (auto const& score : rounds.empty() ? std::vector<FoldScore>() : rounds[0]) {
    auto const name = score.mean.data_name + '-' + score.mean.metric;
    *out << ',' << CsvText(name + "-mean") << ',' << CsvText(name + "-std");
  }
  *out << '\n';
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    *out << round;
    for (auto const& score : rounds[round])
      *out << ',' << MetricText(score.mean.value) << ',' << MetricText(score.deviation);
    *out << '\n';
  }
}

}  // namespace

void CrossValidate(Options const& options) {
  OutputFile file(options.cli.name_cv, "cross-validation");
  auto const rounds = CrossValidation(options).Run();
  WriteRounds(rounds, &file.Stream());
  file.Close("cross-validation of " + Counted(static_cast<std::int64_t>(rounds.size()), "round"));
}

}  // namespace kauri::cli
