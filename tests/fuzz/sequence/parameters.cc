/// Parameters with values that are usual, rare and wrong.
#include <string>
#include <vector>

#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

struct Parameter {
  char const* name;
  std::vector<char const*> values;
};

// Counts that multiply the work stay small. New lines and values at the ends only: old inputs keep their meaning.
std::vector<Parameter> const& Parameters() {
  static std::vector<Parameter> const parameters{
      {"booster", {"gbtree", "dart", "adaboost", "gblinear", "none"}},
      {"tree_method", {"exact", "hist", "approx", "auto", "gpu_hist", "x"}},
      {"multi_strategy", {"one_output_per_tree", "multi_output_tree", "x"}},
      {"num_class", {"3", "2", "0", "1", "5", "-1", "x"}},
      {"max_depth", {"2", "3", "1", "0", "6", "-1"}},
      {"max_leaves", {"0", "3", "1", "8", "-1"}},
      {"grow_policy", {"depthwise", "lossguide", "x", "symmetric"}},
      {"max_bin", {"4", "16", "256", "2", "1", "0", "-3"}},
      {"eta", {"0.3", "1", "0", "100", "-1", "nan", "1e30"}},
      {"lambda", {"1", "0", "100", "-1", "1e38"}},
      {"alpha", {"0", "1", "10", "-1"}},
      {"gamma", {"0", "0.1", "1e10", "-1"}},
      {"min_child_weight", {"1", "0", "10", "-1"}},
      {"max_delta_step", {"0", "0.5", "1e-10", "-1"}},
      {"subsample", {"1", "0.5", "0.01", "0", "2"}},
      {"sampling_method", {"uniform", "gradient_based", "x", "by_query", "without_replacement"}},
      {"colsample_bytree", {"1", "0.5", "0.01", "0"}},
      {"colsample_bylevel", {"1", "0.5", "0.01", "0"}},
      {"colsample_bynode", {"1", "0.5", "0.01", "0"}},
      {"monotone_constraints", {"(1)", "(1,-1)", "(1,-1,0)", "(0,0,1,1)", "()", "(2)", "1,", "(1,1,1,1,1,1,1,1)"}},
      {"interaction_constraints",
       {"[[0,1]]", "[[0],[1,2]]", "[]", "[[9]]", "[[0,1],[1]]", "[[-1]]", "[[", "[[0,1,2]]"}},
      {"num_parallel_tree", {"1", "2", "3", "0", "-1"}},
      {"process_type", {"default", "update", "x"}},
      {"updater", {"refresh", "prune", "refresh,prune", "prune,refresh", "x", ""}},
      {"refresh_leaf", {"1", "0", "x"}},
      {"refresh_decay", {"0", "0.5", "2"}},
      {"rate_drop", {"0.5", "1", "0", "-1"}},
      {"one_drop", {"1", "0"}},
      {"skip_drop", {"0.5", "0", "1"}},
      {"sample_type", {"uniform", "weighted", "x"}},
      {"normalize_type", {"tree", "forest", "x"}},
      {"feature_selector", {"cyclic", "shuffle", "random", "greedy", "thrifty", "x"}},
      {"top_k", {"0", "1", "100", "-1"}},
      {"tolerance", {"0", "0.1", "-1"}},
      {"quantile_alpha", {"0.5", "[0.1, 0.5, 0.9]", "[0.2,0.4]", "0", "1", "2", "[]", "[0.5, 0.5]"}},
      {"expectile_alpha", {"0.5", "[0.1, 0.5, 0.9]", "2", "[]"}},
      {"tweedie_variance_power", {"1.5", "1.1", "1", "2", "1.99"}},
      {"huber_slope", {"1", "0.01", "0", "-1"}},
      {"aft_loss_distribution", {"normal", "logistic", "extreme", "x"}},
      {"aft_loss_distribution_scale", {"1", "0.1", "100", "0"}},
      {"lambdarank_pair_method", {"topk", "mean", "x"}},
      {"lambdarank_num_pair_per_sample", {"1", "3", "0", "8"}},
      {"lambdarank_unbiased", {"1", "0"}},
      {"lambdarank_normalization", {"1", "0"}},
      {"lambdarank_score_normalization", {"1", "0"}},
      {"lambdarank_bias_norm", {"1", "2", "0"}},
      {"ndcg_exp_gain", {"1", "0"}},
      {"scale_pos_weight", {"1", "10", "0", "-1"}},
      {"base_score", {"0.5", "0", "10", "-1", "[0.1, 0.2, 0.3]", "[0.5,0.5]", "nan", "1e38", "x"}},
      {"max_cat_to_onehot", {"4", "1", "100", "0"}},
      {"max_cat_threshold", {"64", "1", "2", "0"}},
      {"eval_metric",
       {"rmse",
        "mae",
        "logloss",
        "error@0.3",
        "auc",
        "aucpr",
        "merror",
        "mlogloss",
        "ndcg@2",
        "map-",
        "pre@1",
        "ndcg",
        "cox-nloglik",
        "aft-nloglik",
        "interval-regression-accuracy",
        "quantile",
        "expectile",
        "poisson-nloglik",
        "gamma-deviance",
        "tweedie-nloglik@1.3",
        "rmsle",
        "mape",
        "mphe",
        "nonsense",
        "rmse@3",
        "error@",
        "ndcg@0"}},
      {"seed", {"0", "1", "-1", "99999999999"}},
      {"validate_parameters", {"1", "0"}},
      {"disable_default_eval_metric", {"1", "0"}},
      {"unseen_category", {"xgboost", "missing", "error", "x"}},
      {"shap_method", {"auto", "treeshap", "quadrature", "x"}},
      {"shap_cover", {"model", "count", "hessian", "x"}},
      {"device", {"cpu", "cuda", "x"}},
      {"nonsense", {"1"}},
      {"time_budget", {"0", "1"}},
      {"sketch", {"exact", "moments", "x", ""}},
      {"memory_budget", {"0", "1", "-1"}},
      {"indexing_mode", {"0", "1"}},
      {"bagging_temperature", {"0", "1", "0.5", "-1", "5"}},
      {"gradient_bits", {"0", "4", "8", "5", "-1"}},
      {"min_data_in_leaf", {"0", "1", "2", "5", "-1"}},
      {"extra_trees", {"0", "1", "x"}},
      {"random_strength", {"0", "1", "1e30", "-1"}},
      {"path_smooth", {"0", "1", "1e-30", "1e30", "-1"}},
      {"feature_cost", {"()", "(1)", "(1,0)", "(0,1,2)", "(9,9,9,9)", "(1e38,0,1e-38)", "(-1)", "(nan)", "x"}},
  };
  return parameters;
}

