/// Files of other versions of XGBoost: fixtures that lack fields or write them differently.
#include <cmath>

#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using nlohmann::json;
using testing::ExpectRefused;
using testing::FixtureBytes;
using testing::FixtureJson;
using testing::kGbtree;
using testing::kLearnerParam;
using testing::kTree0;
using testing::Parse;

/// Returns a canonical serialisation of a model, for comparison.
std::string Meaning(std::string const& bytes) { return SerialiseModel(Parse(bytes), ModelFormat::kJson); }

TEST(ModelDialect, BaseScoreInAllForms) {
  auto document = FixtureJson("logistic.json");
  for (json const& form : {json("5E-1"), json("[5E-1]"), json("(0.5)"), json(" 0.5 "), json(0.5), json({0.5})}) {
    document[kLearnerParam]["base_score"] = form;
    EXPECT_EQ(Parse(document.dump()).base_score, std::vector<float>{0.5F}) << form;
  }
  document[kLearnerParam]["base_score"] = 1;
  EXPECT_EQ(Parse(document.dump()).base_score, std::vector<float>{1.0F});
}

TEST(ModelDialect, BaseScorePerClass) {
  auto document = json::parse(Meaning(FixtureBytes("softprob.ubj")));
  for (json const& form : {json("[1E-1, 2E-1,7e-1]"), json({0.1, 0.2, 0.7})}) {
    document[kLearnerParam]["base_score"] = form;
    EXPECT_EQ(Parse(document.dump()).base_score, (std::vector<float>{0.1F, 0.2F, 0.7F}));
  }
  document[kLearnerParam]["base_score"] = "[1,2]";
  ExpectRefused(document, "learner.learner_model_param.base_score", "has 2 numbers; expected 1 or 3");
}

TEST(ModelDialect, BaseScoreRefusesOtherText) {
  auto document = FixtureJson("logistic.json");
  for (json const& form : {json("abc"), json(""), json("[]"), json("[0.5"), json("0.5]"), json("nan"), json("[inf]"),
                           json("0.5,0.5"), json("1e99"), json(json::array()), json(json::object()), json(nullptr)}) {
    document[kLearnerParam]["base_score"] = form;
    ExpectRefused(document, "learner.learner_model_param.base_score", "");
  }
}

TEST(ModelDialect, FilesOfVersionOne) {
  auto const now = FixtureBytes("logistic.json");
  auto document = json::parse(now);
  document.erase("version");
  for (auto const* key : {"feature_names", "feature_types"}) document["learner"].erase(key);
  for (auto const* key : {"num_target", "boost_from_average"}) document[kLearnerParam].erase(key);
  document[kLearnerParam]["base_score"] = Parse(now).base_score[0];
  for (auto const* key : {"cats", "iteration_indptr"}) document[kGbtree].erase(key);
  document[kGbtree]["gbtree_model_param"] = {{"num_trees", "3"}, {"size_leaf_vector", "0"}};
  for (auto& tree : document[kGbtree]["trees"]) {
    for (auto const* key :
         {"split_type", "categories", "categories_nodes", "categories_segments", "categories_sizes"}) {
      tree.erase(key);
    }
    tree["tree_param"].erase("num_deleted");
    tree["tree_param"]["size_leaf_vector"] = "0";
    for (auto& flag : tree["default_left"]) flag = flag == 1;
  }
  EXPECT_EQ(Meaning(document.dump()), now);
}

TEST(ModelDialect, IterationsAreRebuiltForForestsOfClasses) {
  auto const now = Meaning(FixtureBytes("softprob.ubj"));
  auto document = json::parse(now);
  document[kGbtree].erase("iteration_indptr");
  EXPECT_EQ(Meaning(document.dump()), now);
  document[kGbtree]["gbtree_model_param"]["num_parallel_tree"] = "7";
  ExpectRefused(document, "learner.gradient_booster.model.trees", "no multiple of 21");
}

