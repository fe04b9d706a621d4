#include "kauri/parameter.h"

#include <gtest/gtest.h>

#include "kauri/error.h"

namespace kauri {
namespace {

struct DemoParam : public dmlc::Parameter<DemoParam> {
  float rate;
  int depth;
  float share;
  double tiny;
  DMLC_DECLARE_PARAMETER(DemoParam) {
    DMLC_DECLARE_FIELD(rate).set_default(0.5F).set_range(0.0F, 1.0F).describe("A share.");
    DMLC_DECLARE_FIELD(depth).set_default(6).set_range(0, 32).describe("A depth.");
    DMLC_DECLARE_FIELD(share).set_default(0.3F).describe("Another share.");
    DMLC_DECLARE_FIELD(tiny).set_default(1e-7).describe("A number.");
    DMLC_DECLARE_ALIAS(rate, learning_rate);
  }
  void Validate() const {}
};
DMLC_REGISTER_PARAMETER(DemoParam);

std::string MessageFor(ParamMap const& map) {
  try {
    ParseParameters<DemoParam>(map);
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
    return error.what();
  }
  return "no error";
}

TEST(Parameter, DefaultsAliasesAndUnknownKeys) {
  auto const param = ParseParameters<DemoParam>({{"learning_rate", "0.25"}, {"not_ours", "7"}});
  EXPECT_EQ(param.rate, 0.25F);
  EXPECT_EQ(param.depth, 6);
}

TEST(Parameter, ErrorsNameKeyValueAndBounds) {
  for (auto const* bad : {"1.5", "-0.1", "nan", "NaN", "abc", "0.5x", ""}) {
    auto const message = MessageFor({{"rate", bad}});
    EXPECT_NE(message.find(std::string("rate='") + bad + "'"), std::string::npos) << message;
    EXPECT_NE(message.find("[0, 1]"), std::string::npos) << message;
  }
  for (auto const* bad : {"33", "-1", "1.5", "99999999999999999999"}) {
    EXPECT_NE(MessageFor({{"depth", bad}}).find(bad), std::string::npos) << bad;
  }
}

TEST(Parameter, DescriptionComesFromTheDeclaration) {
  auto const table = DescribeParameters<DemoParam>();
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table[0].name, "rate");
  EXPECT_EQ(table[0].type, "float");
  EXPECT_EQ(table[0].default_value, "0.5");
  EXPECT_EQ(table[0].bounds, "[0, 1]");
  EXPECT_EQ(table[0].description, "A share.");
  EXPECT_EQ(table[1].bounds, "[0, 32]");
}

TEST(Parameter, DefaultsAreShownAsPeopleWriteThem) {
  auto const table = DescribeParameters<DemoParam>();
  EXPECT_EQ(table[2].default_value, "0.3");  // dmlc writes 0.300000012
  EXPECT_EQ(table[3].default_value, "1e-07");
}

TEST(Parameter, NearestName) {
  std::vector<std::string> const names{"max_depth", "eta", "colsample_bytree", "reg_lambda"};
  EXPECT_EQ(NearestName("max_dept", names), "max_depth");
  EXPECT_EQ(NearestName("colsample_by_tree", names), "colsample_bytree");
  EXPECT_EQ(NearestName("reg_lamda", names), "reg_lambda");
  EXPECT_EQ(NearestName("something_else_entirely", names), "");
  EXPECT_EQ(NearestName("teta", names), "eta");
  EXPECT_EQ(NearestName("ETA", names), "eta");
}

TEST(Parameter, NearestNameCountsSwappedLettersOnce) {
  EXPECT_EQ(NearestName("ndgc", {"map", "ndcg"}), "ndcg");
  EXPECT_EQ(NearestName("atup", {"auct"}), "");
}

TEST(Parameter, NearestNameIsNoOtherWord) {
  for (auto const* other : {"f1", "l1", "g2", "ks", ""}) EXPECT_EQ(NearestName(other, {"r2", "map"}), "") << other;
  EXPECT_EQ(NearestName("gain", {"map", "pre", "auc"}), "");
}

}  // namespace
}  // namespace kauri
