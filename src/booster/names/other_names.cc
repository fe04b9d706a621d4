#include "booster/names/other_names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "common/text/quoted.h"
#include "kauri/error.h"
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

constexpr char const* kLogistic = "use binary:logistic";
constexpr char const* kClasses = "use multi:softprob, with num_class";
constexpr char const* kSquared = "use reg:squarederror";
constexpr char const* kAbsolute = "use reg:absoluteerror";
constexpr char const* kRanking = "use rank:ndcg";

/// Lower-case names of LightGBM, CatBoost and scikit-learn, and names without their prefix before the colon.
constexpr OtherName kObjectives[] = {
    {"binary", kLogistic},
    {"logistic", kLogistic},
    {"logloss", kLogistic},
    {"log_loss", kLogistic},
    {"cross_entropy", kLogistic},
    {"crossentropy", kLogistic},
    {"xentropy", kLogistic},
    {"multiclass", kClasses},
    {"multiclassova", kClasses},
    {"multiclassonevsall", kClasses},
    {"softmax", kClasses},
    {"softprob", kClasses},
    {"ova", kClasses},
    {"regression", kSquared},
    {"regression_l2", kSquared},
    {"squared_error", kSquared},
    {"squarederror", kSquared},
    {"mean_squared_error", kSquared},
    {"mse", kSquared},
    {"rmse", kSquared},
    {"l2", kSquared},
    {"regression_l1", kAbsolute},
    {"absolute_error", kAbsolute},
    {"absoluteerror", kAbsolute},
    {"mean_absolute_error", kAbsolute},
    {"mae", kAbsolute},
    {"l1", kAbsolute},
    {"huber", "use reg:huber, or reg:pseudohubererror"},
    {"fair", "use reg:fair"},
    {"mape", "use reg:mape"},
    {"poisson", "use count:poisson"},
    {"gamma", "use reg:gamma"},
    {"tweedie", "use reg:tweedie"},
    {"quantile", "use reg:quantileerror, with quantile_alpha"},
    {"expectile", "use reg:expectileerror"},
    {"hinge", "use binary:hinge"},
    {"focal", "use binary:focal"},
    {"exponential", "use binary:exponential"},
    {"cox", "use survival:cox"},
    {"aft", "use survival:aft"},
    {"lambdarank", kRanking},
    {"rank_xendcg", kRanking},
    {"xendcg", kRanking},
    {"yetirank", kRanking},
    {"ndcg", kRanking},
    {"pairwise", "use rank:pairwise"},
};

constexpr char const* kAccuracy = "accuracy is 1 - error: use error, or merror where there are more classes than two";
constexpr char const* kOwnMetric =
    "it is not built in; train() takes a function of your own as custom_metric, estimators as eval_metric";
constexpr char const* kRmse = "use rmse, its square root, which puts models in the same order";

constexpr OtherName kMetrics[] = {
    {"accuracy", kAccuracy},
    {"acc", kAccuracy},
    {"balanced_accuracy", kOwnMetric},
    {"f1", kOwnMetric},
    {"f1_score", kOwnMetric},
    {"recall", kOwnMetric},
    {"kappa", kOwnMetric},
    {"mcc", kOwnMetric},
    {"precision", "pre@n is the precision of a ranking's first n rows; aucpr is for classes"},
    {"binary", "use logloss"},
    {"binary_logloss", "use logloss"},
    {"cross_entropy", "use logloss"},
    {"crossentropy", "use logloss"},
    {"xentropy", "use logloss"},
    {"neg_log_loss", "use logloss"},
    {"binary_error", "use error"},
    {"multi_logloss", "use mlogloss"},
    {"multiclass", "use mlogloss"},
    {"multi_error", "use merror"},
    {"roc_auc", "use auc"},
    {"average_precision", "use aucpr, the area under the precision-recall curve"},
    {"pr_auc", "use aucpr"},
    {"prauc", "use aucpr"},
    {"mean_average_precision", "use map"},
    {"lambdarank", "use ndcg"},
    {"l1", "use mae"},
    {"regression_l1", "use mae"},
    {"mean_absolute_error", "use mae"},
    {"neg_mean_absolute_error", "use mae"},
    {"l2", kRmse},
    {"mse", kRmse},
    {"regression", kRmse},
    {"regression_l2", kRmse},
    {"mean_squared_error", kRmse},
    {"neg_mean_squared_error", kRmse},
    {"l2_root", "use rmse"},
    {"root_mean_squared_error", "use rmse"},
    {"mean_absolute_percentage_error", "use mape"},
    {"poisson", "use poisson-nloglik"},
    {"gamma", "use gamma-nloglik"},
    {"tweedie", "use tweedie-nloglik"},
};

constexpr char const* kGpuExact = "use tree_method=exact, with device=cuda";
constexpr char const* kGpu = "use tree_method=hist, with device=cuda";
constexpr char const* kGrowth = "tree_method says how splits are found; use grow_policy";

constexpr OtherName kTreeMethods[] = {
    {"gpu_hist", kGpu},
    {"gpu", kGpu},
    {"cuda", kGpu},
    {"gpu_exact", kGpuExact},
    {"histogram", "use hist"},
    {"gpu_approx", "use tree_method=approx, with device=cuda"},
    {"grow_gpu_hist", kGpu},
    {"depthwise", kGrowth},
    {"lossguide", kGrowth},
    {"grow_colmaker", "use exact"},
    {"gpu_coord_descent", "use booster=gblinear"},
};

constexpr OtherName kBoosters[] = {
    {"gbdt", "use gbtree"},
    {"tree", "use gbtree"},
    {"plain", "use gbtree"},
    {"linear", "use gblinear"},
    {"goss", "use gbtree, with sampling_method=gradient_based and subsample"},
    {"rf", "use gbtree for one round, with num_parallel_tree, subsample and colsample_bynode"},
    {"random_forest", "use gbtree for one round, with num_parallel_tree, subsample and colsample_bynode"},
};

struct NameTable {
  char const* role;  ///< word for such a name in messages, as in its registry
  OtherName const* begin;
  OtherName const* end;
};

/// Tables of names, in the order of NameKind.
std::array<NameTable, 4> const kTables{{
    {"objective function", std::begin(kObjectives), std::end(kObjectives)},
    {"metric function", std::begin(kMetrics), std::end(kMetrics)},
    {"tree_method", std::begin(kTreeMethods), std::end(kTreeMethods)},
    {"booster", std::begin(kBoosters), std::end(kBoosters)},
}};

std::string InSmallLetters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

}  // namespace

void RefuseOtherName(NameKind kind, std::string const& name) {
  auto const& table = kTables.at(static_cast<std::size_t>(kind));
  auto const sought = InSmallLetters(name);
  auto const* const found =
      std::find_if(table.begin, table.end, [&](auto const& other) { return sought == other.name; });
  if (found == table.end) return;
  Fail(ErrorKind::kParameter, "Unknown ", table.role, " ", Quoted(name), "; ", found->cure, ".");
}

std::string HintFor(std::string const& name, std::vector<std::string> const& known) {
  for (auto const& other : kOtherNames) {
    if (name == other.name) return std::string("; ") + other.cure + ".";
  }
  auto const nearest = NearestName(name, known);
  return nearest.empty() ? "." : "; did you mean '" + nearest + "'?";
}

}  // namespace kauri
