#include "booster/names/other_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <sstream>

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
constexpr char const* kOfFile =
    "it follows the path of a file, as in data.csv?label_column=0; in Python it is an argument or a column";
constexpr char const* kCategorical =
    "make columns of a frame categorical by .astype('category'), or give DMatrix feature_types; after the path of a "
    "file follows ?categorical_columns=..";
constexpr char const* kMetric = "use eval_metric";
constexpr char const* kCounted = "it follows from the data; leave it out";
constexpr char const* kLeaves = "use min_data_in_leaf; min_child_weight bounds the sum of hessians in a leaf";
constexpr char const* kCost = "use feature_cost, one number for each feature";
constexpr char const* kCostFactor = "multiply the numbers of feature_cost by it";
constexpr char const* kImbalance = "weigh the rows, or use scale_pos_weight";

struct OtherName {
  char const* names;  ///< separated by blanks
  char const* cure;
};

constexpr OtherName kOtherNames[] = {
    {"n_estimators num_boost_round num_round num_rounds num_iterations num_iteration num_tree "
     "num_trees n_iter nrounds iterations max_iter",
     kRounds},
    {"early_stopping_rounds early_stopping_round early_stopping n_iter_no_change od_type od_wait", kStopping},
    {"early_stopping_min_delta first_metric_only",
     "give train() the callback EarlyStopping, which has min_delta and metric_name"},
    {"gpu_id n_gpus num_gpu device_type task_type gpu_device_id gpu_platform_id", kDevice},
    {"evals evals_result obj custom_metric maximize", kOfTrain},
    {"callbacks", "it is an argument of train(), cv() and estimators, not a parameter"},
    {"feval", "give train() the argument custom_metric"},
    {"valid valid_data test_data", "the command line has eval[NAME]=path, train() the argument evals"},
    {"xgb_model", "it is an argument of train() and fit(), not a parameter"},
    {"input_model model_input model_in", "the command line has model_in, train() the argument xgb_model"},
    {"output_model model_output model_out", "the command line has model_out, a booster save_model()"},
    {"nfold folds", "it is an argument of cv()"},
    {"eval_set sample_weight", kOfFit},
    {"missing enable_categorical feature_names feature_types feature_weights label weight group query", kOfMatrix},
    {"label_column weight_column qid_column ignore_columns categorical_columns header delimiter format "
     "indexing_mode",
     kOfFile},
    {"ignore_column ignore_feature blacklist",
     "after the path of a file follows ?ignore_columns=..; leave the column out of a frame"},
    {"group_column group_id query_column query_id",
     "after the path of a file follows ?qid_column=..; in Python it is the argument qid of DMatrix"},
    {"categorical_feature categorical_features cat_feature cat_features categorical_column cat_column", kCategorical},
    {"importance_type saved_feature_importance_type", "it is an argument of get_score() and of estimators"},
    {"ntree_limit best_ntree_limit num_iteration_predict start_iteration_predict",
     "give predict() the argument iteration_range"},
    {"predict_raw_score raw_score predict_rawscore",
     "give predict() the argument output_margin; the command line has pred_margin"},
    {"predict_leaf_index leaf_index predict_contrib contrib",
     "it is an argument of predict(), and a task of the command line"},
    {"predict_disable_shape_check", "give predict() the argument validate_features"},
    {"pred_early_stop pred_early_stop_freq pred_early_stop_margin", "a prediction uses all trees; leave it out"},
    {"verbose verbose_eval metric_freq output_freq metric_period", kShow},
    {"silent logging_level", "use verbosity: 0 is silent"},
    {"metric metrics metric_types", kMetric},
    {"eval_at ndcg_eval_at ndcg_at map_eval_at map_at",
     "write the number into the name of the metric: eval_metric=ndcg@5"},
    {"is_provide_training_metric training_metric is_training_metric train_metric",
     "the command line has eval_train; train() takes the training data among evals"},
    {"multi_error_top_k auc_mu_weights", "give train() the argument custom_metric"},
    {"loss_function loss criterion application app objective_type", "use objective"},
    {"boosting boosting_type boost", "use booster: gbtree, dart or gblinear"},
    {"num_classes", "use num_class"},
    {"depth", "use max_depth"},
    {"num_leaves num_leaf max_leaf max_leaf_nodes", "use max_leaves, with grow_policy=lossguide"},
    {"shrinkage_rate", "use eta, which is the same as learning_rate"},
    {"bagging_fraction bagging sub_row", "use subsample"},
    {"bagging_freq subsample_freq", "subsample chooses rows for each tree; leave it out"},
    {"pos_bagging pos_bagging_fraction pos_sub_row pos_subsample neg_bagging neg_bagging_fraction "
     "neg_sub_row neg_subsample",
     "use subsample, which is the same for all labels, and scale_pos_weight"},
    {"bagging_by_query", "use sampling_method=by_query"},
    {"data_sample_strategy top_rate other_rate", "use sampling_method=gradient_based, with subsample"},
    {"bootstrap_type", "use sampling_method, or bagging_temperature"},
    {"feature_fraction sub_feature colsample", "use colsample_bytree"},
    {"feature_fraction_bynode sub_feature_bynode", "use colsample_bynode"},
    {"rsm", "use colsample_bylevel"},
    {"max_features", "use colsample_bynode, a share of the features"},
    {"random_seed bagging_seed bagging_fraction_seed feature_fraction_seed drop_seed objective_seed",
     "use seed, from which all random choices follow"},
    {"extra_seed", "use seed: it draws the thresholds of extra_trees, too"},
    {"extra_tree", "use extra_trees"},
    {"l2_leaf_reg lambda_l2 l2_regularization", "use lambda"},
    {"lambda_l1 l1_regularization", "use alpha"},
    {"min_gain_to_split min_split_gain min_impurity_decrease ccp_alpha cegb_penalty_split", "use gamma"},
    {"min_sum_hessian_in_leaf min_sum_hessian_per_leaf min_sum_hessian min_hessian", "use min_child_weight"},
    {"min_child_samples min_samples_leaf min_samples_split min_data min_data_per_leaf min_leaf", kLeaves},
    {"max_tree_output max_leaf_output poisson_max_delta_step", "use max_delta_step"},
    {"drop_rate", "use rate_drop"},
    {"max_drop uniform_drop xgboost_dart_mode", "use rate_drop, sample_type and normalize_type of booster=dart"},
    {"cegb_penalty_feature_coupled first_feature_use_penalties", kCost},
    {"feature_contri feature_contrib feature_penalty", "use feature_cost, a cost in units of gain"},
    {"cegb_tradeoff penalties_coefficient", kCostFactor},
    {"cegb_penalty_feature_lazy", "feature_cost is paid once, not for each row"},
    {"max_ctr_complexity", "use ordered_combination, with categorical_encoding=ordered"},
    {"one_hot_max_size", "use max_cat_to_onehot"},
    {"monotone_constraint monotonic_cst", "use monotone_constraints"},
    {"monotone_constraints_method monotone_constraining_method monotone_penalty "
     "monotone_splits_penalty",
     "monotone_constraints has one method and no penalty; leave it out"},
    {"forcedsplits_filename forced_splits_filename forced_splits_file forced_splits "
     "forcedbins_filename",
     "splits and bins follow from the data; leave it out"},
    {"max_bins border_count", "use max_bin"},
    {"max_bin_by_feature min_data_in_bin", "use max_bin, which holds for every feature"},
    {"lambdarank_truncation_level max_position",
     "use lambdarank_num_pair_per_sample, with lambdarank_pair_method=topk"},
    {"lambdarank_norm", "use lambdarank_normalization"},
    {"lambdarank_position_bias_regularization", "use lambdarank_unbiased"},
    {"label_gain", "use ndcg_exp_gain: gains are 2^label - 1, or the labels themselves"},
    {"boost_from_average", "use base_score, which is estimated from the labels if it is not given"},
    {"reg_sqrt", "train on the square roots of the labels"},
    {"refit_decay_rate", "use refresh_decay, with process_type=update and updater=refresh"},
    {"class_weight class_weights auto_class_weights is_unbalance unbalance unbalanced_sets", kImbalance},
    {"zero_as_missing", "give DMatrix or the estimator the argument missing=0"},
    {"use_missing nan_mode", "every split sends missing values to the better side; leave it out"},
    {"num_threads num_thread n_threads thread_count", "use nthread"},
    {"num_machines num_machine machines workers nodes machine_list_filename machine_list_file "
     "machine_list mlist local_listen_port local_port tree_learner",
     "kauriboost.dask and kauriboost.collective join several machines; leave it out"},
    {"snapshot_freq snapshot_file save_snapshot",
     "the command line has save_period; train() takes the callback TrainingCheckPoint"},
    {"warm_start validation_fraction", "it is an argument of estimators, not a parameter of the booster"},
    {"num_feature num_pbuffer", kCounted},
    {"use_label_encoder", "estimators take labels of any kind; leave it out"},
    {"single_precision_histogram gpu_use_dp", "sums are exact whatever their size; leave it out"},
    {"use_quantized_grad num_grad_quant_bins stochastic_rounding quant_train_renew_leaf",
     "use gradient_bits=8 or 4, with tree_method=hist"},
    {"deterministic_histogram deterministic", "trees are the same bits on every run; leave it out"},
    {"force_col_wise force_row_wise histogram_pool_size feature_pre_filter enable_bundle "
     "is_enable_bundle is_enable_sparse is_sparse max_conflict_rate pre_partition two_round "
     "bin_construct_sample_cnt subsample_for_bin data_random_seed data_seed",
     "it changes only how LightGBM computes; leave it out"},
    {"gpu_page_size", "ExtMemQuantileDMatrix bounds memory; leave it out"},
    {"enable_experimental_json_serialization", "models are JSON or UBJSON by the name of the file; leave it out"},
};

