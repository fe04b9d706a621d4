/// Damaged and hostile files: each is either refused with an Error or read, without other effects (run under
/// sanitizers).
#include <functional>

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
using testing::Refusal;

TEST(ModelHostile, EveryTruncationIsRefused) {
  for (auto const* name : {"logistic.json", "poisson.ubj", "categorical.json", "dart.ubj"}) {
    auto const bytes = FixtureBytes(name);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      std::vector<char> const exact(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THROW(ParseModel({exact.data(), exact.size()}), Error) << name << " cut at " << size;
    }
  }
}

TEST(ModelHostile, EveryBitFlipIsRefusedOrRead) {
  auto const names = {"poisson.ubj", "logistic.json"};
  for (auto const* name : names) {
    auto bytes = FixtureBytes(name);
    int n_refused = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        auto const flip = static_cast<char>(1U << bit);
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
        try {
          auto const model = Parse(bytes);
          for (auto const& tree : model.trees) tree.Validate(model.n_features);
        } catch (Error const& error) {
          EXPECT_EQ(error.Kind(), ErrorKind::kModel);
          ++n_refused;
        }
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
      }
    }
    EXPECT_GT(n_refused, static_cast<int>(bytes.size())) << name;
  }
}

TEST(ModelHostile, BytesAfterTheEndAreRefused) {
  EXPECT_NE(Refusal(FixtureBytes("poisson.ubj") + "}").find("1 bytes after its end"), std::string::npos);
  EXPECT_NE(Refusal(FixtureBytes("logistic.json") + "}"), "");
  EXPECT_NO_THROW(Parse("\n " + FixtureBytes("logistic.json") + " \n"));
}

TEST(ModelHostile, DeepNestingIsRefused) {
  std::string deep = "{\"learner\":";
  for (int i = 0; i < 1000000; ++i) deep += '[';
  EXPECT_NE(Refusal(deep).find("nested deeper than 64"), std::string::npos);
  std::string deep_binary =
      "{i\x01"
      "a";
  for (int i = 0; i < 1000000; ++i) deep_binary += '[';
  EXPECT_NE(Refusal(deep_binary).find("nested deeper than 64"), std::string::npos);
}

TEST(ModelHostile, HugeLengthsAreRefusedBeforeMemoryIsTaken) {
  std::string const length = "L\x7f\xff\xff\xff\xff\xff\xff\xff";
  std::string const key =
      "{i\x01"
      "a";
  for (auto const* start : {"[$d#", "[$U#", "[$L#", "[#", "S"}) {
    EXPECT_NE(Refusal(key + start + length + "xx").find("declares the length 9223372036854775807"), std::string::npos);
  }
  EXPECT_NE(Refusal(key + "[$l#L" + std::string("\x80\0\0\0\0\0\0\0", 8)).find("declares the length -92"),
            std::string::npos);
  EXPECT_NE(Refusal("{" + length), "");
}

TEST(ModelHostile, UnknownMarkersAreRefused) {
  std::string const key =
      "{i\x01"
      "a";
  EXPECT_NE(Refusal(key + "x").find("unknown marker 'x' (120)"), std::string::npos);
  EXPECT_NE(Refusal(key + "[$x#i\x01").find("unknown marker 'x'"), std::string::npos);
  EXPECT_NE(Refusal(key + "[$d\x01").find("typed array without a length"), std::string::npos);
  EXPECT_NE(Refusal(key + "[#x").find("where a length is due"), std::string::npos);
}

TEST(ModelHostile, KeysTwiceAndMixedArraysAreRefused) {
  EXPECT_NE(Refusal(R"({"a":1,"b":2,"a":3})").find("'a' appears twice"), std::string::npos);
  EXPECT_NE(Refusal(R"({"a":[1,"x"]})").find("mixes numbers"), std::string::npos);
  EXPECT_NE(Refusal(R"({"a":["x",1.5]})").find("mixes numbers"), std::string::npos);
  EXPECT_NE(Refusal(R"({"a":[18446744073709551610]})").find("below 2^63"), std::string::npos);
}

