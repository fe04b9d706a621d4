#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "booster/learner.h"
#include "booster/model_io/model_io.h"
#include "cli/early_stopping.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/progress.h"
#include "cli/tasks.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

/// model_dir/0010.ubj.
std::string NumberedPath(CliParam const& cli, std::int64_t rounds) {
  auto digits = std::to_string(rounds);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return (std::filesystem::path(cli.model_dir) / (digits + ".ubj")).string();
}

std::string FinalPath(CliParam const& cli) {
  return cli.model_out.empty() ? NumberedPath(cli, cli.num_round) : cli.model_out;
}

/// Hours of training must not end in a path that never was there.
void CheckModelPaths(CliParam const& cli) {
  auto const path = FinalPath(cli);
  FormatOfPath(path);
  CheckWritable(path, "model");
  if (cli.save_period > 0) CheckWritable(NumberedPath(cli, 0), "model");
}

/// The shortest text that reads back as the same number.
std::string NumberText(double value) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

/// dart takes weight from trees that it leaves out, gblinear has no rounds to cut.
bool LaterRoundsChangeEarlierOnes(Model const& model) { return model.IsLinear() || !model.tree_weights.empty(); }

class Trainer {
 public:
  explicit Trainer(Options const& options) : options_(options), cli_(options.cli) {
    SetUpLearner(options, &learner_);
    train_ = ReadData(options, "data", cli_.data);
    for (auto const& [name, uri] : options.evaluation_sets) {
      sets_.push_back({name, ReadData(options, "eval[" + name + "]", uri)});
    }
    if (cli_.eval_train) sets_.push_back({"train", train_});
    learner_.AddData(train_);
  }

  void Run() {
    auto const watched = options_.evaluation_sets.empty() ? std::string() : options_.evaluation_sets.back().first;
    EarlyStopping stopping(watched, cli_.early_stopping_rounds);
    Progress progress(cli_.num_round, "rounds");
    auto const start = learner_.NumIterations();
    for (std::int64_t round = 0; round < cli_.num_round; ++round) {
      learner_.UpdateOneIteration(train_, start + round);
      auto const stop = Evaluate(start + round, &progress, &stopping);
      if (cli_.save_period > 0 && (round + 1) % cli_.save_period == 0) {
        SaveModel(learner_.GetModel(), NumberedPath(cli_, round + 1));
      }
      if (stop) break;
      progress.Update(round + 1);
    }
    progress.Clear();
    Save(stopping);
  }

 private:
  /// Prints the round's line; true when training is to stop.
  bool Evaluate(std::int64_t iteration, Progress* progress, EarlyStopping* stopping) {
    if (sets_.empty()) return false;
    auto const results = learner_.Evaluate(sets_);
    progress->Clear();
    std::cout << Learner::FormatEvaluation(iteration, results) << std::endl;
    auto const stop = stopping->Update(iteration, results);
    if (stopping->BestIteration() == iteration && LaterRoundsChangeEarlierOnes(learner_.GetModel())) {
      best_ = learner_.GetModel();
    }
    return stop;
  }

  void Save(EarlyStopping const& stopping) {
    if (!stopping.HasBest()) {
      SaveModel(learner_.GetModel(), FinalPath(cli_));
      return;
    }
    auto best =
        best_.has_value() ? std::move(*best_) : learner_.Slice({0, stopping.BestIteration() + 1}, 1)->GetModel();
    best.attributes["best_iteration"] = std::to_string(stopping.BestIteration());
    best.attributes["best_score"] = NumberText(stopping.BestScore());
    SaveModel(best, FinalPath(cli_));
  }

  Options const& options_;
  CliParam const& cli_;
  Learner learner_;
  std::shared_ptr<DataMatrix const> train_;
  std::vector<NamedData> sets_;
  std::optional<Model> best_;  ///< as it was after its best round, where it cannot be cut from the last one
};

}  // namespace

void Train(Options const& options) {
  CheckModelPaths(options.cli);
  Trainer(options).Run();
}

}  // namespace kauri::cli
