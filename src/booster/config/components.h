/// \file Components (objective, booster, predictor, metrics) created from the parameters of a booster.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "booster/config/client.h"
#include "booster/config/learner_param.h"
#include "booster/support/training_support.h"
#include "kauri/booster.h"
#include "kauri/collective.h"
#include "kauri/context.h"
#include "kauri/metric.h"
#include "kauri/objective.h"
#include "kauri/parameter.h"
#include "kauri/predictor.h"
#include "kauri/tree_param.h"

namespace kauri {

/// Parameters set by the user, and the parameters of a loaded model, which apply where the user sets none.
struct Settings {
  Client client;                           ///< client library whose conventions apply
  ParamMap params;                         ///< all but eval_metric, aliases resolved
  ParamMap given_names;                    ///< user's name of a parameter, by its own name
  ParamMap of_model;                       ///< parameters of the loaded model that the user does not set
  std::vector<std::string> metric_names;   ///< eval_metric, in order, no duplicates
  std::shared_ptr<Collective> collective;  ///< null: training runs in this process alone
  std::vector<std::string> notes;          ///< messages on parameters, logged once the verbosity is known
  std::set<std::string> unread;            ///< unused parameters already reported in the log
  std::set<std::string> overriding;        ///< "name=value" already reported as overriding the model's value
  bool is_quiet = false;                   ///< everything unread or overriding has been logged already
};

/// Components of one set of parameters. Immutable, so predicting threads share them.
struct Components {
  Client client;
  ParamMap of_user;                       ///< parameters that the user set
  ParamMap of_model;                      ///< parameters of the loaded model
  ParamMap given;                         ///< `of_user`, with `of_model` for parameters that the user does not set
  std::vector<std::string> metric_names;  ///< the user's metrics; none: the objective's own metric
  ParamMap effective;                     ///< `given` over the objective's defaults
  TreeParam tree_param;                   ///< parameters of trees; defaults for a booster without trees
  LearnerParam param;
  std::shared_ptr<Collective> collective;  ///< owner of the collective that `ctx` points to
  Context ctx;
  std::unique_ptr<Objective> objective;
  std::unique_ptr<Booster> booster;
  std::unique_ptr<TrainingSupport const> support;  ///< checks of what a training asks for
  std::unique_ptr<Predictor> predictor;
  MetricList metrics;
};

/// Returns the parameters as text, one in a line: equal for equal parameters.
std::string ParametersAsText(ParamMap const& parameters);

/// Creates the components. Logs the notes and removes them from `settings`. With XGBoost's conventions, unknown names
/// and absent devices are logged and removed as well. Otherwise a name refused as unknown is removed, too: no value of
/// it is valid, so keeping it would make every later call fail. \throws Error(kParameter): unknown names (when
/// validate_parameters is on), bad values.
std::shared_ptr<Components const> MakeComponents(Settings* settings);

/// Returns the predictor of `parts`, or, if `shap_method` is not empty, a predictor with that method. Both accept
/// models compiled by the other.
std::shared_ptr<Predictor const> PredictorOf(std::shared_ptr<Components const> const& parts,
                                             std::string const& shap_method);
/// Returns the CPU's predictor of trees with the parameters of `parts`, and with that method.
std::shared_ptr<Predictor const> CpuPredictorOf(std::shared_ptr<Components const> const& parts,
                                                std::string const& shap_method);

}  // namespace kauri
