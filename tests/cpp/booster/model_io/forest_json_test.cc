/// Forests as arrays of nodes: a small one worked through by hand, thresholds by their definition, every refusal, and
/// damage of every kind, which is refused with an Error or read, without other effects (run under sanitizers).
#include "booster/model_io/forest_json.h"

#include <cmath>
#include <limits>
#include <random>

#include "booster/model_io/foreign_forest.h"
#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using nlohmann::json;
using testing::LeafValue;
using testing::Parse;
using testing::Refusal;

// The first tree splits on column 0 at 1.5, then on whether column 1 is category 1 or 3. The second is a leaf.
constexpr char const* kForest = R"({"kauri_forest": 1, "n_features": 2, "base_score": 0.5,
  "feature_names": ["size", "colour"], "category_names": {"1": ["red", "green", "blue", "grey"]},
  "trees": [
    {"left": [1, 3, -1, -1, -1], "right": [2, 4, -1, -1, -1], "feature": [0, 1, -2, -2, -2],
     "threshold": [1.5, 0, 0, 0, 0], "default_left": [false, true, 0, 0, 0], "values": [0, 0, 10, 20, 30],
     "cover": [9, 5, 4, 3, 2], "categories": {"1": [3, 1]}},
    {"left": [-1], "right": [-1], "feature": [0], "threshold": [0], "default_left": [0], "values": [7], "cover": [9]}]})";

std::string TextOf(json document) {
  auto const version = document["kauri_forest"];
  document.erase("kauri_forest");
  auto const rest = document.dump();
  return "{ \n\"kauri_forest\": " + version.dump() + (rest == "{}" ? "" : ",") + rest.substr(1);
}

json ForestExample() { return json::parse(kForest); }

void ExpectForestSays(std::string const& place, json const& value, std::string const& what) {
  auto document = ForestExample();
  document[json::json_pointer(place)] = value;
  auto const message = Refusal(TextOf(document));
  EXPECT_NE(message.find(what), std::string::npos) << message;
}

TEST(ForestJson, ATreeWorkedThrough) {
  auto const model = Parse(kForest);
  EXPECT_EQ(model.objective, "reg:squarederror");
  EXPECT_EQ(model.base_score, std::vector<float>{0.5F});
  EXPECT_EQ(model.NumIterations(), 1);
  EXPECT_EQ(model.feature_names, (std::vector<std::string>{"size", "colour"}));
  EXPECT_EQ(model.categories.names[1].texts[3], "grey");
  ASSERT_EQ(model.trees.size(), 2U);
  auto const below = std::nextafter(1.5F, 0.0F);
  auto const missing = std::numeric_limits<float>::quiet_NaN();
  auto const& tree = model.trees[0];
  EXPECT_EQ(LeafValue(tree, {1.5F, 0.0F}), 10.0F);
  EXPECT_EQ(LeafValue(tree, {missing, 0.0F}), 10.0F);
  EXPECT_EQ(LeafValue(tree, {below, 0.0F}), 20.0F);
  EXPECT_EQ(LeafValue(tree, {below, 1.0F}), 30.0F);
  EXPECT_EQ(LeafValue(tree, {below, 3.0F}), 30.0F);
  EXPECT_NE(tree.default_left[1], 0);  // a missing category goes to the left
  EXPECT_EQ(model.trees[1].split_value[0], 7.0F);
  EXPECT_EQ(tree.sum_hessian, (std::vector<float>{9, 5, 4, 3, 2}));
  for (auto const format : {ModelFormat::kJson, ModelFormat::kUbjson}) {
    auto const bytes = SerialiseModel(model, format);
    EXPECT_EQ(SerialiseModel(Parse(bytes), format), bytes);
  }
}

