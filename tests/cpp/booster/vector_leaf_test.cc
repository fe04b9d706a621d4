/// Trees with vector leaves, in the formats of XGBoost 2.x and 3.2, and row counts: read, written, damaged.
#include <functional>
#include <limits>

#include "booster/model_io/dump.h"
#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using nlohmann::json;
using testing::ExpectRefused;
using testing::FixtureBytes;
using testing::FixtureJson;
using testing::kGbtree;
using testing::kTree0;
using testing::Parse;

/// Returns the leaf of `row`, by the definition in kauri/tree.h.
std::int32_t LeafOf(Tree const& tree, std::vector<float> const& row) {
  std::int32_t node = 0;
  while (!tree.IsLeaf(node)) {
    auto const index = static_cast<std::size_t>(node);
    auto const value = row[tree.split_feature[index]];
    auto const left = value != value ? tree.default_left[index] != 0 : value < tree.split_value[index];
    node = left ? tree.left[index] : tree.right[index];
  }
  return node;
}

std::vector<float> FloatsOf(json const& cells) {
  std::vector<float> row;
  for (auto const& cell : cells) {
    row.push_back(cell.is_null() ? std::numeric_limits<float>::quiet_NaN() : cell.get<float>());
  }
  return row;
}

class VectorFixture : public ::testing::TestWithParam<char const*> {};

