/// Model state that XGBoost's files cannot represent: written as attributes, and read from there and from older files.
#include <functional>

#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using nlohmann::json;
using testing::ExpectRefused;
using testing::FixtureBytes;
using testing::FixtureJson;
using testing::kGbtree;
using testing::Parse;

constexpr char const* kSeen = "kauri_cats_seen";
constexpr char const* kRowCounts = "kauri_row_counts";
auto const kAttributes = json::json_pointer("/learner/attributes");

/// Returns a model with all state that is stored in attributes.
Model KnowingModel(std::string const& name = "categorical.json") {
  auto model = Parse(FixtureBytes(name));
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    for (std::size_t node = 0; node < model.trees[t].left.size(); ++node) {
      model.trees[t].row_count.push_back((std::int64_t{1} << 40) + static_cast<std::int64_t>(10 * t + node));
    }
  }
  model.categories.seen.assign(model.n_features, {});
  model.categories.seen[0] = {0, 2, 5};
  model.categories.unseen = UnseenCategory::kMissing;
  return model;
}

json Written(Model const& model) { return json::parse(SerialiseModel(model, ModelFormat::kJson)); }

TEST(ModelAttributes, HoldWhatXGBoostHasNoMembersFor) {
  auto const document = Written(KnowingModel());
  EXPECT_TRUE(document[kAttributes].contains(kSeen));
  EXPECT_TRUE(document[kAttributes].contains(kRowCounts));
  EXPECT_FALSE(document[kGbtree].contains("cats_seen"));
  for (auto const& tree : document[kGbtree]["trees"]) EXPECT_FALSE(tree.contains("kauri_row_counts"));
}

TEST(ModelAttributes, ComeBackFromBothFormatsAndAreNoneOfTheUsers) {
  for (auto const* name : {"categorical.json", "logistic.json", "vector.json", "pruned.json"}) {
    auto model = KnowingModel(name);
    model.attributes["mine"] = "1";
    for (auto const format : {ModelFormat::kJson, ModelFormat::kUbjson}) {
      auto const back = Parse(SerialiseModel(model, format));
      EXPECT_EQ(back.attributes, model.attributes);
      EXPECT_EQ(back.categories.seen, model.categories.seen);
      EXPECT_EQ(back.categories.unseen, UnseenCategory::kMissing);
      for (std::size_t t = 0; t < model.trees.size(); ++t) {
        EXPECT_EQ(back.trees[t].row_count, model.trees[t].row_count);
      }
    }
  }
}

TEST(ModelAttributes, AreNotThereWhereThereIsNothingToSay) {
  for (auto const* name : {"categorical.json", "logistic.json", "vector.json", "gblinear.json"}) {
    auto const document = Written(Parse(FixtureBytes(name)));
    EXPECT_EQ(document[kAttributes], FixtureJson(name)[kAttributes]) << name;
  }
}

TEST(ModelAttributes, OlderFilesHaveMembersInstead) {
  auto const model = KnowingModel();
  auto document = Written(model);
  auto const seen = json::parse(document[kAttributes][kSeen].get<std::string>());
  auto const counts = json::parse(document[kAttributes][kRowCounts].get<std::string>());
  document[kAttributes] = json::object();
  document[kGbtree]["cats_seen"] = seen["seen"];
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    document[kGbtree]["trees"][t]["kauri_row_counts"] = counts["counts"][t];
  }
  EXPECT_EQ(SerialiseModel(Parse(document.dump()), ModelFormat::kUbjson), SerialiseModel(model, ModelFormat::kUbjson));
}

/// Simulates changes by another library that keeps the attributes.
TEST(ModelAttributes, AreDroppedWhereTheTreesAreOthers) {
  auto const model = KnowingModel();
  ASSERT_GE(model.trees.size(), 2U);
  auto document = Written(model);
  auto& trees = document[kGbtree]["trees"];
  std::swap(trees[0], trees[1]);
  trees[0]["id"] = 0;
  trees[1]["id"] = 1;
  auto const swapped = Parse(document.dump());
  EXPECT_TRUE(swapped.trees[0].row_count.empty());
  EXPECT_TRUE(swapped.trees[1].row_count.empty());
  EXPECT_TRUE(swapped.categories.seen.empty());
  EXPECT_EQ(swapped.categories.unseen, UnseenCategory::kMissing);  // the user's choice stays
  EXPECT_TRUE(swapped.attributes.empty());

  auto more = model;
  more.trees.push_back(more.trees[0]);
  more.trees.back().row_count.clear();
  more.output_of_tree.push_back(0);
  more.iteration_ptr.push_back(static_cast<std::int64_t>(more.trees.size()));
  auto grown = Written(more);
  grown[kAttributes] = Written(model)[kAttributes];
  auto const read = Parse(grown.dump());
  EXPECT_EQ(read.trees[0].row_count, model.trees[0].row_count);
  EXPECT_TRUE(read.trees.back().row_count.empty());
  EXPECT_TRUE(read.categories.seen.empty());
}

