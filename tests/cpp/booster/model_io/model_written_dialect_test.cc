/// Model files in the dialect of a chosen version of XGBoost: fields of each, and models that it cannot represent.
#include <tuple>

#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using nlohmann::json;
using testing::FixtureBytes;
using testing::kGbtree;
using testing::kLearnerParam;
using testing::kTree0;
using testing::Parse;

json Written(Model const& model, std::string const& dialect) {
  return json::parse(SerialiseModel(model, ModelFormat::kJson, ParseDialect(dialect)));
}

std::string Refusal(Model const& model, std::string const& dialect) {
  try {
    SerialiseModel(model, ModelFormat::kUbjson, ParseDialect(dialect));
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
    return error.what();
  }
  return "";
}

/// Expects that dialects before `first` refuse the model with a message that has `what` and `first`, and others do not.
void ExpectFirst(Model const& model, std::string const& first, std::string const& what) {
  auto is_refused = true;
  for (std::string const dialect : {"1.7", "2.1", "3.0", "3.2", "3.4"}) {
    if (dialect == first) is_refused = false;
    auto const message = Refusal(model, dialect);
    EXPECT_EQ(message.find(what) != std::string::npos, is_refused) << dialect << ": " << message;
    EXPECT_EQ(message.find("write the dialect " + first) != std::string::npos, is_refused) << message;
  }
  EXPECT_EQ(Refusal(model, ""), "");
}

TEST(WrittenDialect, IsThatOf32UnlessChosen) {
  for (auto const* name : {"logistic.json", "categorical.json", "softprob.ubj", "dart.ubj", "vector.json"}) {
    auto const model = Parse(FixtureBytes(name));
    EXPECT_EQ(Written(model, ""), Written(model, "3.2")) << name;
  }
}

TEST(WrittenDialect, MembersOfEachVersion) {
  auto const model = Parse(FixtureBytes("logistic.json"));
  struct Expected {
    char const* dialect;
    std::vector<int> version;
    char first_of_base_score;
    bool has_cats;
    bool has_iterations;
    char const* size_leaf_vector;
  };
  for (auto const& [dialect, version, first, has_cats, has_iterations, size] :
       {Expected{"1.7", {1, 7, 0}, '5', false, false, "0"}, Expected{"2.1", {2, 1, 0}, '5', false, true, "1"},
        Expected{"3.0", {3, 0, 0}, '5', false, true, "1"}, Expected{"3.2", {3, 2, 0}, '[', true, true, "1"},
        Expected{"3.4", {3, 4, 0}, '[', true, true, "1"}}) {
    auto written = model;
    written.base_score = {0.5F};
    auto const document = Written(written, dialect);
    EXPECT_EQ(document["version"], json(version));
    EXPECT_EQ(document[kLearnerParam]["base_score"].get<std::string>().front(), first) << dialect;
    EXPECT_EQ(document[kGbtree].contains("cats"), has_cats) << dialect;
    EXPECT_EQ(document[kGbtree].contains("iteration_indptr"), has_iterations) << dialect;
    EXPECT_EQ(document[kTree0]["tree_param"]["size_leaf_vector"], size) << dialect;
  }
}

TEST(WrittenDialect, MeansTheSame) {
  for (auto const* name : {"logistic.json", "categorical.json", "softprob.ubj", "dart.ubj", "gblinear.json",
                           "poisson.ubj", "pruned.json", "vector.json", "vector_2.1.json"}) {
    auto model = Parse(FixtureBytes(name));
    model.base_score = {model.base_score.front()};
    for (std::string const dialect : {"1.7", "2.1", "3.0", "3.2", "3.4"}) {
      if (model.HasVectorLeaves() && dialect == "1.7") continue;
      for (auto const format : {ModelFormat::kJson, ModelFormat::kUbjson}) {
        auto back = Parse(SerialiseModel(model, format, ParseDialect(dialect)));
        ASSERT_EQ(back.trees.size(), model.trees.size());
        for (std::size_t t = 0; t < model.trees.size(); ++t) {  // splits of the older layout have no weights
          if (model.HasVectorLeaves()) back.trees[t].base_weight = model.trees[t].base_weight;
        }
        EXPECT_EQ(SerialiseModel(back, ModelFormat::kJson), SerialiseModel(model, ModelFormat::kJson))
            << name << ' ' << dialect;
      }
    }
  }
}

TEST(WrittenDialect, WeightsOfTreesMoveInside) {
  auto const model = Parse(FixtureBytes("dart.ubj"));
  auto const booster = json::json_pointer("/learner/gradient_booster");
  auto const old_form = Written(model, "3.2")[booster];
  auto const new_form = Written(model, "3.4")[booster];
  EXPECT_EQ(old_form["name"], "dart");
  EXPECT_EQ(new_form["name"], "gbtree");
  EXPECT_EQ(new_form["model"]["weight_drop"], old_form["weight_drop"]);
  EXPECT_EQ(new_form["model"]["trees"], old_form["gbtree"]["model"]["trees"]);
}

TEST(WrittenDialect, VectorLeavesNeedVersion2) {
  auto const model = Parse(FixtureBytes("vector.json"));
  auto one_start = model;
  one_start.base_score = {0.5F};
  ExpectFirst(one_start, "2.1", "vector leaves (multi_strategy=multi_output_tree)");
  auto const old_form = Written(one_start, "2.1")[kTree0];
  EXPECT_EQ(old_form["leaf_weights"], Written(one_start, "3.2")[kTree0]["leaf_weights"]);  // for later versions
  EXPECT_EQ(old_form["base_weights"].size(),
            model.trees[0].left.size() * static_cast<std::size_t>(model.trees[0].n_outputs));
}