TEST_P(VectorFixture, PredictsAsXgboost) {
  auto const model = Parse(FixtureBytes(std::string(GetParam()) + ".json"));
  auto const facts = FixtureJson(std::string(GetParam()) + ".facts");
  ASSERT_EQ(model.NumOutputs(), 4);
  ASSERT_EQ(model.trees.size(), 4U);
  EXPECT_EQ(model.iteration_ptr, (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_TRUE(model.HasVectorLeaves());
  for (std::size_t i = 0; i < facts["rows"].size(); ++i) {
    auto const row = FloatsOf(facts["rows"][i]);
    auto margins = model.base_score;
    margins.resize(4, model.base_score[0]);
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
      auto const leaf = LeafOf(model.trees[t], row);
      EXPECT_EQ(leaf, facts["leaves"][i][t].get<int>());
      auto const values = model.trees[t].LeafValues(leaf);
      ASSERT_EQ(values.size(), 4U);
      for (std::size_t k = 0; k < 4; ++k) margins[k] += values[k];
    }
    for (std::size_t k = 0; k < 4; ++k) EXPECT_FLOAT_EQ(margins[k], facts["margins"][i][k].get<float>());
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, VectorFixture, ::testing::Values("vector", "vector_2.1"),
                         [](auto const& instance) { return std::string(instance.index == 0 ? "Since32" : "Of21"); });

TEST(VectorLeaf, FilesAreWrittenAsXgboostWritesThem) {
  auto const bytes = FixtureBytes("vector.json");
  auto const model = Parse(bytes);
  EXPECT_EQ(SerialiseModel(model, ModelFormat::kJson), bytes);
  auto const binary = SerialiseModel(model, ModelFormat::kUbjson);
  EXPECT_EQ(SerialiseModel(Parse(binary), ModelFormat::kJson), bytes);
}

TEST(VectorLeaf, TheOlderLayoutIsWrittenInTheNewOne) {
  auto const older = Parse(FixtureBytes("vector_2.1.json"));
  auto const bytes = SerialiseModel(older, ModelFormat::kJson);
  auto const newer = Parse(bytes);
  EXPECT_EQ(json::parse(bytes)[kTree0].count("leaf_weights"), 1U);
  for (std::size_t t = 0; t < older.trees.size(); ++t) {
    EXPECT_EQ(newer.trees[t].leaf_vector, older.trees[t].leaf_vector);
    EXPECT_EQ(newer.trees[t].base_weight, older.trees[t].base_weight);
  }
}

TEST(VectorLeaf, DumpsAndScoresAreXgboosts) {
  auto const model = Parse(FixtureBytes("vector.json"));
  auto const facts = FixtureJson("vector.facts");
  for (auto const* format : {"text", "dot"}) {
    EXPECT_EQ(DumpModel(model, {}, false, format), facts[format].get<std::vector<std::string>>());
  }
  for (auto const& [importance, expected] : facts["scores"].items()) {
    auto const scores = FeatureScore(model, importance);
    EXPECT_EQ(scores.size(), expected.size());
    for (auto const& [feature, score] : scores) {
      EXPECT_FLOAT_EQ(static_cast<float>(score), expected["f" + std::to_string(feature)].get<float>()) << importance;
    }
  }
}

TEST(VectorLeaf, JsonDumpsHoldAllNumbers) {
  auto const model = Parse(FixtureBytes("vector.json"));
  auto node = json::parse(DumpModel(model, {}, true, "json")[0]);
  while (node.count("children") != 0) node = json(node["children"][0]);
  auto const values = model.trees[0].LeafValues(node["nodeid"].get<int>());
  ASSERT_EQ(node["leaf"].size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(node["leaf"][k].get<float>(), values[k]);
}

TEST(VectorLeaf, ScoresOfTheOlderLayoutAreCountsOnly) {
  auto const model = Parse(FixtureBytes("vector_2.1.json"));
  EXPECT_FALSE(FeatureScore(model, "weight").empty());
  EXPECT_THROW(FeatureScore(model, "gain"), Error);
}

TEST(VectorLeaf, WithoutIterationsTheyAreCounted) {
  auto document = FixtureJson("vector.json");
  document[kGbtree].erase("iteration_indptr");
  EXPECT_EQ(Parse(document.dump()).iteration_ptr, (std::vector<std::int64_t>{0, 2, 4}));
}

TEST(VectorLeaf, DeletedNodesAreLeftOut) {
  auto document = FixtureJson("vector.json");
  auto& tree = document[kTree0];
  auto const n_nodes = tree["left_children"].size();
  for (auto const* key : {"left_children", "right_children", "parents", "split_indices", "split_conditions",
                          "default_left", "split_type", "loss_changes", "sum_hessian"}) {
    tree[key].push_back(key == std::string("left_children") ? -1 : 0);
  }
  for (int k = 0; k < 4; ++k) tree["base_weights"].push_back(0.0);
  tree["tree_param"]["num_nodes"] = std::to_string(n_nodes + 1);
  tree["tree_param"]["num_deleted"] = "1";
  auto const kept = Parse(document.dump()).trees[0];
  auto const whole = Parse(FixtureBytes("vector.json")).trees[0];
  EXPECT_EQ(kept.leaf_vector.size(), whole.leaf_vector.size());
  EXPECT_EQ(kept.base_weight.size(), whole.base_weight.size());
  auto const row = std::vector<float>{0.5F, -1.0F, 1.0F, 0.25F};
  auto const values = kept.LeafValues(LeafOf(kept, row));
  auto const expected = whole.LeafValues(LeafOf(whole, row));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(values[k], expected[k]);
}

struct Damage {
  char const* name;
  std::function<void(json&)> change;
  char const* place;
  char const* what;
};

class DamagedVectors : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedVectors, AreRefused) {
  auto document = FixtureJson("vector.json");
  GetParam().change(document[kTree0]);
  ExpectRefused(document, std::string("trees[0]") + GetParam().place, GetParam().what);
}

std::size_t LastLeaf(json const& tree) { return tree["left_children"].size() - 1; }

std::vector<Damage> Damages() {
  return {
      Damage{"OtherSize", [](json& t) { t["tree_param"]["size_leaf_vector"] = "3"; }, ".tree_param.size_leaf_vector",
             "expected 1 or 4"},
      Damage{"Scalar", [](json& t) { t["tree_param"]["size_leaf_vector"] = "1"; }, ".base_weights", "elements"},
      Damage{"RowTooLarge", [](json& t) { t["right_children"][LastLeaf(t)] = 999; }, ".right_children", "holds 999"},
      Damage{"RowNegative", [](json& t) { t["right_children"][LastLeaf(t)] = -1; }, ".right_children", "holds -1"},
      Damage{"RowTwice", [](json& t) { t["right_children"][LastLeaf(t)] = 0; }, ".right_children", "of its own"},
      Damage{"TooFewRows",
             [](json& t) {
               t["leaf_weights"] = {1.0, 2.0, 3.0, 4.0};
             },
             ".leaf_weights", "1 rows"},
      Damage{"HalfARow", [](json& t) { t["leaf_weights"].push_back(1.0); }, ".leaf_weights", "a row of 4 per leaf"},
      Damage{"NoRows", [](json& t) { t["leaf_weights"] = json::array(); }, ".leaf_weights", "has 0 elements"},
      Damage{"Infinite", [](json& t) { t["leaf_weights"][0] = nullptr; }, "", "it must be finite"},
      Damage{"BaseWeightsHalf", [](json& t) { t["base_weights"].push_back(1.0); }, ".base_weights", "elements"},
      Damage{"BaseWeightsNone", [](json& t) { t["base_weights"] = json::array(); }, ".base_weights", "has 0"},
      Damage{"BaseWeightsWide",
             [](json& t) {
               auto const once = t["base_weights"];
               for (int i = 0; i < 2; ++i) t["base_weights"].insert(t["base_weights"].end(), once.begin(), once.end());
             },
             ".base_weights", "elements"},
      Damage{"NeitherLayout",
             [](json& t) {
               t.erase("leaf_weights");
               t["base_weights"] = json(t["left_children"].size(), 1.0);
             },
             "", ""},
      Damage{"ShortCovers", [](json& t) { t["sum_hessian"].erase(0); }, ".sum_hessian", "the number of nodes"},
      Damage{"CountsShort", [](json& t) { t["kauri_row_counts"] = {1}; }, ".kauri_row_counts", "has 1 elements"},
      Damage{"CountsFraction", [](json& t) { t["kauri_row_counts"] = json(t["left_children"].size(), 0.5); },
             ".kauri_row_counts", "integers"},
      Damage{"CountsNegative", [](json& t) { t["kauri_row_counts"] = json(t["left_children"].size(), -1); }, "",
             "counts must not be negative"}};
}

INSTANTIATE_TEST_SUITE_P(VectorLeaf, DamagedVectors, ::testing::ValuesIn(Damages()),
                         [](auto const& instance) { return std::string(instance.param.name); });

TEST(VectorLeaf, EveryBitFlipIsRefusedOrRead) {
  for (auto const* name : {"vector.json", "vector_2.1.json"}) {
    auto model = Parse(FixtureBytes(name));
    model.trees.resize(1);
    model.output_of_tree.resize(1);
    model.iteration_ptr = {0, 1};
    model.trees[0].row_count.assign(model.trees[0].left.size(), 7);
    auto bytes = SerialiseModel(model, ModelFormat::kUbjson);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        auto const flip = static_cast<char>(1U << bit);
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
        try {
          for (auto const& tree : Parse(bytes).trees) tree.Validate(model.n_features);
        } catch (Error const& error) {
          EXPECT_EQ(error.Kind(), ErrorKind::kModel);
        }
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
      }
    }
  }
}

