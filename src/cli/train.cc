#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "booster/class_names.h"
#include "booster/learner.h"
#include "booster/model_io/model_io.h"
#include "booster/receipt/receipt.h"
#include "cli/checkpoint.h"
#include "cli/early_stopping.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "common/files/folder_lock.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

std::string FinalPath(CliParam const& cli, std::int64_t rounds) {
  return cli.model_out.empty() ? NumberedPath(cli, rounds) : cli.model_out;
}

/// Checks the model's paths, so that hours of training do not end in a path that does not exist.
void CheckModelPaths(CliParam const& cli) {
  auto const path = FinalPath(cli, cli.num_round);
  FormatOfPath(path);
  ParseDialect(cli.model_dialect);
  CheckWritable(path, "model");
  if (cli.save_period > 0) CheckWritable(LongestCheckpointPath(cli), "checkpoint");
}

/// Returns whether later rounds change earlier ones: dart reduces the weights of dropped trees, gblinear has no rounds
/// to remove.
bool LaterRoundsChangeEarlierOnes(Model const& model) { return model.IsLinear() || !model.tree_weights.empty(); }

/// Returns the options, continuing from the checkpoint if there is one.
Options WithModelOf(Checkpoint const& checkpoint, Options options) {
  if (!checkpoint.path.empty()) options.cli.model_in = checkpoint.path;
  return options;
}

/// Returns the set that early stopping watches, the last.
std::string WatchedSet(Options const& options) {
  return options.evaluation_sets.empty() ? std::string() : options.evaluation_sets.back().first;
}

/// Writes the number of each class to standard error, unless verbosity is 0.
void SayClasses(std::vector<std::string> const& classes) {
  if (GetLogLevel() == 0) return;
  std::cerr << "classes:";
  for (std::size_t place = 0; place < classes.size(); ++place) {
    std::cerr << (place == 0 ? " " : ", ") << place << " is " << Quoted(classes[place]);
  }
  std::cerr << '\n';
}

class Trainer {
 public:
  Trainer(Options const& options, Checkpoint checkpoint)
      : options_(options),
        cli_(options.cli),
        stopping_(WatchedSet(options), cli_.early_stopping_rounds, checkpoint.best),
        progress_(cli_.num_round - checkpoint.rounds, "rounds"),
        first_round_(checkpoint.rounds),
        done_(checkpoint.rounds),
        dialect_(ParseDialect(cli_.model_dialect)),
        best_(std::move(checkpoint.best_model)) {
    SetUpLearner(WithModelOf(checkpoint, options), &learner_);
    ForgetCheckpoint(&learner_.Attributes());
    auto names = TextNamesOf(learner_.GetModel());
    train_ = ReadData(options, "data", cli_.data, &names);
    if (KeepClasses(names, &learner_)) SayClasses(names.classes);
    if (names.categories.empty()) names.categories = train_->Info().category_names;
    if (names.features.empty()) names.features = train_->Info().feature_names;
    for (auto const& [name, uri] : options.evaluation_sets) {
      sets_.push_back({name, ReadData(options, "eval[" + name + "]", uri, &names, train_.get())});
    }
    if (cli_.eval_train) sets_.push_back({"train", train_});
    learner_.AddData(train_);
    NameColumns();
    if (!checkpoint.path.empty()) Say("resuming from " + Quoted(checkpoint.path));
  }

  /// Trains all rounds. \throws Interrupted by a signal, after the finished rounds are saved.
  void Run() {
    SignalWatch const watch;
    auto const start = learner_.NumIterations() - first_round_;
    while (done_ < cli_.num_round && !stopping_.IsOver() && !cut_short_) TrainRound(start + done_);
    progress_.Clear();
    if (done_ > first_round_ + 1) ShowTraining(start + done_ - 1);
    if (stopping_.IsOver() && done_ > first_round_) Say(StoppingText());
    if (!cut_short_) learner_.EndTraining();
    Save();
    if (cut_short_ && SignalWatch::Signal() != 0) throw Interrupted(SignalWatch::Signal());
  }

 private:
  using Clock = std::chrono::steady_clock;

  void TrainRound(std::int64_t iteration) {
    if (done_ == 0) ForgetBestRound();
    learner_.BoostRound(train_, iteration);
    if (done_ == first_round_) RequireSayable(learner_.GetModel(), dialect_);  // now, not after hours of training
    Evaluate(iteration);
    if (done_ == first_round_) ShowTraining(iteration);
    ++done_;
    EndEarly();
    if (cli_.save_period > 0 && (cut_short_ || done_ % cli_.save_period == 0)) SaveRounds();
    progress_.Update(done_ - first_round_);
  }

  /// Decides whether to stop before the last round.
  void EndEarly() {
    if (done_ == cli_.num_round || stopping_.IsOver()) return;
    auto const seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    auto const out_of_time = cli_.time_budget > 0.0 && seconds >= cli_.time_budget;
    cut_short_ = out_of_time || SignalWatch::Signal() != 0;
    if (!cut_short_) return;
    auto const why = out_of_time ? "time_budget=" + NumberText(cli_.time_budget) : std::string("interrupted");
    Say(why + ": stopped after " + std::to_string(done_) + " of " + Counted(cli_.num_round, "round"));
  }

  void SaveRounds() {
    SaveCheckpoint(options_, learner_.GetModel(), {done_, {}, stopping_.Best(), best_});
    if (cut_short_) SayWritten("checkpoint of " + Counted(done_, "round"), NumberedPath(cli_, done_));
  }

