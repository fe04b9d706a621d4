/// CatBoost's JSON models: small ones worked through by hand, what is refused, and damage of every kind, which is
/// refused with an Error or read, without other effects (run under sanitizers).
#include <cmath>
#include <limits>

#include "booster/model_io/catboost_hash.h"
#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using nlohmann::json;
using testing::LeafValue;
using testing::Parse;
using testing::Refusal;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Column 0 and 2 are numbers, whose missing values go to the left and to the right. Column 1 has the categories "red"
// and "blue". Leaf 1 of the oblivious tree is where the first split holds, leaf 2 where the second does.
json Oblivious() {
  return json::parse(R"({
    "features_info": {
      "float_features": [
        {"feature_index": 0, "flat_feature_index": 0, "feature_id": "size", "nan_value_treatment": "AsFalse"},
        {"feature_index": 1, "flat_feature_index": 2, "feature_id": "age", "nan_value_treatment": "AsTrue"}],
      "categorical_features": [
        {"feature_index": 0, "flat_feature_index": 1, "feature_id": "colour", "values": [684447062],
         "names": ["red", "blue"]}]},
    "model_info": {"params": {"loss_function": {"type": "RMSE"}}},
    "oblivious_trees": [{
      "leaf_values": [1, 2, 3, 4], "leaf_weights": [10, 20, 0, 40],
      "splits": [{"split_type": "FloatFeature", "float_feature_index": 1, "border": 1.5},
                 {"split_type": "OneHotFeature", "cat_feature_index": 0, "value": 684447062}]}],
    "scale_and_bias": [0.5, [7]]})");
}

json WithRed(json document) {
  auto const hash = model_io::CatBoostHash("red");
  document["features_info"]["categorical_features"][0]["values"][0] = hash;
  document["oblivious_trees"][0]["splits"][1]["value"] = hash;
  return document;
}

json Example() { return WithRed(Oblivious()); }

void ExpectSays(json const& document, std::string const& what) {
  auto const message = Refusal(document.dump());
  EXPECT_NE(message.find(what), std::string::npos) << message;
}

/// Expects the refusal of the example after a change of the value at `place`.
void ExpectChangeSays(std::string const& place, json const& value, std::string const& what) {
  auto document = Example();
  document[json::json_pointer(place)] = value;
  ExpectSays(document, what);
}

void ExpectLackSays(std::string const& place, std::string const& key, std::string const& what) {
  auto document = Example();
  document[json::json_pointer(place)].erase(key);
  ExpectSays(document, what);
}

/// Expects that both formats restore the model byte for byte.
void ExpectRestored(Model const& model) {
  for (auto const format : {ModelFormat::kJson, ModelFormat::kUbjson}) {
    auto const bytes = SerialiseModel(model, format);
    EXPECT_EQ(SerialiseModel(Parse(bytes), format), bytes);
  }
}

TEST(CatBoostJson, HashesAreThoseOfCatBoost) {  // from files of version 1.2.10
  EXPECT_EQ(model_io::CatBoostHash("a"), -805065478);
  EXPECT_EQ(model_io::CatBoostHash("xy"), -1840297506);
  EXPECT_EQ(model_io::CatBoostHash("four"), 526146423);
  EXPECT_EQ(model_io::CatBoostHash("eightchr"), -1658614862);
  EXPECT_EQ(model_io::CatBoostHash("nine char"), -1579513843);
  EXPECT_EQ(model_io::CatBoostHash("sixteen bytes ok"), -1682536392);
  EXPECT_EQ(model_io::CatBoostHash("seventeen bytes!!"), 1706420375);
  EXPECT_EQ(model_io::CatBoostHash("exactly thirty-two bytes, is it?"), -1751700669);
  EXPECT_EQ(model_io::CatBoostHash("42"), 1145636304);
}