TEST(ModelDialect, DartInThreeDialects) {
  auto const first = FixtureBytes("dart.json");
  auto document = json::parse(first);
  auto& booster = document["learner"]["gradient_booster"];
  json const weights = booster["weight_drop"];
  json const model = booster["gbtree"]["model"];
  booster = {{"name", "gbtree"}, {"model", model}, {"weight_drop", weights}};
  EXPECT_EQ(Meaning(document.dump()), first);
  booster = {{"name", "gbtree"}, {"model", model}};
  booster["model"]["weight_drop"] = weights;
  EXPECT_EQ(Meaning(document.dump()), first);
}

TEST(ModelDialect, DartMayLeaveOutTheLastWeights) {
  auto document = FixtureJson("dart.json");
  document["learner"]["gradient_booster"]["weight_drop"] = {0.5};
  auto const model = Parse(document.dump());
  EXPECT_EQ(model.booster, "dart");
  EXPECT_EQ(model.TreeWeight(0), 0.5F);
  EXPECT_EQ(model.TreeWeight(1), 1.0F);
  auto const written = json::parse(SerialiseModel(model, ModelFormat::kJson));
  EXPECT_EQ(written["learner"]["gradient_booster"]["weight_drop"], json({0.5, 1.0, 1.0, 1.0}));
  document["learner"]["gradient_booster"]["weight_drop"] = {1, 1, 1, 1, 1};
  ExpectRefused(document, "learner.gradient_booster.weight_drop", "has 5 weights for 4 trees");
  document["learner"]["gradient_booster"]["weight_drop"] = {1, 3e38};
  auto& tree = document["learner"]["gradient_booster"]["gbtree"]["model"]["trees"][1];
  for (auto& value : tree["split_conditions"]) value = 1e4;
  ExpectRefused(document, "learner.gradient_booster.weight_drop", "has value 10000; their product must be finite");
}

TEST(ModelDialect, CategoricalThresholdsMayBeNaN) {
  auto const now = FixtureBytes("categorical.json");
  auto old = now;
  std::string const denormal = "1E-45";
  int n_replaced = 0;
  for (auto at = old.find(denormal); at != std::string::npos; at = old.find(denormal, at)) {
    old.replace(at, denormal.size(), "NaN");
    ++n_replaced;
  }
  ASSERT_GT(n_replaced, 0);
  EXPECT_EQ(Meaning(old), now);
}

TEST(ModelDialect, RegLinearIsSquaredError) {
  auto document = FixtureJson("logistic.json");
  document["learner"]["objective"]["name"] = "reg:linear";
  EXPECT_EQ(Parse(document.dump()).objective, "reg:squarederror");
}

TEST(ModelDialect, ObjectivesWithoutParameters) {
  auto document = FixtureJson("logistic.json");
  document["learner"]["objective"] = {{"name", "binary:hinge"}};
  auto const model = Parse(document.dump());
  EXPECT_EQ(model.objective_param_key, "");
  EXPECT_EQ(json::parse(SerialiseModel(model, ModelFormat::kJson))["learner"]["objective"],
            document["learner"]["objective"]);
}

json WithPositionBias(std::string const& unbiased, json const& biases) {
  auto document = FixtureJson("logistic.json");
  document["learner"]["objective"] = {{"name", "rank:ndcg"},
                                      {"lambdarank_param", {{"lambdarank_unbiased", unbiased}}},
                                      {"ti+", biases},
                                      {"tj-", {1.0, 0.25}}};
  return document;
}

TEST(ModelDialect, PositionBiasIsKept) {
  auto const document = WithPositionBias("1", {1.0, 0.5});
  auto const model = Parse(document.dump());
  EXPECT_EQ(model.objective_state.at("ti+"), (std::vector<float>{1.0F, 0.5F}));
  EXPECT_EQ(model.objective_state.at("tj-"), (std::vector<float>{1.0F, 0.25F}));
  for (auto const format : {ModelFormat::kJson, ModelFormat::kUbjson}) {
    EXPECT_EQ(Parse(SerialiseModel(model, format)).objective_state, model.objective_state);
  }
  EXPECT_EQ(json::parse(SerialiseModel(model, ModelFormat::kJson))["learner"]["objective"],
            document["learner"]["objective"]);
  EXPECT_TRUE(Parse(WithPositionBias("0", {1.0, 0.5}).dump()).objective_state.empty());
}

