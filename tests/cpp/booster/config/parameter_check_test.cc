/// Tests the checks of parameters that no chosen component makes, and the log lines about such parameters.
#include "booster/config/parameter_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "booster/booster_fixture.h"
#include "booster/config/learner_param.h"
#include "booster/names/other_names.h"
#include "common/text/log.h"
#include "kauri/registry.h"
#include "support/learner_predict.h"

namespace kauri::testing {
namespace {

std::vector<std::string>& Lines() {
  static std::vector<std::string> lines;
  return lines;
}

std::shared_ptr<DataMatrix> Data(int classes = 0) { return MakeLabelled({120, 4, 0.0, 0, false, 5}, classes); }

class Parameters : public ::testing::Test {
 protected:
  void SetUp() override {
    Lines().clear();
    SetLogCallback([](char const* line) { Lines().emplace_back(line); });
  }
  void TearDown() override {
    SetLogCallback(nullptr);
    SetLogLevel(1);
  }
  static std::string ErrorOf(Params const& params, int classes = 0) {
    return MessageOf([&] { Train(Data(classes), params, 1); });
  }
  /// Returns the log lines of training with these parameters, with a bar after each.
  static std::string LogOf(Params const& params) {
    Lines().clear();
    Train(Data(), params, 3);
    std::string all;
    for (auto const& line : Lines()) all += line + "|";
    return all;
  }
  static void ExpectError(Params const& params, std::string const& part) {
    auto const message = ErrorOf(params);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
};

TEST_F(Parameters, VerbosityHolds) {
  EXPECT_NE(LogOf({{"max_detph", "3"}}).find("'max_detph' is not known and is ignored; did you mean 'max_depth'?"),
            std::string::npos);
  EXPECT_EQ(LogOf({{"max_detph", "3"}, {"seed_per_iteration", "1"}, {"verbosity", "0"}}), "");
  EXPECT_EQ(GetLogLevel(), 0);
  ExpectError({{"verbosity", "4"}}, "verbosity='4'");
  auto const quiet = MakeLearner({{"verbosity", "2"}});
  auto const config = quiet->SaveConfig();
  SetLogLevel(1);
  auto const other = MakeLearner({});
  other->LoadConfig(config);
  other->Configure();
  EXPECT_EQ(GetLogLevel(), 1);  // a configuration does not set the process-wide level
}

TEST_F(Parameters, BuildersOfXGBoostStandForTreeMethods) {
  auto const data = Data();
  for (auto const& [updater, method] : Params{{"grow_colmaker", "exact"},
                                              {"grow_colmaker,prune", "exact"},
                                              {"grow_colmaker,prune,refresh", "exact"},
                                              {"grow_histmaker", "approx"},
                                              {"grow_quantile_histmaker,sync", "hist"}}) {
    auto const named = Train(data, {{"updater", updater}}, 2);
    EXPECT_EQ(Bytes(named.get()), Bytes(Train(data, {{"tree_method", method}}, 2).get())) << updater;
    EXPECT_EQ(ErrorOf({{"updater", updater}, {"tree_method", method}}), "no error");
  }
  EXPECT_NE(Bytes(Train(data, {{"tree_method", "exact"}, {"max_bin", "4"}}, 2).get()),
            Bytes(Train(data, {{"tree_method", "hist"}, {"max_bin", "4"}}, 2).get()));
  ExpectError({{"updater", "grow_colmakr"}}, "Unknown updater 'grow_colmakr'; did you mean 'grow_colmaker'?");
  ExpectError({{"updater", "grow_colmaker"}, {"tree_method", "hist"}},
              "updater=grow_colmaker means tree_method=exact, but tree_method=hist is set");
  ExpectError({{"updater", "grow_gpu_hist"}}, "builds trees on a CUDA device, but device=cpu is set");
  ExpectError({{"updater", "grow_colmaker,refresh"}, {"subsample", "0.5"}}, "leave refresh out");
  ExpectError({{"updater", "grow_colmaker,refresh"}, {"bagging_temperature", "1"}}, "leave refresh out");
  ExpectError({{"updater", "grow_colmaker,grow_histmaker"}}, "grow_histmaker cannot follow a builder");
  ExpectError({{"updater", "sync"}}, "set process_type=update");
}

TEST_F(Parameters, ExactSaysWhatItIgnores) {
  auto const log = LogOf({{"tree_method", "exact"}, {"max_leaves", "7"}, {"grow_policy", "lossguide"}});
  EXPECT_EQ(log,
            "tree_method=exact ignores max_leaves=7 and grow_policy=lossguide: it grows level by level, to max_depth. "
            "Limit max_depth, or use tree_method=hist.|");
  EXPECT_EQ(LogOf({{"tree_method", "exact"}, {"grow_policy", "depthwise"}}), "");
  EXPECT_EQ(LogOf({{"tree_method", "hist"}, {"max_leaves", "7"}}), "");
}

TEST_F(Parameters, ValuesOfWhatIsNotChosenAreChecked) {
  ExpectError({{"huber_slope", "0"}}, "huber_slope='0'");
  ExpectError({{"num_class", "-1"}}, "num_class='-1'");
  ExpectError({{"objective", "binary:logistic"}, {"num_class", "-1"}}, "num_class='-1'");
  ExpectError({{"objective", "reg:gamma"}, {"tweedie_variance_power", "2.5"}}, "tweedie_variance_power='2.5'");
  ExpectError({{"rate_drop", "1.5"}}, "rate_drop='1.5'");
  ExpectError({{"tree_method", "exact"}, {"memory_budget", "-1"}}, "memory_budget='-1'");
  ExpectError({{"refresh_leaf", "perhaps"}}, "refresh_leaf='perhaps'");
  ExpectError({{"booster", "gblinear"}, {"max_depth", "-3"}}, "max_depth='-3'");
  ExpectError({{"booster", "gblinear"}, {"shap_method", "guess"}}, "guess");
  EXPECT_EQ(ErrorOf({{"huber_slope", "2"}, {"rate_drop", "0.5"}, {"quantile_alpha", "0.3"}, {"top_k", "2"}}),
            "no error");
  EXPECT_EQ(ErrorOf({{"booster", "gblinear"}, {"updater", "coord_descent"}, {"max_depth", "3"}}), "no error");
}

TEST_F(Parameters, ClassesNeedAnObjectiveThatTellsThemApart) {
  ExpectError({{"objective", "reg:squarederror"}, {"num_class", "5"}},
              "num_class=5 does not go with objective=reg:squarederror");
  for (auto const* one : {"0", "1"}) {
    EXPECT_EQ(ErrorOf({{"objective", "reg:squarederror"}, {"num_class", one}}), "no error");
  }
  auto const data = Data(3);  // XGBoost also does this
  auto const meant = Train(data, {{"num_class", "3"}}, 2);
  EXPECT_EQ(Bytes(meant.get()), Bytes(Train(data, {{"num_class", "3"}, {"objective", "multi:softmax"}}, 2).get()));
  auto const numbers = Train(Data(), {}, 1);  // one Learner, two models
  auto const bytes = SerialiseModel(numbers->GetModel(), ModelFormat::kUbjson);
  EXPECT_THROW(meant->LoadModel({bytes.data(), bytes.size()}), Error);  // the user's setting stays
  auto const free = testing::MakeLearner({});
  free->LoadModel({bytes.data(), bytes.size()});
  EXPECT_EQ(free->GetModel().objective, "reg:squarederror");
}

TEST_F(Parameters, WhatChangesNothingIsTakenWithOneWarning) {
  for (auto const* name : {"seed_per_iteration", "max_cached_hist_node", "extmem_single_page", "debug_synchronize"}) {
    auto const log = LogOf({{name, "1"}, {"validate_parameters", "1"}});
    EXPECT_EQ(log.find(std::string("parameter '") + name + "' has no effect: "), 0U) << log;
    EXPECT_EQ(log.find('|'), log.size() - 1) << log;
  }
  auto const data = Data();
  Lines().clear();
  auto const old = Train(data, {{"objective", "reg:linear"}, {"max_bin", "100000"}}, 2);
  EXPECT_EQ(Lines(),
            (std::vector<std::string>{"objective=reg:linear is now deprecated in favor of reg:squarederror; use that.",
                                      "max_bin=100000: a feature has at most 65535 bins, which is used."}));
  EXPECT_EQ(Bytes(old.get()), Bytes(Train(data, {{"max_bin", "65535"}}, 2).get()));
  ExpectError({{"max_bin", "1"}}, "max_bin='1'");
  ExpectError({{"max_bin", "1e6"}}, "max_bin='1e6'");
}

TEST_F(Parameters, ConfigurationsOfTheWrongTypeAreRefused) {
  std::map<std::string, std::string> const bad{
      {R"({"learner": {"gradient_booster": {"name": 7}}})",
       "learner.gradient_booster.name is 7, a JSON number; expected a string."},
      {R"({"learner": {"gradient_booster": 7}})", "learner.gradient_booster is 7, a JSON number"},
      {R"({"learner": {"objective": {"name": null}}})", "learner.objective.name is null, a JSON null"},
      {R"({"learner": {"learner_train_param": {"objective": ["a"]}}})", R"(objective is ["a"], a JSON array)"},
      {R"({"learner": {"user_params": []}})", "learner.user_params is [], a JSON array; expected an object."},
      {R"({"learner": {"user_params": {"eta": 0.1}}})", "learner.user_params.eta is 0.1, a JSON number"},
      {R"({"learner": {"user_metrics": [1], "user_params": {}}})", "expected a list of strings"},
  };
  for (auto const& [config, part] : bad) {
    auto const learner = MakeLearner({{"eta", "0.25"}});
    auto const message = MessageOf([&, &text = config] { learner->LoadConfig(text); });
    EXPECT_NE(message.find(part), std::string::npos) << config << ": " << message;
    EXPECT_NE(learner->SaveConfig().find(R"("eta":"0.25")"), std::string::npos);
  }
}

TEST_F(Parameters, ConfigurationsOfXGBoostAreTaken) {
  auto const learner = MakeLearner({});
  learner->LoadConfig(R"({"learner": {
    "generic_param": {"validate_parameters": "1", "fail_on_invalid_gpu_id": "0", "seed_per_iteration": "0"},
    "gradient_booster": {"name": "gbtree", "specified_updater": false, "tree_train_param": {"sparse_threshold": "0.2"},
      "gbtree_train_param": {"tree_method": "auto", "updater": "grow_quantile_histmaker",
                             "updater_seq": "grow_quantile_histmaker"},
      "updater": [{"hist_train_param": {"max_cached_hist_node": "65536"}, "name": "grow_quantile_histmaker"}]},
    "learner_train_param": {"objective": "reg:squarederror"}, "metrics": [{"name": "rmse"}]}})");
  EXPECT_EQ(MessageOf([&] { learner->Configure(); }), "no error");
  learner->SetParam("tree_method", "exact");  // the updater had followed from the old one
  EXPECT_EQ(MessageOf([&] { learner->Configure(); }), "no error");
  EXPECT_TRUE(Lines().empty()) << Lines().front();
}

TEST_F(Parameters, NamesOfOtherPlacesAreToldTheirCure) {
  for (auto const& [name, cure] : Params{{"n_estimators", "num_boost_round of train()"},
                                         {"early_stopping_rounds", "the argument early_stopping_rounds of train()"},
                                         {"gpu_id", "device=cuda:1"},
                                         {"silent", "use verbosity"},
                                         {"use_label_encoder", "leave it out"},
                                         {"num_leaves", "use max_leaves"}}) {
    ExpectError({{name, "1"}, {"validate_parameters", "1"}}, "unknown parameter '" + name + "' (value '1'); ");
    ExpectError({{name, "1"}, {"validate_parameters", "1"}}, cure);
    EXPECT_NE(LogOf({{name, "1"}}).find(cure), std::string::npos) << name;
  }
}

/// Returns the message about another library's name for such a parameter, or "no error".
std::string CureOf(NameKind kind, std::string const& name) {
  return MessageOf([&] { RefuseOtherName(kind, name); });
}

TEST_F(Parameters, NamesOfOtherLibrariesAreToldTheirCure) {
  ExpectError({{"objective", "binary"}}, "Unknown objective function 'binary'; use binary:logistic.");
  ExpectError({{"objective", "MultiClass"}}, "'MultiClass'; use multi:softprob, with num_class.");
  ExpectError({{"eval_metric", "binary_logloss"}}, "Unknown metric function 'binary_logloss'; use logloss.");
  ExpectError({{"eval_metric", "accuracy@0.7"}}, "'accuracy'; accuracy is 1 - error: use error, or merror");
  ExpectError({{"tree_method", "gpu_hist"}}, "Unknown tree_method 'gpu_hist'; use tree_method=hist, with device=cuda.");
  ExpectError({{"booster", "gbdt"}}, "Unknown booster 'gbdt'; use gbtree.");
}

TEST_F(Parameters, NoNameOfAnotherLibraryIsRegistered) {
  auto const& all = GetRegistries();
  for (auto const& name : all.objectives.Names()) EXPECT_EQ(CureOf(NameKind::kObjective, name), "no error") << name;
  for (auto const& name : all.metrics.Names()) EXPECT_EQ(CureOf(NameKind::kMetric, name), "no error") << name;
  for (auto const& name : all.tree_methods.Names()) EXPECT_EQ(CureOf(NameKind::kTreeMethod, name), "no error") << name;
  for (auto const& name : all.boosters.Names()) EXPECT_EQ(CureOf(NameKind::kBooster, name), "no error") << name;
}

TEST_F(Parameters, NoOtherNameIsOneOfOurs) {
  auto const known = KnownParameterNames();
  for (auto const& name : known) EXPECT_EQ(HintFor(name, known), "; did you mean '" + name + "'?");
}

TEST_F(Parameters, EveryOtherNameIsListedOnce) {
  auto const all = AllOtherNames();
  ASSERT_EQ(all.size(), 5U);
  for (auto const& [heading, entries] : all) {
    std::set<std::string> names;
    for (auto const& entry : entries) {
      EXPECT_FALSE(entry.cure.empty());
      for (auto const& name : entry.names) EXPECT_TRUE(names.insert(name).second) << heading << " " << name;
    }
    EXPECT_GE(names.size(), 8U) << heading;
  }
}

TEST_F(Parameters, ParametersOfLightGbmAreToldTheirCure) {
  for (auto const& [name, cure] : Params{{"bagging_freq", "leave it out"},
                                         {"num_threads", "use nthread"},
                                         {"feature_fraction_bynode", "use colsample_bynode"},
                                         {"lambdarank_truncation_level", "lambdarank_num_pair_per_sample"},
                                         {"categorical_feature", "categorical"},
                                         {"eval_at", "eval_metric=ndcg@5"},
                                         {"label_column", "data.csv?label_column=0"},
                                         {"force_col_wise", "leave it out"}}) {
    ExpectError({{name, "1"}, {"validate_parameters", "1"}}, cure);
  }
  ExpectError({{"eval_metric", "multiclassova"}}, "use mlogloss");
  ExpectError({{"objective", "rank_xendcg"}}, "use rank:ndcg");
  ExpectError({{"tree_method", "GPU_EXACT"}}, "use tree_method=exact, with device=cuda");
}

TEST_F(Parameters, MessagesCallAParameterWhatTheUserCallsIt) {
  for (auto const& [name, alias] : Params{{"eta", "learning_rate"},
                                          {"gamma", "min_split_loss"},
                                          {"lambda", "reg_lambda"},
                                          {"alpha", "reg_alpha"},
                                          {"nthread", "n_jobs"},
                                          {"seed", "random_state"}}) {
    ExpectError({{alias, "none"}}, "parameter " + alias + "='none'");
    ExpectError({{name, "none"}}, "parameter " + name + "='none'");
    ExpectError({{alias, "none"}, {name, "never"}},
                "parameters " + alias + "=none and " + name + "=never are two names");
  }
}

TEST_F(Parameters, EverySentenceEnds) {
  ExpectError({{"enable_feature_grouping", "1"}, {"validate_parameters", "1"}},
              "unknown parameter 'enable_feature_grouping' (value '1'). `kauri help all` lists all parameters.");
}

TEST_F(Parameters, PredictorIsChosenByName) {
  auto const data = Data();
  auto const margins = [&](Params const& params) {
    return PredictData(*Train(data, params, 3), *data, Predicting(PredictKind::kMargin)).values;
  };
  auto const expected = margins({});
  EXPECT_EQ(margins({{"predictor", "auto"}}), expected);
  EXPECT_EQ(margins({{"predictor", "cpu_predictor"}, {"validate_parameters", "1"}}), expected);
  ExpectError({{"predictor", "cpu_predicter"}}, "Unknown predictor 'cpu_predicter'; did you mean 'cpu_predictor'?");
  ExpectError({{"predictor", "cpu_predicter"}}, "Known: cpu_predictor, linear_predictor");
  ExpectError({{"predictor", "linear_predictor"}}, "predictor=linear_predictor is for booster=gblinear");
  EXPECT_EQ(margins({{"booster", "gblinear"}, {"predictor", "cpu_predictor"}}), margins({{"booster", "gblinear"}}));
}

TEST_F(Parameters, PredictorOfAnotherLibrarysDocumentIsLeftThere) {
  auto const learner = MakeLearner({});
  learner->LoadConfig(R"({"learner": {"gradient_booster": {"name": "gbtree", "gbtree_train_param": {
    "predictor": "gpu_predictor", "tree_method": "exact"}}, "learner_train_param": {"objective": "reg:squarederror"}}})");
  EXPECT_EQ(MessageOf([&] { learner->Configure(); }), "no error");
  EXPECT_TRUE(Lines().empty()) << Lines().front();
}