TEST(WrittenDialect, BaseScoresOfOutputsNeedVersion31) {
  auto model = Parse(FixtureBytes("softprob.ubj"));
  model.base_score = {0.25F, 0.25F, 0.25F};
  EXPECT_EQ(Written(model, "3.0")[kLearnerParam]["base_score"], "2.5E-1");
  model.base_score[1] = 0.5F;
  ExpectFirst(model, "3.2", "base scores that differ between its outputs");
}

TEST(WrittenDialect, NamesOfCategoriesNeedVersion31) {
  auto model = Parse(FixtureBytes("categorical.json"));
  model.categories.names.assign(model.n_features, {});
  EXPECT_EQ(Refusal(model, "1.7"), "");
  model.categories.names[0].texts = {"a"};
  ExpectFirst(model, "3.2", "names of categories");
}

TEST(WrittenDialect, ObjectivesNeedTheirVersion) {
  auto model = Parse(FixtureBytes("logistic.json"));
  model.objective = "reg:quantileerror";
  ExpectFirst(model, "2.1", "the objective reg:quantileerror");
  model.objective = "reg:expectileerror";
  ExpectFirst(model, "3.4", "the objective reg:expectileerror");
}

TEST(WrittenDialect, RoundsOfUnequalSizesNeedVersion2) {
  auto model = Parse(FixtureBytes("logistic.json"));
  ASSERT_EQ(model.trees.size(), 3U);
  model.iteration_ptr = {0, 2, 3};
  ExpectFirst(model, "2.1", "rounds of unequal numbers of trees");
}

TEST(WrittenDialect, RankingParametersOfVersion1) {
  auto model = Parse(FixtureBytes("logistic.json"));
  model.objective = "rank:ndcg";
  model.objective_param_key = "lambdarank_param";
  model.objective_params = {{"lambdarank_unbiased", "1"}, {"lambdarank_score_normalization", "1"}};
  model.objective_state = {{"ti+", {1.0F}}, {"tj-", {1.0F}}};
  auto const objective = json::json_pointer("/learner/objective");
  EXPECT_EQ(Written(model, "1.7")[objective],
            (json{{"name", "rank:ndcg"}, {"lambda_rank_param", {{"fix_list_weight", "0"}, {"num_pairsample", "1"}}}}));
  EXPECT_EQ(Written(model, "2.1")[objective]["lambdarank_param"], (json{{"lambdarank_unbiased", "1"}}));
  EXPECT_EQ(Written(model, "3.0")[objective], Written(model, "3.4")[objective]);
  EXPECT_EQ(Written(model, "3.0")[objective]["ti+"], json({1.0F}));
}

TEST(WrittenDialect, LogisticBaseScoresBeforeVersion32) {
  auto model = Parse(FixtureBytes("logistic.json"));
  ASSERT_EQ(model.objective, "binary:logistic");
  for (auto const& [score, old_text, text] :
       {std::tuple{0.0F, "1E-6", "[0E0]"}, std::tuple{1.0F, "9.99999E-1", "[1E0]"}}) {
    model.base_score = {score};
    EXPECT_EQ(Written(model, "3.0")[kLearnerParam]["base_score"], old_text);
    EXPECT_EQ(Written(model, "3.2")[kLearnerParam]["base_score"], text);
    EXPECT_EQ(Written(model, "")[kLearnerParam]["base_score"], text);
  }
  model.objective = "reg:squarederror";
  EXPECT_EQ(Written(model, "1.7")[kLearnerParam]["base_score"], "1E0");
}

TEST(WrittenDialect, SquaredLogErrorHasParametersBeforeVersion3) {
  auto model = Parse(FixtureBytes("logistic.json"));
  model.objective = "reg:squaredlogerror";
  model.objective_param_key.clear();
  model.objective_params.clear();
  auto const objective = json::json_pointer("/learner/objective");
  EXPECT_EQ(Written(model, "2.1")[objective]["reg_loss_param"], (json{{"scale_pos_weight", "1"}}));
  EXPECT_EQ(Written(model, "3.0")[objective], (json{{"name", "reg:squaredlogerror"}}));
}

/// No version of XGBoost has these objectives; without a dialect they are written.
TEST(WrittenDialect, ObjectivesOfKauriAlone) {
  for (std::string const name : {"reg:huber", "reg:fair", "reg:mape", "binary:focal", "binary:exponential"}) {
    auto model = Parse(FixtureBytes("logistic.json"));
    model.objective = name;
    for (auto const* dialect : {"1.7", "2.1", "3.0", "3.2", "3.4"}) {
      auto const message = Refusal(model, dialect);
      EXPECT_NE(message.find("the objective " + name), std::string::npos) << dialect << ": " << message;
      EXPECT_NE(message.find("leave the dialect out"), std::string::npos) << message;
    }
    EXPECT_EQ(Refusal(model, ""), "");
  }
}

TEST(WrittenDialect, MustBeKnown) {
  for (auto const* text : {"1.6", "3", "3.20", "latest", " 3.2"}) {
    try {
      ParseDialect(text);
      ADD_FAILURE() << text;
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
      EXPECT_NE(std::string(error.what()).find("expected one of 1.7, 2.1, 3.0, 3.2, 3.4"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace kauri