TEST(CatBoostJson, TheExampleIsReadAsWorkedOutByHand) {
  auto const model = Parse(Example().dump(2));
  EXPECT_EQ(model.objective, "reg:squarederror");
  EXPECT_EQ(model.base_score, std::vector<float>{7.0F});
  EXPECT_EQ(model.feature_names, (std::vector<std::string>{"size", "colour", "age"}));
  EXPECT_EQ(model.feature_types, (std::vector<std::string>{"q", "c", "q"}));
  EXPECT_EQ(model.categories.names[1].texts, (std::vector<std::string>{"red", "blue"}));
  auto const& tree = model.trees.at(0);
  EXPECT_EQ(LeafValue(tree, {0, 1, 1.5F}), 0.5F);  // a border belongs to the left; values are multiplied by the scale
  EXPECT_EQ(LeafValue(tree, {0, 1, std::nextafter(1.5F, 2.0F)}), 1.0F);
  EXPECT_EQ(LeafValue(tree, {0, 0, 1.5F}), 1.5F);
  EXPECT_EQ(LeafValue(tree, {0, 0, kNone}), 2.0F);
  EXPECT_EQ(LeafValue(tree, {0, 9, kNone}), 1.0F);  // another category is none of the split's
  EXPECT_EQ(tree.sum_hessian, (std::vector<float>{70, 30, 40, 10, 20, 0, 40}));
  EXPECT_EQ(tree.split_feature[0], 1U);  // the last split is at the root
  ExpectRestored(model);
}

TEST(CatBoostJson, NestedTreesAndSeveralOutputsAreRead) {
  auto document = Example();
  document.erase("oblivious_trees");
  document["scale_and_bias"] = {1, {0.5, -1}};
  document["model_info"]["params"] = R"({"loss_function": {"type": "MultiClass"}})";  // older files have texts
  document["trees"] = json::parse(R"([{
    "split": {"split_type": "FloatFeature", "float_feature_index": 0, "border": -2},
    "left": {"value": [1, 2], "weight": 3},
    "right": {"split": {"split_type": "FloatFeature", "float_feature_index": 1, "border": 4},
              "left": {"value": [3, 4], "weight": 5}, "right": {"value": [5, 6], "weight": 7}}}])");
  auto const model = Parse(document.dump());
  EXPECT_EQ(model.objective, "multi:softprob");
  EXPECT_EQ(model.base_score, (std::vector<float>{0.5F, -1.0F}));
  auto const& tree = model.trees.at(0);
  EXPECT_EQ(tree.sum_hessian, (std::vector<float>{15, 3, 12, 5, 7}));
  EXPECT_EQ(tree.LeafValues(1)[1], 2.0F);
  EXPECT_EQ(tree.LeafValues(4)[0], 5.0F);
  document["trees"][0]["left"]["value"] = {1};
  ExpectSays(document, "a leaf in trees[0] with a wrong number of values; expected 2");
  document["trees"][0].erase("left");
  ExpectSays(document, "no 'left' in trees[0]");
}

TEST(CatBoostJson, TheBiasOfALogisticLossIsInTheFirstTree) {
  auto document = Example();
  document["model_info"]["params"]["loss_function"]["type"] = "Logloss";
  auto const model = Parse(document.dump());
  EXPECT_EQ(model.objective, "binary:logistic");
  EXPECT_EQ(model.base_score, std::vector<float>{0.5F});
  EXPECT_EQ(LeafValue(model.trees[0], {0, 1, 1.5F}), 7.5F);
}

