/// \file What the parameters of a booster mean: the components that they name, made of their values.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "booster/learner_param.h"
#include "common/client.h"
#include "kauri/booster.h"
#include "kauri/collective.h"
#include "kauri/context.h"
#include "kauri/metric.h"
#include "kauri/objective.h"
#include "kauri/parameter.h"
#include "kauri/predictor.h"

namespace kauri {

/// Parameters as the user set them, over what a loaded model says of them.
struct Settings {
  Client client;                           ///< whose habits hold
  ParamMap params;                         ///< all but eval_metric, aliases resolved
  ParamMap given_names;                    ///< by a parameter's own name: what the user called it
  ParamMap of_model;                       ///< what the loaded model says of parameters that the user does not set
  std::vector<std::string> metric_names;   ///< eval_metric, in order, no duplicates
  std::shared_ptr<Collective> collective;  ///< null: rounds are of this process alone
  std::vector<std::string> notes;          ///< on parameters, for the log, once it is known what the log takes
  std::set<std::string> unread;            ///< parameters that the log was told of as such
  std::set<std::string> overriding;        ///< "name=value" that the log was told to take the place of the model's
  bool is_quiet = false;                   ///< the log was told of all that is unread or overriding now
};

/// Immutable, so shared by predicting threads.
struct Components {
  Client client;
  ParamMap of_user;                       ///< parameters that the user set
  ParamMap of_model;                      ///< what the loaded model says of parameters
  ParamMap given;                         ///< `of_user`, and where the user says nothing `of_model`
  std::vector<std::string> metric_names;  ///< the user's metrics; none: the objective's own is meant
  ParamMap effective;                     ///< `given` over the objective's defaults
  LearnerParam param;
  std::shared_ptr<Collective> collective;  ///< what ctx points to
  Context ctx;
  std::unique_ptr<Objective> objective;
  std::unique_ptr<Booster> booster;
  std::unique_ptr<Predictor> predictor;
  MetricList metrics;
};

/// Notes go to the log and out of `settings`. With the habits of XGBoost so do unknown names, and a device that is not
/// there. Otherwise a name that is refused because nobody knows it goes, too: it has no right value, so keeping it
/// would make every later call fail. \throws Error(kParameter): unknown names (when validate_parameters is on), bad
/// values.
std::shared_ptr<Components const> MakeComponents(Settings* settings);

/// The predictor of `parts`, or one with another shap_method unless that is empty. Both understand what the other
/// compiles.
std::shared_ptr<Predictor const> PredictorOf(std::shared_ptr<Components const> const& parts,
                                             std::string const& shap_method);

}  // namespace kauri
