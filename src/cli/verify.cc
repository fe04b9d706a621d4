/// \file task=verify: trains a model again by its receipt.
#include <iostream>
#include <string>

#include "booster/learner.h"
#include "booster/names/class_names.h"
#include "booster/receipt/receipt.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {

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