/// dmlc does not list declared aliases, so a table has them, too.
TEST_F(Parameters, AliasesAreThoseDeclared) {
  std::map<std::string, std::string> declared;
  std::regex const declaration(R"(DMLC_DECLARE_ALIAS\((\w+), (\w+)\))");
  for (auto const* folder : {"/include/kauri", "/src/booster", "/src/data", "/src/tree", "/src/objective", "/plugin"}) {
    for (auto const& file : std::filesystem::recursive_directory_iterator(std::string(KAURI_SOURCE_DIR) + folder)) {
      if (!file.is_regular_file()) continue;
      std::ifstream stream(file.path());
      std::string const text(std::istreambuf_iterator<char>(stream), {});
      for (std::sregex_iterator found(text.begin(), text.end(), declaration), end; found != end; ++found) {
        declared[(*found)[2]] = (*found)[1];
      }
    }
  }
  std::map<std::string, std::string> listed;
  for (auto const& alias : ParameterAliases()) listed[alias] = CanonicalParameterName(alias);
  EXPECT_EQ(listed, declared);
  EXPECT_GE(declared.size(), 6U);
  for (auto const& [alias, name] : declared) EXPECT_EQ(AliasesOf(name), std::vector<std::string>{alias});
  EXPECT_TRUE(AliasesOf("max_depth").empty());
}

}  // namespace
}  // namespace kauri::testing
