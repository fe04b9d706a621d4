#include <cmath>
#include <limits>

#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using nlohmann::json;
using testing::FixtureBytes;
using testing::FixtureJson;
using testing::Parse;

ModelFormat FormatOf(std::string const& name) { return FormatOfPath(name); }

/// Returns a model of one split with the gain `loss_change`.
Model StumpModel(float loss_change) {
  Model model;
  model.n_features = 2;
  model.trees.resize(1);
  model.trees[0].ExpandNode(0, {1, 0.5F, true, loss_change});
  model.trees[0].SetLeafValue(1, -1.5F);
  model.trees[0].SetLeafValue(2, 2.5F);
  model.output_of_tree = {0};
  model.iteration_ptr = {0, 1};
  return model;
}

class SavedByXgboost : public ::testing::TestWithParam<char const*> {};

TEST_P(SavedByXgboost, IsWrittenBackByteForByte) {
  auto const bytes = FixtureBytes(GetParam());
  EXPECT_TRUE(SerialiseModel(Parse(bytes), FormatOf(GetParam())) == bytes);
}

TEST_P(SavedByXgboost, SurvivesTheOtherFormat) {
  auto const bytes = FixtureBytes(GetParam());
  auto const other = FormatOf(GetParam()) == ModelFormat::kJson ? ModelFormat::kUbjson : ModelFormat::kJson;
  auto const through_other = Parse(SerialiseModel(Parse(bytes), other));
  EXPECT_TRUE(SerialiseModel(through_other, FormatOf(GetParam())) == bytes);
}