TEST(ModelHostile, OtherDocumentsAreRefused) {
  for (auto const* text : {"{}", "{\"learner\":1}", "[]", "\"x\"", "1", "", " ", "{", "{ ", "{\"", "\xEF\xBB\xBF{}"})
    Refusal(text);
  EXPECT_NE(Refusal("{}").find("'learner' is missing"), std::string::npos);
  EXPECT_NE(Refusal("{\"learner\":1}").find("'learner' is an integer; expected an object"), std::string::npos);
}

TEST(ModelHostile, WhatIsRequiredIsNamedWhenMissing) {
  for (auto const* key :
       {"/learner/learner_model_param/base_score", "/learner/learner_model_param/num_feature",
        "/learner/learner_model_param/num_class", "/learner/objective/name", "/learner/gradient_booster/name",
        "/learner/gradient_booster/model/tree_info", "/learner/gradient_booster/model/trees"}) {
    auto document = FixtureJson("logistic.json");
    json::json_pointer const pointer(key);
    document[pointer.parent_pointer()].erase(pointer.back());
    ExpectRefused(document, pointer.back(), "is missing");
  }
}

/// A change to tree 0 of logistic.json (nodes 0 1 2 | 3 4 5 6 | ...) and the expected part of the refusal.
struct Damage {
  char const* name;
  std::function<void(json&)> change;
  char const* place;
  char const* what;
};

std::string NameOf(::testing::TestParamInfo<Damage> const& info) { return info.param.name; }

class DamagedTree : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedTree, IsRefused) {
  auto document = FixtureJson("logistic.json");
  GetParam().change(document[kTree0]);
  ExpectRefused(document, std::string("learner.gradient_booster.model.trees[0]") + GetParam().place, GetParam().what);
}

std::vector<Damage> TreeDamages() {
  return {
      Damage{"CycleToRoot", [](json& t) { t["left_children"][1] = 0; }, ".left_children", "holds 0 for node 1"},
      Damage{"CycleToSelf", [](json& t) { t["left_children"][1] = 1; }, ".left_children", "node 1 a second time"},
      Damage{"SharedChild", [](json& t) { t["right_children"][1] = t["left_children"][1]; }, ".right_children",
             "a second time"},
      Damage{"ChildOutOfRange", [](json& t) { t["right_children"][0] = 999; }, ".right_children",
             "holds 999 for node 0"},
      Damage{"ChildNegative", [](json& t) { t["right_children"][0] = -7; }, ".right_children", "holds -7"},
      Damage{"OneChild", [](json& t) { t["left_children"][0] = -1; }, ".left_children", "holds -1 for node 0"},
      Damage{"Unreachable", [](json& t) { t["left_children"][0] = t["right_children"][0] = -1; },
             ".tree_param.num_deleted", "cannot be reached"},
      Damage{"ChildTooLarge", [](json& t) { t["left_children"][0] = 1LL << 40; }, ".left_children",
             "expected integers from"},
      Damage{"ChildFraction", [](json& t) { t["left_children"][0] = 1.5; }, ".left_children",
             "expected an array of integers"},
      Damage{"ShortArray", [](json& t) { t["sum_hessian"].erase(0); }, ".sum_hessian", "the number of nodes"},
      Damage{"LongArray", [](json& t) { t["default_left"].push_back(0); }, ".default_left", "the number of nodes"},
      Damage{"MissingArray", [](json& t) { t.erase("split_indices"); }, ".split_indices", "is missing"},
      Damage{"FlagOfTwo", [](json& t) { t["default_left"][0] = 2; }, ".default_left", "holds 2 at index 0"},
      Damage{"FeatureOutOfRange", [](json& t) { t["split_indices"][0] = 5; }, "", "5"},
      Damage{"FeatureNegative", [](json& t) { t["split_indices"][0] = -1; }, "", ""},
      Damage{"ThresholdNaN", [](json& t) { t["split_conditions"][0] = nullptr; }, "", ""},
      Damage{"LeafNaN", [](json& t) { t["split_conditions"].back() = nullptr; }, "", ""},
      Damage{"OtherId", [](json& t) { t["id"] = 1; }, ".id", "is 1"},
      Damage{"NoNodes", [](json& t) { t["tree_param"]["num_nodes"] = "0"; }, ".tree_param.num_nodes", "is 0"},
      Damage{"NodesNoNumber", [](json& t) { t["tree_param"]["num_nodes"] = "3x"; }, ".tree_param.num_nodes", "'3x'"},
      Damage{"CategoricalWithoutCategories", [](json& t) { t["split_type"][0] = 1; }, ".split_type", "no categories"}};
}