TEST(CatBoostJson, CategoriesThatAreWholeNumbersNeedNoNames) {
  auto document = Example();
  document["features_info"]["categorical_features"][0].erase("names");
  ExpectSays(document, "splits column 'colour' on categories whose names the file does not have");
  document["features_info"]["categorical_features"][0]["values"][0] = model_io::CatBoostHash("3");
  document["oblivious_trees"][0]["splits"][1]["value"] = model_io::CatBoostHash("3");
  auto const model = Parse(document.dump());
  EXPECT_EQ(model.categories.names[1].numbers, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(LeafValue(model.trees[0], {0, 3, 1.5F}), 1.5F);
  EXPECT_EQ(LeafValue(model.trees[0], {0, 2, 1.5F}), 0.5F);
}

TEST(CatBoostJson, WhatHasNoCounterpartIsRefusedWithTheReason) {
  ExpectChangeSays("/model_info/params/loss_function/type", "Cox", "CatBoost's loss 'Cox' has no counterpart");
  ExpectChangeSays("/features_info/text_features", json::array({1}), "text_features, which have no counterpart");
  ExpectChangeSays("/scale_and_bias", {1, 0}, "Save the model with CatBoost 1.0 or later");
  ExpectChangeSays("/oblivious_trees", json::array(), "has no trees");
  auto document = Example();
  document["features_info"]["ctrs"] = json::parse(R"([{"elements": [{"cat_feature_index": 0}]}])");
  document["oblivious_trees"][0]["splits"][0]["split_type"] = "OnlineCtr";
  ExpectSays(document, "statistics of the target over the categories (CTR) of 'colour'");
  auto const message = Refusal("CBM1....");
  EXPECT_NE(message.find("CatBoost's binary format. Save it with"), std::string::npos) << message;
}

// A text with 150,000 lists inside each other at the place of `word` in quotes.
std::string Nested(std::string text, std::string const& word, std::string const& quote = "") {
  constexpr std::size_t kLevels = 150000;
  auto const lists = quote + std::string(kLevels, '[') + std::string(kLevels, ']') + quote;
  return text.replace(text.find('"' + word + '"'), word.size() + 2, lists);
}

TEST(CatBoostJson, DeepTextsAreRefusedAtAnyPlace) {
  for (auto const* place :
       {"/model_info/params", "/model_info", "/oblivious_trees/0/splits/0/border", "/oblivious_trees/0/splits/0",
        "/oblivious_trees/0/leaf_values/1", "/oblivious_trees/0", "/scale_and_bias/0", "/scale_and_bias/1/0",
        "/features_info/categorical_features/0/values/0", "/features_info/categorical_features/0/names", "/ctr_data"}) {
    auto document = Example();
    document[json::json_pointer(place)] = "deep";
    auto const message = Refusal(Nested(document.dump(), "deep"));
    EXPECT_NE(message.find("JSON nested deeper than 64 levels"), std::string::npos) << message;
  }
  for (auto const* place : {"/model_info/params", "/model_info/params/loss_function"}) {  // texts within the text
    auto document = Example();
    document[json::json_pointer(place)] = "deep";
    auto const message = Refusal(Nested(document.dump(), "deep", "\""));
    EXPECT_NE(message.find("JSON nested deeper than 64 levels"), std::string::npos) << message;
  }
}

TEST(CatBoostJson, NestedTreesOfTheGreatestDepthOfCatBoostAreRead) {
  constexpr int kDepth = 16;
  auto document = Example();
  document.erase("oblivious_trees");
  document["scale_and_bias"] = {1, {0, 0}};
  json tree = {{"value", {1, 2}}, {"weight", 1}};
  for (int level = 0; level < kDepth; ++level) {
    tree = {{"split", {{"split_type", "FloatFeature"}, {"float_feature_index", 0}, {"border", level}}},
            {"left", {{"value", {level, level}}, {"weight", 1}}},
            {"right", tree}};
  }
  document["trees"] = json::array({tree});
  EXPECT_EQ(Parse(document.dump()).trees.at(0).left.size(), 2U * kDepth + 1);
}

TEST(CatBoostJson, TheNamesThatAreFoundAreBounded) {
  auto document = Example();
  auto& columns = document["features_info"]["categorical_features"];
  columns[0].erase("names");
  columns[0]["values"] = {model_io::CatBoostHash("9999")};
  document["oblivious_trees"][0]["splits"].erase(1);
  document["oblivious_trees"][0]["leaf_values"] = {1, 2};
  document["oblivious_trees"][0]["leaf_weights"] = {1, 2};
  auto const fill = [&](int n_columns) {
    for (int column = static_cast<int>(columns.size()); column < n_columns; ++column) {
      columns.push_back(columns[0]);
      columns.back()["feature_id"] = "more " + std::to_string(column);
      columns.back()["feature_index"] = column;
      columns.back()["flat_feature_index"] = column + 2;
    }
  };
  fill(209);  // 10,000 names each
  EXPECT_EQ(Parse(document.dump()).categories.names.at(210).numbers.size(), 10000U);
  fill(210);
  ExpectSays(document, "the columns of categories up to 'more 209' of a model of CatBoost have 2100000 whole numbers");
  ExpectSays(document, "expected at most 2097152. Load the file in Python with kauriboost.forests.load(file, cat");
}

TEST(CatBoostJson, ALossThatCannotBeReadIsAnErrorAndNoLossIsTheIdentity) {
  auto const says = [](json const& info, std::string const& what) {
    auto document = Example();
    document["model_info"] = info;
    ExpectSays(document, what);
  };
  says({{"params", "not json"}}, R"(the params '"not json"', which is no object and no text of one)");
  says({{"params", 5}}, "the params '5', which is no object and no text of one");
  says({{"params", "null"}}, "the params '\"null\"', which is no object");
  says(json::array(), "the model_info '[]', which is no object");
  says({{"loss_function", "Logloss"}}, R"(the loss_function '"Logloss"', which is no object)");
  says({{"params", {{"loss_function", "Logloss"}}}}, R"(the loss_function '"Logloss"', which is no object)");
  says({{"loss_function", {{"type", 5}}}}, R"(the loss_function '{"type":5}', whose type is no name of a loss)");
  says({{"loss_function", {{"type", ""}}}}, "whose type is no name of a loss");
  says({{"loss_function", json::object()}}, "the loss_function '{}', whose type is no name of a loss");

  auto const objective = [](json const& info) {
    auto document = Example();
    document["model_info"] = info;
    return Parse(document.dump()).objective;
  };
  EXPECT_EQ(objective({{"loss_function", R"({"type": "Logloss"})"}}), "binary:logistic");
  EXPECT_EQ(objective({{"params", {{"loss_function", R"({"type": "Poisson"})"}}}}), "count:poisson");
  for (auto const& info : {json(), json::object(), json{{"params", nullptr}}, json{{"params", json::object()}}}) {
    EXPECT_EQ(objective(info), "reg:squarederror");
  }
  auto document = Example();
  document.erase("model_info");
  EXPECT_EQ(Parse(document.dump()).objective, "reg:squarederror");
}

TEST(CatBoostJson, TheBiasOfALogarithmicLinkIsKeptOnTheScaleOfMargins) {
  for (auto const* loss : {"Poisson", "Tweedie"}) {
    for (double const bias : {-200.0, 0.5, 200.0}) {
      auto document = Example();
      document["model_info"]["params"]["loss_function"]["type"] = loss;
      document["scale_and_bias"][1][0] = bias;
      auto const model = Parse(document.dump());
      EXPECT_EQ(model.base_score, std::vector<float>{1.0F});  // whose logarithm is 0
      EXPECT_EQ(LeafValue(model.trees[0], {0, 1, 1.5F}), static_cast<float>(0.5 + bias));
      ExpectRestored(model);
    }
  }
}

TEST(CatBoostJson, TheGreatestBorderSendsAllNumbersToTheLeft) {
  constexpr auto kGreatest = std::numeric_limits<float>::max();
  auto document = Example();
  document["oblivious_trees"][0]["splits"][0]["border"] = kGreatest;
  auto model = Parse(document.dump());
  for (float const value : {-kGreatest, 0.0F, std::nextafter(kGreatest, 0.0F), kGreatest}) {
    EXPECT_EQ(LeafValue(model.trees[0], {0, 1, value}), 0.5F) << value;
    EXPECT_EQ(LeafValue(model.trees[0], {0, 0, value}), 1.5F) << value;
  }
  EXPECT_EQ(LeafValue(model.trees[0], {0, 1, kNone}), 1.0F);
  EXPECT_EQ(LeafValue(model.trees[0], {0, 0, kNone}), 2.0F);
  ExpectRestored(model);

  document.erase("oblivious_trees");
  document["trees"] = json::parse(R"([{
    "split": {"split_type": "FloatFeature", "float_feature_index": 0, "border": 3.4028234663852886e38},
    "left": {"value": 1, "weight": 3}, "right": {"value": 3, "weight": 7}}])");
  model = Parse(document.dump());
  EXPECT_EQ(LeafValue(model.trees[0], {kGreatest, 0, 0}), 0.5F);
  EXPECT_EQ(LeafValue(model.trees[0], {kNone, 0, 0}), 0.5F);  // the column's missing values go to the left
  document["features_info"]["float_features"][0]["nan_value_treatment"] = "AsTrue";
  model = Parse(document.dump());
  EXPECT_EQ(LeafValue(model.trees[0], {-kGreatest, 0, 0}), 0.5F);
  EXPECT_EQ(LeafValue(model.trees[0], {kNone, 0, 0}), 1.5F);
  EXPECT_EQ(model.trees[0].sum_hessian, (std::vector<float>{10, 3, 7}));
}