constexpr char const* kLogistic = "use binary:logistic";
constexpr char const* kClasses = "use multi:softprob, with num_class";
constexpr char const* kSquared = "use reg:squarederror";
constexpr char const* kAbsolute = "use reg:absoluteerror";
constexpr char const* kRanking = "use rank:ndcg";

/// Names of LightGBM, CatBoost and scikit-learn in small letters, and names without their prefix before the colon.
constexpr OtherName kObjectives[] = {
    {"binary logistic logloss log_loss cross_entropy crossentropy xentropy cross_entropy_lambda "
     "xentlambda",
     kLogistic},
    {"multiclass multiclassova multiclass_ova multiclassonevsall softmax softprob ova ovr", kClasses},
    {"regression regression_l2 squared_error squarederror mean_squared_error mse rmse l2 l2_root "
     "root_mean_squared_error",
     kSquared},
    {"regression_l1 absolute_error absoluteerror mean_absolute_error mae l1", kAbsolute},
    {"huber", "use reg:huber, or reg:pseudohubererror; huber_slope is LightGBM's alpha"},
    {"fair", "use reg:fair"},
    {"mape mean_absolute_percentage_error", "use reg:mape"},
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
    {"lambdarank rank_xendcg xendcg xe_ndcg xe_ndcg_mart xendcg_mart yetirank ndcg rank ranking", kRanking},
    {"pairwise pairlogit ranknet", "use rank:pairwise"},
    {"custom", "give train() the argument obj, estimators a function as objective"},
};

