#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "booster/model_io/dump.h"
#include "booster/model_io/model_fixture.h"
#include "support/error.h"

namespace kauri {
namespace {

using testing::FixtureBytes;
using testing::FixtureJson;
using testing::FixturePath;
using testing::Parse;

/// A file with `text` that lives as long as the object.
class TextFile {
 public:
  explicit TextFile(std::string const& text)
      : path_(::testing::TempDir() + "kauri_feature_map_" + std::to_string(getpid()) + ".txt") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  std::string const& Path() const { return path_; }

 private:
  std::string path_;
};

bool Contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Removes gain and cover. XGBoost's graph has them for splits on categories even without statistics.
std::string WithoutStatistics(std::string const& graph) {
  return std::regex_replace(graph, std::regex("\n(gain|cover)=[^\n\"]*"), "");
}

TEST(ModelDump, EveryFormatIsXgboostsLetterByLetter) {
  auto const model = Parse(FixtureBytes("categorical.json"));
  auto const map = ReadFeatureMap(FixturePath("categorical.fmap"));
  auto const expected = FixtureJson("categorical.dumps");
  ASSERT_EQ(expected.size(), 8U);
  for (auto const& dump : expected) {
    auto const format = dump.at("format").get<std::string>();
    auto const with_stats = dump.at("stats").get<bool>();
    auto const trees = DumpModel(model, map, with_stats, format);
    auto theirs = dump.at("trees").get<std::vector<std::string>>();
    if (!with_stats) std::transform(theirs.begin(), theirs.end(), theirs.begin(), WithoutStatistics);
    EXPECT_EQ(trees, theirs) << format;
  }
}

TEST(ModelDump, DumpWithoutMapNumbersTheFeatures) {
  Model model;
  model.n_features = 3;
  model.trees.resize(2);
  model.trees[0].ExpandNode(0, {2, 3.75F, false, 43.2F});
  model.trees[0].SetLeafValue(1, -0.0F);
  model.trees[0].SetLeafValue(2, 0.1F);
  model.trees[1].SetLeafValue(0, 1e10F);
  auto const text = DumpModel(model, {}, false, "text");
  EXPECT_EQ(text[0], "0:[f2<3.75] yes=1,no=2,missing=2\n\t1:leaf=-0\n\t2:leaf=0.100000001\n");
  EXPECT_EQ(text[1], "0:leaf=1e+10\n");
  EXPECT_EQ(DumpModel(model, {}, false, "json")[1], "  { \"nodeid\": 0, \"leaf\": 1e+10 }");
}

TEST(ModelDump, NoFormatShowsStatisticsUnasked) {
  auto const model = Parse(FixtureBytes("categorical.json"));
  auto const map = ReadFeatureMap(FixturePath("categorical.fmap"));
  for (auto const* format : {"text", "json", "dot", "dot:{\"graph_attrs\":{\"rankdir\":\"LR\"}}"}) {
    for (auto const& tree : DumpModel(model, map, false, format)) {
      EXPECT_FALSE(Contains(tree, "gain") || Contains(tree, "cover")) << tree;
    }
    auto const trees = DumpModel(model, map, true, format);
    EXPECT_TRUE(Contains(trees[0], "gain") && Contains(trees[0], "cover")) << format;
  }
}

/// Returns names with every byte, consecutive quotes and backslashes, and invalid UTF-8.
std::vector<std::string> StrangeNames() {
  std::vector<std::string> names{"tab\tand\nline\r",         "\"\\\"",      "\\", "\\n", "\xFF\xC3",
                                 "gr\xC3\xBCn \xE2\x86\x92", "\xED\xA0\x80"};
  for (int byte = 0; byte < 256; ++byte) names.push_back({'a', static_cast<char>(byte), 'b'});
  return names;
}

Model OneSplitOnTheLast(std::size_t n_features) {
  Model model;
  model.n_features = static_cast<std::int64_t>(n_features);
  model.trees.resize(1);
  model.trees[0].ExpandNode(0, {static_cast<std::uint32_t>(n_features - 1), 0.5F, false, 1.0F});
  return model;
}

/// Returns the name as JSON readers see it: invalid UTF-8 is replaced.
std::string AsUtf8(std::string const& name) {
  auto const quoted = nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(quoted).get<std::string>();
}

TEST(ModelDump, AnyNameIsValidInEveryFormat) {
  auto const model = OneSplitOnTheLast(2);
  for (auto const& name : StrangeNames()) {
    FeatureMap const map{{"first", name}, {}};
    auto const json = nlohmann::json::parse(DumpModel(model, map, true, "json")[0], nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << name;
    auto const text = DumpModel(model, map, false, "text")[0];
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
    auto const graph = DumpModel(model, map, false, "dot")[0];
    for (auto const& dump : {text, graph}) {
      EXPECT_NO_THROW(nlohmann::json(dump).dump()) << "no UTF-8";
      auto const is_control = [](char letter) { return static_cast<unsigned char>(letter) < 0x20; };
      auto const lines_and_tabs =
          std::count_if(dump.begin(), dump.end(), [](char c) { return c == '\n' || c == '\t'; });
      EXPECT_EQ(std::count_if(dump.begin(), dump.end(), is_control), lines_and_tabs) << dump;
    }
    EXPECT_EQ(json.at("split"), AsUtf8(name));
  }
}

TEST(ModelDump, NamesInGraphs) {
  auto const model = OneSplitOnTheLast(1);
  auto const label = [&](std::string const& name) {
    auto const graph = DumpModel(model, {{name}, {}}, false, "dot")[0];
    auto const begin = graph.find("label=\"") + 7;
    return graph.substr(begin, graph.find("<0.5", begin) - begin);
  };
  EXPECT_EQ(label("plain"), "plain");
  EXPECT_EQ(label("a\"b\\c"), R"(a\"b\\c)");
  EXPECT_EQ(label("a\nb\tc"), R"(a\\nb\\tc)");
  EXPECT_EQ(label("a\\nb"), R"(a\\nb)");
  EXPECT_EQ(label("\x01"), R"(\\u0001)");
  EXPECT_EQ(label("\\\"\\"), R"(\\\"\\)");
}

TEST(ModelDump, IntegerThresholdsAreRoundedUp) {
  auto const threshold = [](float value) {
    Model model;
    model.n_features = 1;
    model.trees.resize(1);
    model.trees[0].ExpandNode(0, {0, value, false, 1.0F});
    auto const line = DumpModel(model, {{"n"}, {"int"}}, false, "text")[0];
    return line.substr(4, line.find(']') - 4);
  };
  EXPECT_EQ(threshold(0.5F), "<1");
  EXPECT_EQ(threshold(-2.0F), "<-2");
  EXPECT_EQ(threshold(-2.5F), "<-2");
  EXPECT_EQ(threshold(2.5F), "<3");
  EXPECT_EQ(threshold(-0.5F), "<0");
  EXPECT_EQ(threshold(3e10F), "<30000001024");
}

TEST(ModelDump, DeepTreesNeedNoStack) {
  Model model;
  model.n_features = 1;
  model.trees.resize(1);
  for (int depth = 0; depth < 3000; ++depth) model.trees[0].ExpandNode(2 * depth, {0, 1.0F, false, 1.0F});
  for (auto const* format : {"text", "json", "dot"}) EXPECT_EQ(DumpModel(model, {}, true, format).size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(DumpModel(model, {}, true, "json")[0], nullptr, false).is_discarded(), false);
}

TEST(ModelDump, OptionsAndMapsThatDoNotFitAreRefused) {
  auto const model = Parse(FixtureBytes("categorical.json"));
  auto const refusal = [&](FeatureMap const& map, std::string const& format) {
    return MessageOf(ErrorKind::kParameter, [&] { DumpModel(model, map, false, format); });
  };
  EXPECT_TRUE(Contains(refusal({}, "xml"), "unknown dump format 'xml'"));
  EXPECT_TRUE(Contains(refusal({}, "dot:[]"), "expected a JSON object"));
  EXPECT_TRUE(Contains(refusal({}, R"(dot:{"edge":{"yes_color":1}})"), "expected a JSON object"));
  EXPECT_TRUE(
      Contains(refusal({{"a"}, {"q"}}, "text"), "has 1 names, but the model has 5 features; list each feature once"));
  EXPECT_TRUE(Contains(refusal({{"a", "b", "c", "d", "e"}, {"q"}}, "text"), "has 1 types"));
  EXPECT_TRUE(Contains(refusal({{}, {"q", "q", "q", "z", "q"}}, "text"), "unknown feature type 'z'"));
  EXPECT_TRUE(Contains(refusal({{}, {"q", "q", "q", "q", "q"}}, "text"), "'f3' is numerical"));
  EXPECT_TRUE(Contains(refusal({{}, {"c", "q", "q", "c", "q"}}, "text"), "'f0' is categorical"));
}

TEST(ModelDump, NamesOfCategories) {
  auto model = Parse(FixtureBytes("categorical.json"));
  std::int32_t split = 0;
  auto const& tree = model.trees[0];
  while (split < tree.NumNodes() && tree.is_categorical[split] == 0) ++split;
  ASSERT_LT(split, tree.NumNodes());
  auto const feature = tree.split_feature[split];
  model.categories.names.resize(static_cast<std::size_t>(model.n_features));
  std::string in_text;
  std::string in_json;
  for (auto const category : tree.CategoriesOf(split)) {
    auto& texts = model.categories.names[feature].texts;
    while (texts.size() <= static_cast<std::size_t>(category)) texts.push_back("n\"" + std::to_string(texts.size()));
    in_text += (in_text.empty() ? "" : ",") + ("n\\\"" + std::to_string(category));
    in_json += (in_json.empty() ? "" : ", ") + ("\"n\\\"" + std::to_string(category) + "\"");
  }
  auto const named = [&](std::string const& format) {
    return DumpModel(model, {}, false, format + R"(:{"labels": {"categories": "names"}})")[0];
  };
  EXPECT_TRUE(Contains(named("text"), ":{" + in_text + "}]")) << named("text");
  EXPECT_TRUE(Contains(named("json"), "\"split_condition\": [" + in_json + "]")) << named("json");
  EXPECT_FALSE(nlohmann::json::parse(named("json"), nullptr, false).is_discarded());
  EXPECT_TRUE(Contains(named("dot"), ":{" + in_text + "}\"")) << named("dot");
  auto const numbers = R"(text:{"labels": {"categories": "numbers"}})";
  EXPECT_EQ(DumpModel(model, {}, false, numbers), DumpModel(model, {}, false, "text"));
  EXPECT_FALSE(Contains(DumpModel(model, {}, false, "text")[0], in_text));
  auto const refused = [&] { DumpModel(model, {}, false, R"(text:{"labels": {"categories": "short"}})"); };
  EXPECT_TRUE(Contains(MessageOf(ErrorKind::kParameter, refused), "'short'; expected names or numbers"));
  model.categories.names[feature] = {};
  model.categories.names[feature].numbers = {70, 71};  // other numbers have no name
  EXPECT_FALSE(Contains(named("text"), "n\\\""));
}

TEST(FeatureMapFile, LinesOfIndexNameAndType) {
  TextFile const file("0 age q\n1\tsex   i\r\n\n2 group c\n");
  auto const map = ReadFeatureMap(file.Path());
  EXPECT_EQ(map.names, (std::vector<std::string>{"age", "sex", "group"}));
  EXPECT_EQ(map.types, (std::vector<std::string>{"q", "i", "c"}));
}

TEST(FeatureMapFile, ErrorsNameTheLine) {
  auto const refusal = [](std::string const& text) {
    TextFile const file(text);
    return MessageOf(ErrorKind::kData, [&] { ReadFeatureMap(file.Path()); });
  };
  EXPECT_TRUE(Contains(refusal("0 age q\n2 sex i\n"), "line 2: has the index '2'; expected 1"));
  EXPECT_TRUE(Contains(refusal("0 age q\nx sex i\n"), "has the index 'x'"));
  EXPECT_TRUE(Contains(refusal("0 age\n"), "line 1: has '0 age'"));
  EXPECT_TRUE(Contains(refusal("0 age\r\n"), "line 1: has '0 age'"));
  EXPECT_TRUE(Contains(refusal("0 my age q\n"), "expected an index, a name and a type"));
  EXPECT_TRUE(Contains(refusal("0 age number\n"), "unknown feature type 'number'"));
  EXPECT_TRUE(Contains(MessageOf(ErrorKind::kIo, [] { ReadFeatureMap("/nowhere/map.txt"); }), "/nowhere/map.txt"));
}

TEST(FeatureImportance, ScoresAreXgboosts) {
  auto const model = Parse(FixtureBytes("categorical.json"));
  auto const all = FixtureJson("categorical.scores");
  EXPECT_EQ(all.size(), 5U);
  for (auto const& [importance, expected] : all.items()) {
    auto const scores = FeatureScore(model, importance);
    EXPECT_EQ(scores.size(), expected.size());
    for (auto const& [feature, score] : scores) {
      auto const& name = model.feature_names[feature];
      EXPECT_FLOAT_EQ(static_cast<float>(score), expected.at(name).get<float>()) << importance << " of " << name;
    }
  }
}

TEST(FeatureImportance, NoSplitsNoScores) {
  Model model;
  model.trees.resize(1);
  EXPECT_TRUE(FeatureScore(model, "gain").empty());
  EXPECT_TRUE(Contains(MessageOf(ErrorKind::kParameter, [&] { FeatureScore(model, "foo"); }), "type 'foo'"));
}

}  // namespace
}  // namespace kauri