TEST(ModelDialect, PositionBiasIsAPositiveNumber) {
  for (auto const& biases : {json{1.0, -0.5}, json{"1"}, json("x")}) {
    EXPECT_THROW(Parse(WithPositionBias("1", biases).dump()), Error) << biases;
  }
}

TEST(ModelDialect, DeletedNodesAreLeftOut) {
  auto const document = FixtureJson("pruned.json");
  auto const model = Parse(document.dump());
  auto const& raw = document[kTree0];
  auto const& tree = model.trees[0];
  auto const n_deleted = std::stoi(raw["tree_param"]["num_deleted"].get<std::string>());
  ASSERT_GT(n_deleted, 0);
  EXPECT_EQ(static_cast<std::size_t>(tree.NumNodes() + n_deleted), raw["left_children"].size());
  auto const values = FixtureJson("categorical.margins");
  for (auto const& cells : values.at("rows")) {
    std::vector<float> row;
    for (auto const& cell : cells) row.push_back(cell.is_null() ? std::nanf("") : cell.get<float>());
    std::size_t node = 0;
    while (raw["left_children"][node] != -1) {
      auto const value = row[raw["split_indices"][node].get<std::size_t>()];
      bool const left =
          std::isnan(value) ? raw["default_left"][node] == 1 : value < raw["split_conditions"][node].get<float>();
      node = raw[left ? "left_children" : "right_children"][node].get<std::size_t>();
    }
    EXPECT_EQ(testing::LeafValue(tree, row), raw["split_conditions"][node].get<float>());
  }
}

TEST(ModelDialect, ChildrenMayComeBeforeTheirParents) {
  auto document = json::parse(Meaning(FixtureBytes("poisson.ubj")));
  auto& tree = document[kTree0];
  ASSERT_EQ(tree["left_children"], json({1, 3, 5, -1, -1, -1, -1}));
  auto const now = Meaning(document.dump());
  // Swap nodes 1 and 6 in every array: a split moves behind its children, and a leaf to its place.
  for (auto const* key : {"left_children", "right_children", "split_indices", "split_conditions", "default_left",
                          "base_weights", "loss_changes", "sum_hessian", "split_type"}) {
    std::swap(tree[key][1], tree[key][6]);
  }
  tree["left_children"][0] = 6;
  tree["right_children"][2] = 1;
  EXPECT_EQ(Meaning(document.dump()), now);
}

TEST(ModelDialect, UnsizedArraysAndShortLengthsInUbjson) {
  auto const now = FixtureBytes("logistic.json");
  auto const bytes = json::to_ubjson(json::parse(now));  // arrays end with ']', lengths take the fewest bytes
  EXPECT_EQ(Meaning({bytes.begin(), bytes.end()}), now);
}

TEST(ModelDialect, WhatIsNotSupportedIsNamed) {
  auto other = FixtureJson("logistic.json");
  other["learner"]["gradient_booster"]["name"] = "gbforest";
  ExpectRefused(other, "learner.gradient_booster.name", "gbforest");
  EXPECT_NE(testing::Refusal("binf....").find("old binary format"), std::string::npos);
}

TEST(ModelDialect, FilesOfOthersAreNamedByTheirFirstBytes) {
  auto const expect = [](std::string const& bytes, char const* part) {
    EXPECT_NE(testing::Refusal(bytes).find(part), std::string::npos) << bytes;
  };
  expect("tree\nversion=v4\n", "LightGBM");
  expect("\x1F\x8B\x08", "gzip");
  expect("\xEF\xBB\xBF{}", "byte order mark");
  expect("\x80\x04\x95", "pickle");
  expect("booster[0]:\n0:leaf=1\n", "text dump");
  expect("0:[f0<1] yes=1,no=2,missing=1\n", "text dump");
  expect("[{\"nodeid\": 0}]", "JSON list");
  expect("PK\x03\x04", "zip archive");
  expect("CBM1\x01", "CatBoost");
  expect(R"({"name": "tree", "version": "v4", "tree_info": []})", "kauriboost.forests.from_lightgbm");
  expect(R"({"learner": {}, "tree_info": []})", "learner.");  // a file that is meant to be ours
}

}  // namespace
}  // namespace kauri
