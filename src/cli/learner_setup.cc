#include "cli/learner_setup.h"

#include "booster/learner_param.h"
#include "cli/files.h"
#include "kauri/error.h"

namespace kauri::cli {

void SetUpLearner(Options const& options, Learner* learner) {
  learner->SetParam("validate_parameters", "true");
  for (auto const& [name, value] : options.learner) learner->SetParam(name, value);
  if (!options.cli.model_in.empty()) {
    auto const bytes = ReadFile(options.cli.model_in, "model");
    try {
      learner->LoadModel({bytes.data(), bytes.size()});
    } catch (Error const& error) {
      Fail(error.Kind(), "model_in=", options.cli.model_in, ": ", error.what());
    }
  }
  learner->Configure();
}

std::shared_ptr<DataMatrix> ReadData(Options const& options, std::string const& key, std::string const& uri) {
  Context ctx;
  ctx.threads = ParseParameters<LearnerParam>(ParamMap(options.learner.begin(), options.learner.end())).Threads();
  try {
    return DataMatrix::FromUri(ctx, uri);
  } catch (Error const& error) {
    Fail(error.Kind(), key, "=", uri, ": ", error.what());
  }
}

}  // namespace kauri::cli