constexpr char const* kAccuracy = "accuracy is 1 - error: use error, or merror where there are more classes than two";
constexpr char const* kOwnMetric =
    "it is not built in; train() takes a function of your own as custom_metric, estimators as eval_metric";
constexpr char const* kRmse = "use rmse, its square root, which puts models in the same order";

constexpr OtherName kMetrics[] = {
    {"accuracy acc accuracy_score", kAccuracy},
    {"balanced_accuracy f1 f1_score totalf1 recall recall_score kappa mcc matthews_corrcoef "
     "kullback_leibler kldiv",
     kOwnMetric},
    {"precision precision_score", "pre@n is the precision of a ranking's first n rows; aucpr is for classes"},
    {"binary binary_logloss cross_entropy crossentropy xentropy cross_entropy_lambda xentlambda "
     "neg_log_loss log_loss",
     "use logloss"},
    {"binary_error", "use error"},
    {"multi_logloss multiclass softmax multiclassova multiclass_ova ova ovr", "use mlogloss"},
    {"multi_error", "use merror"},
    {"roc_auc roc_auc_score auroc", "use auc"},
    {"average_precision pr_auc prauc", "use aucpr, the area under the precision-recall curve"},
    {"mean_average_precision", "use map"},
    {"lambdarank rank_xendcg xendcg xe_ndcg xe_ndcg_mart xendcg_mart", "use ndcg"},
    {"l1 regression_l1 mean_absolute_error neg_mean_absolute_error", "use mae"},
    {"l2 mse regression regression_l2 mean_squared_error neg_mean_squared_error", kRmse},
    {"l2_root root_mean_squared_error neg_root_mean_squared_error", "use rmse"},
    {"r2_score", "use r2"},
    {"mean_absolute_percentage_error", "use mape"},
    {"poisson", "use poisson-nloglik"},
    {"gamma", "use gamma-nloglik"},
    {"tweedie", "use tweedie-nloglik"},
    {"custom", "give train() the argument custom_metric, estimators a function as eval_metric"},
    {"none null na", "use disable_default_eval_metric"},
};

