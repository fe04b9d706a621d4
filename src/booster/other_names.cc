#include "booster/other_names.h"

#include "kauri/parameter.h"

namespace kauri {
namespace {

constexpr char const* kRounds =
    "the number of rounds is num_boost_round of train(), n_estimators of an estimator, num_round of the command line";
constexpr char const* kStopping =
    "early stopping is the argument early_stopping_rounds of train(), cv() and estimators, and a setting of the "
    "command "
    "line";
constexpr char const* kDevice = "say device=cuda, or device=cuda:1 for the second one";
constexpr char const* kOfTrain = "it is an argument of train() and cv(), not a parameter";
constexpr char const* kOfMatrix = "it is an argument of DMatrix and of estimators, not a parameter";
constexpr char const* kOfFit = "it is an argument of fit()";
constexpr char const* kShow = "the argument verbose_eval of train(), verbose of fit(), says what is shown";
constexpr char const* kMetric = "use eval_metric";
constexpr char const* kCounted = "it follows from the data; leave it out";
constexpr char const* kLeaves = "use min_data_in_leaf; min_child_weight bounds the sum of hessians in a leaf";
constexpr char const* kCost = "use feature_cost, one number for each feature";
constexpr char const* kCostFactor = "multiply the numbers of feature_cost by it";
constexpr char const* kImbalance = "weigh the rows, or use scale_pos_weight";

struct OtherName {
  char const* name;
  char const* cure;
};

constexpr OtherName kOtherNames[] = {
    {"n_estimators", kRounds},
    {"num_boost_round", kRounds},
    {"num_round", kRounds},
    {"num_rounds", kRounds},
    {"num_iterations", kRounds},
    {"n_iter", kRounds},
    {"nrounds", kRounds},
    {"iterations", kRounds},
    {"early_stopping_rounds", kStopping},
    {"early_stopping_round", kStopping},
    {"early_stopping", kStopping},
    {"gpu_id", kDevice},
    {"n_gpus", kDevice},
    {"device_type", kDevice},
    {"task_type", kDevice},
    {"evals", kOfTrain},
    {"evals_result", kOfTrain},
    {"callbacks", "it is an argument of train(), cv() and estimators, not a parameter"},
    {"obj", kOfTrain},
    {"feval", "give train() the argument custom_metric"},
    {"custom_metric", kOfTrain},
    {"maximize", kOfTrain},
    {"xgb_model", "it is an argument of train() and fit(), not a parameter"},
    {"nfold", "it is an argument of cv()"},
    {"folds", "it is an argument of cv()"},
    {"eval_set", kOfFit},
    {"sample_weight", kOfFit},
    {"missing", kOfMatrix},
    {"enable_categorical", kOfMatrix},
    {"feature_names", kOfMatrix},
    {"feature_types", kOfMatrix},
    {"feature_weights", kOfMatrix},
    {"importance_type", "it is an argument of get_score() and of estimators"},
    {"ntree_limit", "give predict() the argument iteration_range"},
    {"best_ntree_limit", "give predict() the argument iteration_range"},
    {"verbose", kShow},
    {"verbose_eval", kShow},
    {"silent", "use verbosity: 0 is silent"},
    {"metric", kMetric},
    {"metrics", kMetric},
    {"loss_function", "use objective"},
    {"boosting", "use booster: gbtree, dart or gblinear"},
    {"boosting_type", "use booster: gbtree, dart or gblinear"},
    {"depth", "use max_depth"},
    {"num_leaves", "use max_leaves, with grow_policy=lossguide"},
    {"bagging_fraction", "use subsample"},
    {"feature_fraction", "use colsample_bytree"},
    {"max_features", "use colsample_bynode, a share of the features"},
    {"random_seed", "use seed"},
    {"extra_seed", "use seed: it draws the thresholds of extra_trees, too"},
    {"l2_leaf_reg", "use lambda"},
    {"lambda_l1", "use alpha"},
    {"lambda_l2", "use lambda"},
    {"min_gain_to_split", "use gamma"},
    {"min_sum_hessian_in_leaf", "use min_child_weight"},
    {"min_child_samples", kLeaves},
    {"min_samples_leaf", kLeaves},
    {"cegb_penalty_feature_coupled", kCost},
    {"first_feature_use_penalties", kCost},
    {"max_ctr_complexity", "use ordered_combination, with categorical_encoding=ordered"},
    {"cegb_tradeoff", kCostFactor},
    {"penalties_coefficient", kCostFactor},
    {"cegb_penalty_feature_lazy", "feature_cost is paid once, not for each row"},
    {"class_weight", kImbalance},
    {"is_unbalance", kImbalance},
    {"num_feature", kCounted},
    {"num_pbuffer", kCounted},
    {"use_label_encoder", "estimators take labels of any kind; leave it out"},
    {"single_precision_histogram", "sums are exact whatever their size; leave it out"},
    {"deterministic_histogram", "trees are the same bits on every run; leave it out"},
    {"gpu_page_size", "ExtMemQuantileDMatrix bounds memory; leave it out"},
    {"enable_experimental_json_serialization", "models are JSON or UBJSON by the name of the file; leave it out"},
};

}  // namespace

std::string HintFor(std::string const& name, std::vector<std::string> const& known) {
  for (auto const& other : kOtherNames) {
    if (name == other.name) return std::string("; ") + other.cure + ".";
  }
  auto const nearest = NearestName(name, known);
  return nearest.empty() ? "." : "; did you mean '" + nearest + "'?";
}

}  // namespace kauri