TEST(ModelAttributes, LeavesMayBeRefreshed) {
  auto document = Written(KnowingModel());
  for (auto& tree : document[kGbtree]["trees"]) {
    for (std::size_t node = 0; node < tree["left_children"].size(); ++node) {
      if (tree["left_children"][node] == -1) tree["split_conditions"][node] = 0.25;
    }
  }
  auto const read = Parse(document.dump());
  EXPECT_FALSE(read.trees[0].row_count.empty());
  EXPECT_FALSE(read.categories.seen.empty());
}

struct Damage {
  char const* name;
  char const* attribute;
  std::function<void(json&)> make;
  char const* message;
};

class DamagedAttributes : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedAttributes, AreRefused) {
  auto document = Written(KnowingModel());
  auto& text = document[kAttributes][GetParam().attribute];
  auto value = json::parse(text.get<std::string>());
  GetParam().make(value);
  text = value.dump();
  ExpectRefused(document, std::string("the attribute '") + GetParam().attribute + "' is damaged", GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    ModelAttributes, DamagedAttributes,
    ::testing::Values(
        Damage{"NoObject", kSeen, [](json& value) { value = 7; }, "expected an object"},
        Damage{"NoSeen", kSeen, [](json& value) { value.erase("seen"); }, "'seen' is missing"},
        Damage{"SeenOfOtherKind", kSeen, [](json& value) { value["seen"] = "all"; }, "expected an object"},
        Damage{"Segments", kSeen,
               [](json& value) {
                 value["seen"]["feature_segments"] = {0, 99};
               },
               "does not ascend"},
        Damage{"ManySegments", kSeen,
               [](json& value) {
                 auto segments = json(std::vector<int>(1000, 0));
                 segments.push_back(3);
                 value["seen"]["feature_segments"] = segments;
               },
               "features"},
        Damage{"NegativeCategory", kSeen, [](json& value) { value["seen"]["values"][0] = -1; }, "do not ascend"},
        Damage{"HugeCategory", kSeen, [](json& value) { value["seen"]["values"][2] = 1 << 24; }, "do not ascend"},
        Damage{"Policy", kSeen, [](json& value) { value["seen"]["unseen_category"] = "drop"; }, "is 'drop'"},
        Damage{"NoChecksum", kSeen, [](json& value) { value.erase("trees"); }, "'trees' is missing"},
        Damage{"NegativeChecksum", kSeen, [](json& value) { value["trees"] = -1; }, "from 0 to 4294967295"},
        Damage{"CountsNoList", kRowCounts, [](json& value) { value["counts"] = "many"; }, "expected an array"},
        Damage{"CountsOfNumbers", kRowCounts,
               [](json& value) {
                 value["counts"] = {1, 2};
               },
               "expected an array"},
        Damage{"CountsOfTexts", kRowCounts, [](json& value) { value["counts"][0] = "7"; }, "array of integers"},
        Damage{"CountsOfFractions", kRowCounts, [](json& value) { value["counts"][0] = {0.5}; }, "array of integers"},
        Damage{"ShortCounts", kRowCounts,
               [](json& value) {
                 value["counts"][0] = {1, 2};
               },
               "expected none, or"},
        Damage{"NegativeCounts", kRowCounts, [](json& value) { value["counts"][0][0] = -3; }, "of 0 or more"},
        Damage{"OtherLength", kRowCounts, [](json& value) { value["trees"].erase(0); }, "one per tree"}),
    [](auto const& instance) { return std::string(instance.param.name); });

TEST(ModelAttributes, TextsThatAreNoJson) {
  for (auto const* name : {kSeen, kRowCounts}) {
    for (auto const& text : {std::string(), std::string("yes"), std::string("{"), std::string(100000, '['),
                             std::string("{\"seen\": 1, \"seen\": 2}"), std::string("\0", 1)}) {
      auto document = FixtureJson("logistic.json");
      document[kAttributes][name] = text;
      ExpectRefused(document, name, "is damaged");
    }
  }
}

TEST(ModelAttributes, EveryChangedByteIsRefusedOrRead) {
  auto const model = KnowingModel();
  auto const document = Written(model);
  for (auto const* name : {kSeen, kRowCounts}) {
    auto const text = document[kAttributes][name].get<std::string>();
    for (std::size_t i = 0; i < text.size(); i += 1 + text.size() / 200) {
      for (auto const byte : {'0', '9', '-', ',', '"', '}', '\x01'}) {
        auto changed = document;
        auto other = text;
        other[i] = byte;
        changed[kAttributes][name] = other;
        try {
          for (auto const& tree : Parse(changed.dump()).trees) tree.Validate(model.n_features);
        } catch (Error const& error) {
          EXPECT_EQ(error.Kind(), ErrorKind::kModel);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kauri