constexpr char const* kGpuExact = "use tree_method=exact, with device=cuda";
constexpr char const* kGpu = "use tree_method=hist, with device=cuda";
constexpr char const* kGrowth = "tree_method says how splits are found; use grow_policy";

constexpr OtherName kTreeMethods[] = {
    {"gpu_hist gpu cuda grow_gpu_hist", kGpu},
    {"gpu_exact grow_gpu", kGpuExact},
    {"histogram", "use hist"},
    {"gpu_approx", "use tree_method=approx, with device=cuda"},
    {"depthwise lossguide leafwise symmetric", kGrowth},
    {"grow_colmaker", "use exact"},
    {"gpu_coord_descent", "use booster=gblinear"},
};

constexpr OtherName kBoosters[] = {
    {"gbdt gbrt tree plain", "use gbtree"},
    {"linear", "use gblinear"},
    {"goss", "use gbtree, with sampling_method=gradient_based and subsample"},
    {"rf random_forest", "use gbtree for one round, with num_parallel_tree, subsample and colsample_bynode"},
};

struct NameTable {
  char const* role;    ///< word for such a name in messages, as in its registry
  char const* plural;  ///< heading in lists
  OtherName const* begin;
  OtherName const* end;
};

/// Tables of names, in the order of NameKind.
std::array<NameTable, 4> const kTables{{
    {"objective function", "objectives", std::begin(kObjectives), std::end(kObjectives)},
    {"metric function", "metrics", std::begin(kMetrics), std::end(kMetrics)},
    {"tree_method", "tree methods", std::begin(kTreeMethods), std::end(kTreeMethods)},
    {"booster", "boosters", std::begin(kBoosters), std::end(kBoosters)},
}};

std::string InSmallLetters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

std::vector<std::string> NamesOf(OtherName const& other) {
  std::istringstream words(other.names);
  return {std::istream_iterator<std::string>(words), {}};
}

/// Returns the entry of a name; nullptr if there is none.
OtherName const* FindName(OtherName const* begin, OtherName const* end, std::string const& name) {
  auto const* const found = std::find_if(begin, end, [&](OtherName const& other) {
    auto const names = NamesOf(other);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
  return found == end ? nullptr : found;
}

OtherNames ListOf(std::string const& heading, OtherName const* begin, OtherName const* end) {
  OtherNames list{heading, {}};
  for (auto const* other = begin; other != end; ++other) list.entries.push_back({NamesOf(*other), other->cure});
  return list;
}

}  // namespace

void RefuseOtherName(NameKind kind, std::string const& name) {
  auto const& table = kTables.at(static_cast<std::size_t>(kind));
  auto const* const found = FindName(table.begin, table.end, InSmallLetters(name));
  if (found == nullptr) return;
  Fail(ErrorKind::kParameter, "Unknown ", table.role, " ", Quoted(name), "; ", found->cure, ".");
}

std::string HintFor(std::string const& name, std::vector<std::string> const& known) {
  auto const* const found = FindName(std::begin(kOtherNames), std::end(kOtherNames), name);
  if (found != nullptr) return std::string("; ") + found->cure + ".";
  auto const nearest = NearestName(name, known);
  return nearest.empty() ? "." : "; did you mean '" + nearest + "'?";
}

std::vector<OtherNames> AllOtherNames() {
  std::vector<OtherNames> all{ListOf("parameters", std::begin(kOtherNames), std::end(kOtherNames))};
  for (auto const& table : kTables) all.push_back(ListOf(table.plural, table.begin, table.end));
  return all;
}

}  // namespace kauri