  /// Names the columns of a model without rounds and without names; otherwise its first round does so.
  void NameColumns() {
    if (learner_.NumIterations() > 0) return;
    if (learner_.FeatureInfo("feature_name").empty())
      learner_.SetFeatureInfo("feature_name", train_->Info().feature_names);
    if (learner_.FeatureInfo("feature_type").empty())
      learner_.SetFeatureInfo("feature_type", train_->Info().feature_types);
  }

  /// Removes the best round of the continued model, which new rounds invalidate.
  void ForgetBestRound() {
    for (auto const* name : {"best_iteration", "best_score"}) learner_.Attributes().erase(name);
  }

  void Say(std::string const& message) {
    progress_.Clear();
    std::cerr << message << '\n';
  }

  std::string StoppingText() const {
    auto const text = "early stopping after " + Counted(done_, "round");
    if (!stopping_.HasBest()) return text + ": no value of the watched metric is a number";
    auto const& best = stopping_.Best();
    EvaluationResult const watched{WatchedSet(options_), stopping_.Metric(), best.score, false};
    return text + "; the best is " + EvaluationLine(best.iteration, {watched});
  }

  /// Evaluates the round and prints its line.
  void Evaluate(std::int64_t iteration) {
    if (sets_.empty()) return;
    auto const results = learner_.Evaluate(sets_);
    progress_.Clear();
    std::cout << EvaluationLine(iteration, results) << std::endl;
    stopping_.Update(iteration, results);
    if (stopping_.Best().iteration == iteration && LaterRoundsChangeEarlierOnes(learner_.GetModel())) {
      best_ = learner_.GetModel();
    }
  }

  /// Prints the metrics of the training data after the first round and after the last one, unless there are other data
  /// to evaluate or verbosity is 0.
  void ShowTraining(std::int64_t iteration) {
    if (!sets_.empty() || GetLogLevel() == 0) return;
    auto const results = learner_.Evaluate({{"train", train_}});
    if (results.empty()) return;
    progress_.Clear();
    std::cout << EvaluationLine(iteration, results) << std::endl;
  }

  void Save() {
    auto const path = FinalPath(cli_, cut_short_ ? done_ : cli_.num_round);
    if (cut_short_ && cli_.model_out.empty() && cli_.save_period > 0) return;  // a checkpoint already has that name
    if (!stopping_.HasBest()) return Write(learner_.GetModel(), path);
    auto const best_iteration = stopping_.Best().iteration;
    auto best = best_.has_value() ? std::move(*best_) : learner_.Slice({0, best_iteration + 1}, 1)->GetModel();
    best.attributes["best_iteration"] = std::to_string(best_iteration);
    best.attributes["best_score"] = NumberText(stopping_.Best().score);
    Write(best, path);
  }

  void Write(Model model, std::string const& path) {
    SaveModel(model, path, dialect_);
    SayWritten("model of " + Counted(model.NumIterations(), "round"), path);
    if (!cli_.receipt || SignalWatch::Signal() != 0) return;
    Say("learning it again for its receipt");
    Learner settings;  // the settings of a training that was never interrupted
    SetUpLearner(options_, &settings);
    model.attributes[kReceiptAttribute] = MakeReceipt(settings, model, train_);
    SaveModel(model, path, dialect_);
    SayWritten("receipt", path);
  }

  Options const& options_;
  CliParam const& cli_;
  EarlyStopping stopping_;
  Progress progress_;
  std::int64_t first_round_;  ///< earlier rounds were done by the training that is resumed
  std::int64_t done_;         ///< rounds done, including the earlier ones
  bool cut_short_ = false;    ///< stopped before num_round and early stopping, by the time budget or a signal
  Clock::time_point began_ = Clock::now();
  ModelDialect dialect_;  ///< dialect of the final model; checkpoints have all that training needs
  Learner learner_;
  std::shared_ptr<DataMatrix const> train_;
  std::vector<NamedData> sets_;
  std::optional<Model> best_;  ///< the model after its best round, if it cannot be sliced from the last one
};

}  // namespace

void Train(Options const& options) {
  CheckModelPaths(options.cli);
  std::optional<FolderLock> lock;  // otherwise two trainings would take over each other's checkpoints
  if (options.cli.save_period > 0) lock.emplace(options.cli.model_dir, "model_dir");
  Trainer(options, FindCheckpoint(options)).Run();
}

// task=verify: trains a model again by its receipt.

void Verify(Options const& options) {
  auto const& cli = options.cli;
  Learner learner;
  SetUpLearner(options, &learner);
  auto names = TextNamesOf(learner.GetModel());
  auto const data = ReadData(options, "data", cli.data, &names);
  std::string found;
  for (auto const& difference : DifferencesFromReceipt(learner, data)) {
    found += (found.empty() ? "" : "; ") + difference;
  }
  if (!found.empty()) {
    Fail(ErrorKind::kModel, "model_in=", cli.model_in, " is not verified: ", found,
         ". Give the rows, labels and weights that the model was trained on, and the model as it was then.");
  }
  std::cout << Presentable(cli.model_in) << ": verified; learning " << Counted(learner.NumIterations(), "round")
            << " again from " << Presentable(cli.data) << " gives the same bytes\n";
}

}  // namespace kauri::cli