struct Objective {
  char const* name;
  char const* n_classes;  ///< null: unchanged
};
constexpr Objective kObjectives[] = {
    {"reg:squarederror", nullptr},
    {"binary:logistic", nullptr},
    {"multi:softprob", "3"},
    {"multi:softmax", "3"},
    {"multi:softprob", nullptr},
    {"reg:quantileerror", nullptr},
    {"reg:absoluteerror", "0"},
    {"rank:ndcg", nullptr},
    {"rank:pairwise", nullptr},
    {"rank:map", nullptr},
    {"survival:aft", nullptr},
    {"survival:cox", nullptr},
    {"count:poisson", nullptr},
    {"reg:gamma", nullptr},
    {"reg:tweedie", nullptr},
    {"reg:pseudohubererror", "0"},
    {"reg:squaredlogerror", "0"},
    {"binary:hinge", nullptr},
    {"binary:logitraw", nullptr},
    {"reg:expectileerror", "0"},
    {"reg:logistic", nullptr},
    {"multi:softprob", "2"},
    {"multi:softprob", "4"},
    {"nonsense", nullptr},
    {"reg:huber", "0"},
    {"reg:mape", nullptr},
    {"binary:focal", nullptr},
    {"binary:exponential", nullptr},
};

}  // namespace

void SetParam(World* world) {
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  auto const& all = Parameters();
  auto const& parameter = all[bytes.Next() % all.size()];
  auto const* value = parameter.values[bytes.Next() % parameter.values.size()];
  world->Call([&] { return XGBoosterSetParam(booster, parameter.name, value); });
}

void SetObjective(World* world) {
  auto* const booster = world->Booster();
  auto const& objective = world->Input().Of(kObjectives);
  world->Call([&] { return XGBoosterSetParam(booster, "objective", objective.name); });
  if (objective.n_classes == nullptr) return;
  world->Call([&] { return XGBoosterSetParam(booster, "num_class", objective.n_classes); });
}

}  // namespace kauri::fuzz