INSTANTIATE_TEST_SUITE_P(ModelHostile, DamagedTree, ::testing::ValuesIn(TreeDamages()), &NameOf);

class DamagedCategories : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedCategories, AreRefused) {
  auto document = FixtureJson("categorical.json");
  GetParam().change(document[kTree0]);
  ExpectRefused(document, std::string("trees[0]") + GetParam().place, GetParam().what);
}

std::vector<Damage> CategoryDamages() {
  return {
      Damage{"NodeOutOfRange", [](json& t) { t["categories_nodes"][0] = 999; }, ".categories_nodes", "holds 999"},
      Damage{"NodeNumerical",
             [](json& t) {
               t["split_type"] = json(t["split_type"].size(), 0);
               t["split_type"].back() = 1;
             },
             ".categories_nodes", "no categorical split"},
      Damage{"NodeTwice", [](json& t) { t["categories_nodes"][1] = t["categories_nodes"][0]; }, ".categories_nodes",
             "twice"},
      Damage{"SizeTooLarge", [](json& t) { t["categories_sizes"][0] = 1000; }, ".categories_sizes", "1000 categories"},
      Damage{"SizeZero", [](json& t) { t["categories_sizes"][0] = 0; }, ".categories_sizes", "0 categories"},
      Damage{"BeginNegative", [](json& t) { t["categories_segments"][0] = -1; }, ".categories_sizes", "from -1"},
      Damage{"BeginTooLarge", [](json& t) { t["categories_segments"][0] = 1LL << 62; }, ".categories_sizes", "from 46"},
      Damage{"LengthsDiffer", [](json& t) { t["categories_segments"].erase(0); }, ".categories_segments",
             "differ in length"},
      Damage{"CategoryNegative", [](json& t) { t["categories"][0] = -1; }, ".categories", "holds -1"},
      Damage{"CategoryTooLarge", [](json& t) { t["categories"][0] = 1 << 24; }, ".categories", "holds 16777216"}};
}

INSTANTIATE_TEST_SUITE_P(ModelHostile, DamagedCategories, ::testing::ValuesIn(CategoryDamages()), &NameOf);

TEST(ModelHostile, ListsThatDisagreeAreRefused) {
  auto const change = [](json::json_pointer const& where, char const* key, json const& value) {
    auto document = FixtureJson("logistic.json");
    document[where][key] = value;
    return document;
  };
  ExpectRefused(change(kGbtree, "tree_info", {0, 0}), "model.tree_info", "has 2 elements for 3 trees");
  ExpectRefused(change(kGbtree, "tree_info", {0, 1, 0}), "model.tree_info", "holds 1 at index 1");
  ExpectRefused(change(kGbtree, "tree_info", {0, -1, 0}), "model.tree_info", "holds -1 at index 1");
  ExpectRefused(change(kGbtree, "iteration_indptr", {0, 2}), "model.iteration_indptr", "does not ascend from 0 to 3");
  ExpectRefused(change(kGbtree, "iteration_indptr", {0, 2, 1, 3}), "model.iteration_indptr", "does not ascend");
  ExpectRefused(change(kGbtree, "iteration_indptr", {1, 3}), "model.iteration_indptr", "does not ascend");
  ExpectRefused(change(kGbtree, "gbtree_model_param", {{"num_trees", "4"}}), "gbtree_model_param.num_trees",
                "is not 3");
  ExpectRefused(change(kLearnerParam, "num_class", "99999999"), "learner_model_param.num_class", "is 99999999");
  ExpectRefused(change(kLearnerParam, "num_feature", "-1"), "learner_model_param.num_feature", "is -1");
}

}  // namespace
}  // namespace kauri