TEST(ForestJson, RoundsOutputsAndVectorsOfLeaves) {
  auto document = json::parse(R"({"kauri_forest": 1, "n_features": 1, "objective": "multi:softprob",
    "base_score": [0, 1, 2], "trees_in_round": 3, "trees": []})");
  for (int index = 0; index < 6; ++index) {
    document["trees"].push_back({{"left", {-1}},
                                 {"right", {-1}},
                                 {"feature", {0}},
                                 {"threshold", {0}},
                                 {"default_left", {0}},
                                 {"values", {index}},
                                 {"cover", {1}},
                                 {"output", index % 3}});
  }
  auto const classes = Parse(TextOf(document));
  EXPECT_EQ(classes.NumIterations(), 2);
  EXPECT_EQ(classes.output_of_tree, (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(classes.base_score, (std::vector<float>{0, 1, 2}));
  document["objective"] = "reg:squarederror";
  document.erase("trees_in_round");
  for (auto& tree : document["trees"]) {
    tree["values"] = {{1, 2, 3}};
    tree.erase("output");
  }
  auto const vectors = Parse(TextOf(document));
  EXPECT_EQ(vectors.NumIterations(), 1);
  EXPECT_TRUE(vectors.HasVectorLeaves());
}

TEST(ForestJson, ThresholdsByTheirDefinition) {
  std::mt19937 random(5);
  std::vector<double> limits{0.0, -0.0, 0.1, 1e-300, -1e-300, 1e-45, 16777217.0, 3.4e38};
  for (int i = 0; i < 500; ++i) limits.push_back(std::ldexp(std::normal_distribution<>()(random), i % 60 - 30));
  for (auto const limit : limits) {
    auto value = static_cast<float>(limit);
    for (int step = 0; step < 3; ++step) value = std::nextafter(value, -std::numeric_limits<float>::infinity());
    for (int step = 0; step < 7; ++step) {
      EXPECT_EQ(value < model_io::AboveFloats(limit), static_cast<double>(value) <= limit) << limit;
      EXPECT_EQ(value < model_io::AboveDoubles(limit), value <= static_cast<float>(limit)) << limit;
      value = std::nextafter(value, std::numeric_limits<float>::infinity());
    }
  }
  auto document = ForestExample();
  document["trees"][0]["threshold"][0] = 0.1;
  auto const threshold = [&](char const* comparison) {
    document["comparison"] = comparison;
    return Parse(TextOf(document)).trees[0].split_value[0];
  };
  EXPECT_EQ(threshold("less"), 0.1F);
  EXPECT_EQ(threshold("at_most"), 0.1F);  // 0.1F is greater than 0.1
  EXPECT_EQ(threshold("at_most_in_double"), std::nextafter(0.1F, 1.0F));
}

TEST(ForestJson, RefusalsOfTheForest) {
  ExpectForestSays("/kauri_forest", 2, "kauri_forest has the value 2; expected a whole number from 1 to 1");
  ExpectForestSays("/n_features", 0, "n_features has the value 0");
  ExpectForestSays("/n_features", 2.5, "n_features has the value 2.5; expected a whole number");
  ExpectForestSays("/n_features", "2", "n_features is '\"2\"'; expected a whole number");
  ExpectForestSays("/objective", 3, "objective is '3'; expected a text");
  ExpectForestSays("/base_score", json::array(), "base_score is empty");
  ExpectForestSays("/base_score", {1, "a"}, "base_score has '\"a\"' in its list; expected numbers");
  ExpectForestSays("/base_score", 1e300, "no finite 32-bit number");
  ExpectForestSays("/comparison", "more", "comparison is 'more'; expected less, at_most or at_most_in_double");
  ExpectForestSays("/trees_in_round", 3, "trees_in_round has the value 3; expected a whole number from 1 to 2");
  ExpectForestSays("/feature_names", {"size", 1}, "feature_names has '1' in its list; expected texts");
  ExpectForestSays("/feature_names", {"size"}, "feature_names has 1 names; expected 2, one for each column, or none");
  ExpectForestSays("/category_names", {{"x", {"red"}}}, "category_names has the member 'x'");
  ExpectForestSays("/category_names", {{"2", {"red"}}}, "whole numbers from 0 to 1");
  ExpectForestSays("/category_names", {{"1", {"red", 3}}}, "texts and whole numbers");
  ExpectForestSays("/category_names", {{"1", {1.5}}}, "has the name '1.5'");
  ExpectForestSays("/trees", json::array(), "has no trees");
  ExpectForestSays("/trees", 3, "has no trees");
  ExpectForestSays("/trees/0", 3, "trees[0] is '3'; expected an object");
  ExpectForestSays("/tree", 3, "has the member 'tree', which is unknown; did you mean 'trees'? Known are kauri_forest");
  ExpectForestSays("/x", 3, "has the member 'x', which is unknown. Known are kauri_forest");
  auto document = ForestExample();
  document.erase("n_features");
  EXPECT_NE(Refusal(TextOf(document)).find("has no member 'n_features'"), std::string::npos);
  document["n_features"] = 2000000;
  document.erase("feature_names");
  EXPECT_NE(Refusal(TextOf(document)).find("at most 1048576 with categories"), std::string::npos);
  document.erase("category_names");
  EXPECT_NE(Refusal(TextOf(document)).find("at most 1048576 with categories"), std::string::npos);
  document["trees"][0].erase("categories");
  EXPECT_EQ(Parse(TextOf(document)).n_features, 2000000);
  EXPECT_NE(Refusal(ForestExample().dump()).find("is not the first member"), std::string::npos);
  EXPECT_NE(Refusal(std::string(kForest).substr(0, 200)).find("no valid JSON"), std::string::npos);
}

TEST(ForestJson, RefusalsOfTrees) {
  ExpectForestSays("/trees/0/left", json::array(), "trees[0].left is empty");
  ExpectForestSays("/trees/0/left", {1, -1}, "trees[0].right has numbers for 5 nodes; expected 2");
  ExpectForestSays("/trees/0/left/0", 5, "trees[0].left has the value 5; expected a whole number from -1 to 4");
  ExpectForestSays("/trees/0/left/0", -2, "trees[0].left has the value -2");
  ExpectForestSays("/trees/0/left/0", nullptr, "trees[0].left has 'null' in its list");
  ExpectForestSays("/trees/0/left/0", 0, "0 for node 0");
  ExpectForestSays("/trees/0/left/0", 2, "a second time");
  ExpectForestSays("/trees/0/right/0", -1, "expected -1 in both, or children in both");
  ExpectForestSays("/trees/0/feature/0", 2, "trees[0].feature has the value 2; expected a whole number from 0 to 1");
  ExpectForestSays("/trees/0/feature/0", -1, "trees[0].feature has the value -1");
  ExpectForestSays("/trees/0/threshold/0", 1e39, "trees[0].threshold has the value 1e+39");
  ExpectForestSays("/trees/0/default_left/0", 2, "trees[0].default_left has the value 2");
  ExpectForestSays("/trees/0/values", {{1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}}, "2 numbers for each node; expected 1");
  ExpectForestSays("/trees/0/values", {{1, 2}, {1}}, "rows of different lengths");
  ExpectForestSays("/trees/0/values/2", -1e39, "trees[0].values has the value -1e+39");
  ExpectForestSays("/trees/0/cover/2", 1e39, "trees[0].cover");
  ExpectForestSays("/trees/0/categories", {{"5", {1}}}, "trees[0].categories has the member '5'");
  ExpectForestSays("/trees/0/categories", {{"1", {-1}}}, "trees[0].categories.1 has the value -1");
  ExpectForestSays("/trees/0/categories", {{"1", {16777216}}}, "from 0 to 16777215");
  ExpectForestSays("/trees/0/categories", {{"1", json::array()}}, "");
  ExpectForestSays("/trees/0/output", 1, "trees[0].output has the value 1; expected a whole number from 0 to 0");
  auto const address = json{{"data", {1, true}}, {"typestr", "<f4"}, {"shape", {5}}, {"version", 3}};
  ExpectForestSays("/trees/0/cover", address, "trees[0].cover is 'an object'; expected a list of numbers.");
  ExpectForestSays("/base_score", address, "base_score is 'an object'; expected a list of numbers.");
  auto document = ForestExample();
  document["trees"][1].erase("cover");
  EXPECT_NE(Refusal(TextOf(document)).find("trees[1] has no member 'cover'"), std::string::npos);
}

TEST(ForestJson, DamageIsAnError) {
  std::mt19937 random(7);
  std::string const text = kForest;
  int n_refused = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    auto damaged = text;
    auto const place = random() % damaged.size();
    damaged.replace(place, random() % 6, std::string(random() % 3, "0123456789-.,[]{}\":e"[random() % 20]));
    try {
      Parse(damaged);
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kModel) << damaged;
      ++n_refused;
    }
  }
  EXPECT_GT(n_refused, 1000);
}

TEST(ForestJson, ArraysInMemoryAreForCalls) {
  auto document = ForestExample();
  double const covers[] = {9, 5, 4, 3, 2};
  document["trees"][0]["cover"] = {
      {"data", {reinterpret_cast<std::uintptr_t>(covers), true}}, {"typestr", "<f8"}, {"shape", {5}}, {"version", 3}};
  auto const model = model_io::ModelOfForest(document.dump());
  EXPECT_EQ(model.trees[0].sum_hessian, (std::vector<float>{9, 5, 4, 3, 2}));
  document["trees"][0]["cover"]["typestr"] = "<q8";
  try {
    model_io::ModelOfForest(document.dump());
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kModel);
    EXPECT_NE(std::string(error.what()).find("trees[0].cover is no array: "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kauri