std::string NameOf(::testing::TestParamInfo<char const*> const& file) {
  std::string name = file.param;
  name[name.find('.')] = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(ModelIo, SavedByXgboost,
                         ::testing::Values("logistic.json", "softprob.ubj", "poisson.ubj", "dart.json", "dart.ubj",
                                           "categorical.json"),
                         &NameOf);

TEST(ModelIo, ReadsEveryField) {
  auto const model = Parse(FixtureBytes("logistic.json"));
  EXPECT_EQ(model.objective, "binary:logistic");
  EXPECT_EQ(model.objective_param_key, "reg_loss_param");
  EXPECT_EQ(model.objective_params.at("scale_pos_weight"), "1");
  EXPECT_EQ(model.attributes.at("best_iteration"), "2");
  EXPECT_EQ(model.attributes.at("note"), "\xC3\xA9 \"quoted\"\n");
  EXPECT_EQ(model.n_features, 5);
  EXPECT_EQ(model.n_classes, 0);
  EXPECT_TRUE(model.base_score_estimated);
  EXPECT_EQ(model.trees.size(), 3U);
  EXPECT_EQ(model.iteration_ptr, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(model.trees[0].parent[0], kNoNode);
}

TEST(ModelIo, ReadsForestsOfClasses) {
  auto const model = Parse(FixtureBytes("softprob.ubj"));
  EXPECT_EQ(model.NumOutputs(), 3);
  EXPECT_EQ(model.n_parallel_trees, 2);
  EXPECT_EQ(model.base_score.size(), 3U);
  EXPECT_EQ(model.iteration_ptr, (std::vector<std::int64_t>{0, 6, 12}));
  EXPECT_EQ(model.output_of_tree, (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
}

TEST(ModelIo, TreesPredictAsXgboostDoes) {
  auto const model = Parse(FixtureBytes("categorical.json"));
  auto const expected = FixtureJson("categorical.margins");
  auto const& rows = expected.at("rows");
  ASSERT_EQ(rows.size(), 120U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<float> row;
    for (auto const& cell : rows[i]) row.push_back(cell.is_null() ? std::nanf("") : cell.get<float>());
    auto margin = model.base_score[0];
    for (auto const& tree : model.trees) margin += testing::LeafValue(tree, row);
    EXPECT_FLOAT_EQ(margin, expected.at("margins")[i].get<float>()) << "row " << i;
  }
}

TEST(ModelIo, KeysAscendEverywhere) {
  auto const bytes = SerialiseModel(Parse(FixtureBytes("dart.json")), ModelFormat::kJson);
  EXPECT_EQ(bytes.find(' '), std::string::npos);
  auto const ordered = nlohmann::ordered_json::parse(bytes);
  EXPECT_EQ(ordered.dump(), json::parse(bytes).dump());
}

TEST(ModelIo, RepeatsASingleBaseScorePerClass) {
  auto model = Parse(FixtureBytes("softprob.ubj"));
  model.base_score = {0.25F};
  auto const document = json::parse(SerialiseModel(model, ModelFormat::kJson));
  EXPECT_EQ(document.at(testing::kLearnerParam).at("base_score"), "[2.5E-1,2.5E-1,2.5E-1]");
}

TEST(ModelIo, TextOfAnyBytesSurvives) {
  auto model = StumpModel(1.0F);
  std::string all;
  for (int byte = 0; byte < 128; ++byte) all += static_cast<char>(byte);
  model.attributes = {{"", all}, {"\xF0\x9F\x8C\xB2 \"key\\", "NaN Infinity \\\" \xE2\x82\xAC"}};
  for (auto const format : {ModelFormat::kJson, ModelFormat::kUbjson}) {
    EXPECT_EQ(Parse(SerialiseModel(model, format)).attributes, model.attributes);
  }
}

TEST(ModelIo, BytesThatAreNotUtf8AreReplacedInJson) {
  auto model = StumpModel(1.0F);
  model.attributes = {{"note", "a\xFF\xC3(\xED\xA0\x80z"}};
  auto const through_json = Parse(SerialiseModel(model, ModelFormat::kJson));
  auto const replacement = std::string("\xEF\xBF\xBD");
  EXPECT_EQ(through_json.attributes.at("note"),
            "a" + replacement + replacement + "(" + replacement + replacement + replacement + "z");
  EXPECT_EQ(Parse(SerialiseModel(model, ModelFormat::kUbjson)).attributes, model.attributes);
}

TEST(ModelIo, FloatsComeBackBitForBit) {
  using Limits = std::numeric_limits<float>;
  for (auto const value : {0.0F, -0.0F, 1.0F, 1e10F, 1.0F / 3.0F, Limits::max(), Limits::min(), Limits::denorm_min(),
                           -Limits::denorm_min(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    for (auto const format : {ModelFormat::kJson, ModelFormat::kUbjson}) {
      auto const read = Parse(SerialiseModel(StumpModel(value), format)).trees[0].loss_change[0];
      EXPECT_EQ(std::signbit(read), std::signbit(value));
      EXPECT_TRUE(read == value || (std::isnan(read) && std::isnan(value))) << value << " became " << read;
    }
  }
}

TEST(ModelIo, FloatsAreShortest) {
  auto const text = [](float value) {
    auto const bytes = SerialiseModel(StumpModel(value), ModelFormat::kJson);
    auto const begin = bytes.find("\"loss_changes\":[") + 16;
    return bytes.substr(begin, bytes.find(',', begin) - begin);
  };
  EXPECT_EQ(text(0.0F), "0E0");
  EXPECT_EQ(text(-0.0F), "-0E0");
  EXPECT_EQ(text(0.5F), "5E-1");
  EXPECT_EQ(text(1.0F / 3.0F), "3.3333334E-1");
  EXPECT_EQ(text(123456789.0F), "1.2345679E8");
  EXPECT_EQ(text(1e10F), "1E10");
  EXPECT_EQ(text(1e-45F), "1E-45");
  EXPECT_EQ(text(100.0F), "1E2");
  EXPECT_EQ(text(-1.17549435e-38F), "-1.1754944E-38");
}

TEST(ModelIo, FormatFollowsTheExtension) {
  EXPECT_EQ(FormatOfPath("a.b/model.json"), ModelFormat::kJson);
  EXPECT_EQ(FormatOfPath("model.ubj"), ModelFormat::kUbjson);
  try {
    FormatOfPath("model.bin");
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
    EXPECT_NE(std::string(error.what()).find("model.bin"), std::string::npos);
  }
}

TEST(Model, RangesOfIterationsBecomeRangesOfTrees) {
  auto const model = Parse(FixtureBytes("softprob.ubj"));
  EXPECT_EQ(model.TreesOf({0, 0}).end, 12);
  EXPECT_EQ(model.TreesOf({1, 2}).begin, 6);
  EXPECT_EQ(model.TreesOf({0, 1}).end, 6);
  for (auto const range : {IterationRange{2, 1}, IterationRange{-1, 1}, IterationRange{0, 3}}) {
    EXPECT_THROW(model.TreesOf(range), Error);
  }
}

}  // namespace
}  // namespace kauri
