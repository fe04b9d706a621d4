/// \file Parsing of constraints, and the features allowed at each node, worked by hand.
#include "tree/constraints/constraints.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "kauri/error.h"
#include "tree/exact/exact_builder.h"
#include "tree/hist/hist_builder.h"

namespace kauri {
namespace {

using Features = std::vector<std::uint32_t>;

TreeParam ParamWith(std::string const& monotone, std::string const& interaction) {
  TreeParam param;
  param.Init(std::map<std::string, std::string>());
  param.monotone_constraints = monotone;
  param.interaction_constraints = interaction;
  return param;
}

std::vector<int> SignsIn(std::string const& text) {
  auto const rules = ParseConstraints(ParamWith(text, ""));
  return {rules.signs.begin(), rules.signs.end()};
}

std::vector<Features> SetsIn(std::string const& text) { return ParseConstraints(ParamWith("()", text)).feature_sets; }

TEST(Constraints, MonotoneForms) {
  std::vector<int> const signs{1, -1, 0};
  for (auto const* text : {"(1,-1,0)", " ( 1 , -1,\t0 ) ", "(+1,-1,0)", "[1,-1,0]", "[1, -1, 0]", "(1,-1,0,)"}) {
    EXPECT_EQ(SignsIn(text), signs) << text;
  }
  EXPECT_EQ(SignsIn("(1,)"), std::vector<int>{1});
  for (auto const* text : {"()", "[]", "", "  ", "( )"}) EXPECT_TRUE(SignsIn(text).empty()) << text;
  EXPECT_TRUE(ParseConstraints(ParamWith("(0)", "")).HasMonotone());
  EXPECT_FALSE(ParseConstraints(ParamWith("()", "")).HasMonotone());
}

TEST(Constraints, InteractionForms) {
  EXPECT_EQ(SetsIn("[[0,1],[2,3]]"), (std::vector<Features>{{0, 1}, {2, 3}}));
  EXPECT_EQ(SetsIn(" [ [ 3, 0, 3 ] ,[ ] ] "), (std::vector<Features>{{0, 3}, {}}));
  EXPECT_EQ(SetsIn("[[4294967294]]"), (std::vector<Features>{{4294967294U}}));
  EXPECT_TRUE(ParseConstraints(ParamWith("()", "[]")).limits_features);
  EXPECT_FALSE(ParseConstraints(ParamWith("()", "")).limits_features);
}

/// Expects that the message contains the parameter, its text and the expected form.
void ExpectRefused(std::string const& monotone, std::string const& interaction, std::string const& what) {
  auto const param = ParamWith(monotone, interaction);
  auto const name =
      interaction.empty() ? "monotone_constraints='" + monotone : "interaction_constraints='" + interaction;
  try {
    ParseConstraints(param);
    ADD_FAILURE() << name;
  } catch (Error const& error) {
    std::string const message = error.what();
    EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
    EXPECT_NE(message.find(name + "'"), std::string::npos) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message;
  }
  EXPECT_THROW(ExactBuilder{param}, Error);
  EXPECT_THROW(HistBuilder{param}, Error);
}

TEST(Constraints, TextsThatAreNone) {
  auto const* const syntax = "cannot be read from character";
  for (auto const* text :
       {"1", "1,-1", "(1,-1", "(1,-1]", "[1)", "(a)", "(1.5)", "(1 1)", "(,)", "(1)x", "(-)", "(true)", "{\"f0\":1}"}) {
    ExpectRefused(text, "", syntax);
  }
  for (auto const* text : {"(2)", "(0,-2)", "(99999999999999999999999999)"}) {
    ExpectRefused(text, "", "expected values from -1 to 1");
  }
  for (auto const* text :
       {"abc", "[0,1]", "[[0,1]", "[[0,1],]x", "[[0.5]]", "[[\"a\"]]", "[[0],[1]]]", "([0])", "[[0 1]]"}) {
    ExpectRefused("()", text, syntax);
  }
  for (auto const* text : {"[[-1]]", "[[4294967295]]", "[[0],[18446744073709551616]]"}) {
    ExpectRefused("()", text, "expected values from 0 to 4294967294");
  }
}

TEST(Constraints, MoreSignsThanFeatures) {
  auto const rules = ParseConstraints(ParamWith("(0,0,1)", ""));
  EXPECT_NO_THROW(TreeConstraints(rules, 3));
  try {
    TreeConstraints const constraints(rules, 2);
    ADD_FAILURE();
  } catch (Error const& error) {
    EXPECT_STREQ(
        error.what(),
        "monotone_constraints has 3 values, the data have 2 features; give at most one value for each feature.");
  }
}

TEST(Constraints, SetsOfFeaturesThatAreNotThere) {
  auto const rules = ParseConstraints(ParamWith("()", "[[0,1],[],[1,7,2],[1]]"));
  EXPECT_NO_THROW(TreeConstraints(rules, 8));
  try {
    TreeConstraints const constraints(rules, 7);
    ADD_FAILURE();
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
    EXPECT_STREQ(error.what(),
                 "interaction_constraints names feature 7, but the data have 7 features, numbered from 0; correct its "
                 "number, or drop it.");
  }
}

/// Splits a leaf and sets the weights of its children.
void Expand(std::int32_t node, std::uint32_t feature, float left, float right, Tree* tree,
            TreeConstraints* constraints) {
  Tree::Split split;
  split.feature = feature;
  tree->ExpandNode(node, split);
  tree->SetNodeStatistics(tree->NumNodes() - 2, left, 1.0F);
  tree->SetNodeStatistics(tree->NumNodes() - 1, right, 1.0F);
  constraints->AddSplit(*tree, node);
}

void ExpectBounds(TreeConstraints const& constraints, std::int32_t node, double lower, double upper) {
  EXPECT_EQ(constraints.BoundsOf(node).lower, lower) << node;
  EXPECT_EQ(constraints.BoundsOf(node).upper, upper) << node;
}

TEST(Constraints, BoundsAreTheMiddlesOfTheWeights) {
  constexpr auto kInf = std::numeric_limits<double>::infinity();
  auto const rules = ParseConstraints(ParamWith("(1,-1)", ""));
  TreeConstraints constraints(rules, 3);
  EXPECT_EQ(constraints.Signs().size(), 3U);
  EXPECT_EQ(constraints.SignOf(1), -1);
  EXPECT_EQ(constraints.SignOf(2), 0);
  Tree tree;
  ExpectBounds(constraints, 0, -kInf, kInf);
  Expand(0, 0, -1.0F, 3.0F, &tree, &constraints);
  ExpectBounds(constraints, 1, -kInf, 1.0);
  ExpectBounds(constraints, 2, 1.0, kInf);
  Expand(2, 1, 4.0F, 2.0F, &tree, &constraints);
  ExpectBounds(constraints, 3, 3.0, kInf);
  ExpectBounds(constraints, 4, 1.0, 3.0);
  Expand(4, 2, 1.5F, 2.5F, &tree, &constraints);
  ExpectBounds(constraints, 5, 1.0, 3.0);
  ExpectBounds(constraints, 6, 1.0, 3.0);
}

TEST(Constraints, PathsLimitTheFeatures) {
  auto const rules = ParseConstraints(ParamWith("()", "[[0,1,2],[1,3],[4,3]]"));
  TreeConstraints constraints(rules, 6);
  Features const all{0, 1, 2, 3, 4, 5};
  Tree tree;
  EXPECT_EQ(constraints.AllowedOf(0, all), all);  // the root may also use features of no set
  Expand(0, 1, 0.0F, 0.0F, &tree, &constraints);
  EXPECT_EQ(constraints.AllowedOf(1, all), (Features{0, 1, 2, 3}));
  EXPECT_EQ(constraints.AllowedOf(2, {2, 3, 5}), (Features{2, 3}));
  Expand(1, 3, 0.0F, 0.0F, &tree, &constraints);
  EXPECT_EQ(constraints.AllowedOf(3, all), (Features{1, 3}));
  Expand(2, 0, 0.0F, 0.0F, &tree, &constraints);
  EXPECT_EQ(constraints.AllowedOf(6, all), (Features{0, 1, 2}));
  Expand(6, 0, 0.0F, 0.0F, &tree, &constraints);
  EXPECT_EQ(constraints.AllowedOf(7, all), (Features{0, 1, 2}));
}

TEST(Constraints, AFeatureOfNoSetStaysAlone) {
  auto const rules = ParseConstraints(ParamWith("()", "[[0,1]]"));
  TreeConstraints constraints(rules, 3);
  Tree tree;
  Expand(0, 2, 0.0F, 0.0F, &tree, &constraints);
  EXPECT_EQ(constraints.AllowedOf(1, {0, 1, 2}), Features{2});
}

TEST(Constraints, NoneLeaveEverything) {
  ConstraintRules const none;
  TreeConstraints constraints(none, 2);
  Tree tree;
  Expand(0, 1, 2.0F, 1.0F, &tree, &constraints);
  EXPECT_TRUE(constraints.Signs().empty());
  EXPECT_FALSE(constraints.LimitsFeatures());
  EXPECT_EQ(constraints.AllowedOf(2, {0, 1}), (Features{0, 1}));
  EXPECT_LT(constraints.BoundsOf(1).lower, -1e300);
}

}  // namespace
}  // namespace kauri
