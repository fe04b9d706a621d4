/// \file task=train preset=best: a Python program, which replaces this process, searches for settings.
#include <string>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "booster/model_io/model_io.h"
#include "cli/checkpoint.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/python.h"
#include "cli/tasks.h"

namespace kauri::cli {

void TrainBest(Options const& options) {
  PythonTask const task{"preset=best", "kauriboost._training.command", ""};
  auto const& cli = options.cli;
  auto const python = FindPython(task);
  FormatOfPath(cli.model_out);
  ParseDialect(cli.model_dialect);
  CheckWritable(cli.model_out, "model");
  Learner learner;
  SetUpLearner(options, &learner);  // reports wrong parameters with the same messages as other trainings
  constexpr int kFolds = 5;         // the default of fit_best; the default of cv is three
  auto const folds = options.has_nfold ? cli.nfold : kFolds;
  std::vector<std::string> words{cli.data,
                                 cli.model_out,
                                 cli.model_dialect,
                                 NumberText(cli.time_budget),
                                 std::to_string(cli.rounds_budget),
                                 std::to_string(folds)};
  for (auto& word : ParameterWords(options.learner)) words.push_back(std::move(word));
  BecomePython(python, task, std::move(words));
}

}  // namespace kauri::cli
