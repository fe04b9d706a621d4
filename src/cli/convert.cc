/// \file task=convert and task=check: read a model file, as untrusted input, and write it again.
#include <iostream>

#include "booster/learner.h"
#include "booster/model_io/model_io.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"

namespace kauri::cli {

void Convert(Options const& options) {
  auto const& cli = options.cli;
  FormatOfPath(cli.model_out);
  auto const dialect = ParseDialect(cli.model_dialect);
  CheckWritable(cli.model_out, "model");
  Learner learner;
  SetUpLearner(options, &learner);
  SaveModel(learner.GetModel(), cli.model_out, dialect);
  SayWritten("model of " + Counted(learner.NumIterations(), "round"), cli.model_out);
}

void Check(Options const& options) {
  Learner learner;
  SetUpLearner(options, &learner);
  auto const& model = learner.GetModel();
  std::cout << Presentable(options.cli.model_in) << ": sound; " << Presentable(model.booster) << " of "
            << Counted(learner.NumIterations(), "round");
  if (!model.IsLinear()) std::cout << ", " << Counted(static_cast<std::int64_t>(model.trees.size()), "tree");
  std::cout << ", " << Counted(model.n_features, "feature") << ", " << Counted(model.NumOutputs(), "output")
            << ", objective " << Presentable(model.objective) << '\n';
}

}  // namespace kauri::cli