TEST(CatBoostJson, DamageIsNamed) {
  auto const tree = std::string("/oblivious_trees/0");
  auto const colour = std::string("/features_info/categorical_features/0");
  ExpectLackSays("", "scale_and_bias", "no 'scale_and_bias' in the file");
  ExpectLackSays(tree, "leaf_values", "no 'leaf_values' in oblivious_trees[0]");
  ExpectLackSays(tree + "/splits/0", "border", "no 'border'");
  ExpectChangeSays(tree + "/leaf_values", {1, 2, 3}, "3 leaf_values and 4 leaf_weights in oblivious_trees[0]");
  ExpectChangeSays(tree + "/leaf_values/2", 1e300, "which is no finite 32-bit number");
  ExpectChangeSays(tree + "/leaf_values/2", "x", "which is no number");
  ExpectChangeSays(tree + "/leaf_weights/1", -1, "expected at least 0");
  ExpectChangeSays(tree + "/splits/0/border", 1e39, "the border 1e+39");
  ExpectChangeSays(tree + "/splits/0/float_feature_index", 2, "expected a whole number from 0 to 1");
  ExpectChangeSays(tree + "/splits/0/split_type", "Other", "expected FloatFeature or OneHotFeature");
  ExpectChangeSays(tree + "/splits/1/value", 5, "a split on the category with the hash 5");
  ExpectChangeSays(colour + "/values/0", 3000000000, "expected a whole number");
  ExpectChangeSays(colour + "/flat_feature_index", 0, "two features with the flat_feature_index 0");
  ExpectChangeSays(colour + "/flat_feature_index", 3, "expected a whole number from 0 to 2");
  ExpectChangeSays(colour + "/names", {"blue"}, "that is none of the 1 given names");
  ExpectChangeSays(colour + "/names", {"red", 1}, "are no list of texts, or of whole numbers");
  ExpectChangeSays(colour + "/names", {"red", std::string(33, 'x')}, "has 33 bytes; expected at most 32");
  ExpectChangeSays("/features_info/float_features/0/feature_index", 1, "two features of a kind");
  ExpectChangeSays("/features_info/float_features/0/nan_value_treatment", "No", "expected AsIs, AsFalse or AsTrue");
}

TEST(CatBoostJson, EveryCutAndEveryChangedByteIsRefusedOrRead) {
  auto const text = Example().dump();
  for (std::size_t length = 20; length < text.size(); ++length) Refusal(text.substr(0, length));
  for (std::size_t place = 20; place < text.size(); ++place) {
    for (char const letter : {'0', '9', '"', ']', '-'}) {
      auto changed = text;
      changed[place] = letter;
      try {
        ExpectRestored(Parse(changed));
      } catch (Error const& error) {
        EXPECT_EQ(error.Kind(), ErrorKind::kModel) << changed;
      }
    }
  }
}

}  // namespace
}  // namespace kauri