TEST(RowCounts, AreKeptByBothFormats) {
  for (auto const* name : {"logistic.json", "vector.json", "pruned.json"}) {
    auto model = Parse(FixtureBytes(name));
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
      for (std::size_t node = 0; node < model.trees[t].left.size(); ++node) {
        model.trees[t].row_count.push_back((std::int64_t{1} << 40) + static_cast<std::int64_t>(10 * t + node));
      }
    }
    for (auto const format : {ModelFormat::kJson, ModelFormat::kUbjson}) {
      auto const back = Parse(SerialiseModel(model, format));
      for (std::size_t t = 0; t < model.trees.size(); ++t) {
        EXPECT_EQ(back.trees[t].row_count, model.trees[t].row_count);
      }
    }
  }
}

TEST(RowCounts, FollowNodesThatAreRenumbered) {
  auto document = FixtureJson("pruned.json");  // has deleted nodes
  auto const n_nodes = document[kTree0]["left_children"].size();
  for (std::size_t node = 0; node < n_nodes; ++node) {
    document[kTree0]["kauri_row_counts"].push_back(node);
    document[kTree0]["base_weights"][node] = node;
  }
  auto const tree = Parse(document.dump()).trees[0];
  ASSERT_LT(tree.left.size(), n_nodes);
  for (std::size_t node = 0; node < tree.left.size(); ++node) {
    EXPECT_EQ(static_cast<float>(tree.row_count[node]), tree.base_weight[node]);
  }
}

}  // namespace
}  // namespace kauri
