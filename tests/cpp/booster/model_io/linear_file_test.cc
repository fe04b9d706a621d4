/// Linear models in files: XGBoost's files round-trip; damaged files are either refused or read, and never crash.
#include <cmath>

#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using nlohmann::json;
using testing::ExpectRefused;
using testing::FixtureBytes;
using testing::FixtureJson;
using testing::Parse;

auto const kPart = json::json_pointer("/learner/gradient_booster/model");

TEST(LinearFile, XgboostsAreWrittenBackByteForByte) {
  auto const text = FixtureBytes("gblinear.json");
  auto const binary = FixtureBytes("gblinear.ubj");
  EXPECT_EQ(SerialiseModel(Parse(text), ModelFormat::kJson), text);
  EXPECT_EQ(SerialiseModel(Parse(text), ModelFormat::kUbjson), binary);
  EXPECT_EQ(SerialiseModel(Parse(binary), ModelFormat::kJson), text);
}

TEST(LinearFile, EveryFieldIsRead) {
  auto const model = Parse(FixtureBytes("gblinear.json"));
  EXPECT_EQ(model.booster, "gblinear");
  EXPECT_EQ(model.NumOutputs(), 3);
  EXPECT_EQ(model.NumIterations(), 2);
  EXPECT_EQ(model.linear.weights, FixtureJson("gblinear.json").at(kPart)["weights"].get<std::vector<float>>());
  ASSERT_EQ(model.linear.weights.size(), 18U);
}

TEST(LinearFile, FilesWithoutACountOfRoundsHaveOne) {
  auto document = FixtureJson("gblinear.json");
  document[kPart].erase("boosted_rounds");
  EXPECT_EQ(Parse(document.dump()).NumIterations(), 1);
}

TEST(LinearFile, AnUntrainedModelHasNoRounds) {
  auto document = FixtureJson("gblinear.json");
  document[kPart] = {{"weights", std::vector<float>(18, 0.0F)}, {"boosted_rounds", 0}};
  auto const model = Parse(document.dump());
  EXPECT_FALSE(model.IsLinear());
  EXPECT_EQ(model.NumIterations(), 0);
  auto const again = json::parse(SerialiseModel(model, ModelFormat::kJson));
  EXPECT_EQ(again.at(kPart), document.at(kPart));
}

TEST(LinearFile, DamagedPartsAreNamed) {
  auto const change = [](std::string const& key, json const& value) {
    auto document = FixtureJson("gblinear.json");
    document[kPart][key] = value;
    return document;
  };
  std::string const place = "learner.gradient_booster.model.";
  ExpectRefused(change("weights", std::vector<float>(17, 0.5F)), place + "weights", "17 numbers; expected 18");
  ExpectRefused(change("weights", "1"), place + "weights", "");
  ExpectRefused(change("boosted_rounds", -1), place + "boosted_rounds", "-1");
  auto text = change("boosted_rounds", 2).dump();
  auto const begin = text.find("\"weights\":[") + 11;
  text.replace(begin, text.find(',', begin) - begin, "NaN");
  EXPECT_NE(testing::Refusal(text).find("finite"), std::string::npos);
  auto missing = FixtureJson("gblinear.json");
  missing[kPart].erase("weights");
  ExpectRefused(missing, place + "weights", "");
  missing["learner"]["gradient_booster"].erase("model");
  ExpectRefused(missing, "learner.gradient_booster.model", "");
}

TEST(LinearFile, EveryTruncationAndBitFlipIsRefusedOrRead) {
  for (auto const* name : {"gblinear.json", "gblinear.ubj"}) {
    auto bytes = FixtureBytes(name);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      std::vector<char> const exact(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THROW(ParseModel({exact.data(), exact.size()}), Error) << name << " cut at " << size;
    }
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      auto const flip = static_cast<char>(1U << bit % 8);
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
      try {
        auto const model = Parse(bytes);
        auto const n_weights = static_cast<std::size_t>((model.n_features + 1) * model.NumOutputs());
        EXPECT_TRUE(!model.IsLinear() || model.linear.weights.size() == n_weights);
      } catch (Error const& error) {
        EXPECT_EQ(error.Kind(), ErrorKind::kModel);
      }
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
    }
  }
}

}  // namespace
}  // namespace kauri
