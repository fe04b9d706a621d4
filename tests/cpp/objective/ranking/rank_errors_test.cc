/// Errors of the ranking objectives about unusable data and parameters.
#include <gtest/gtest.h>

#include <limits>

#include "objective/objective_fixture.h"

namespace kauri {
namespace {

float const kNaN = std::numeric_limits<float>::quiet_NaN();

MetaInfo OneGroup(std::vector<float> labels, std::vector<float> weights = {}) {
  auto info = MakeInfo(std::move(labels), std::move(weights));
  info.group_ptr = {0, info.n_rows};
  return info;
}

void ExpectDataError(std::string const& name, MetaInfo const& info, std::vector<std::string> const& parts,
                     ParamMap const& params = {}) {
  auto const message = MessageOf(ErrorKind::kData, [&] { MakeObjective(name, params)->ValidateInfo(Context(), info); });
  EXPECT_EQ(message.rfind(name, 0), 0U) << message;
  for (auto const& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << " lacks " << part;
}

TEST(RankErrors, GoodDataPasses) {
  EXPECT_NO_THROW(MakeObjective("rank:ndcg")->ValidateInfo(Context(), OneGroup({0.0F, 31.0F, 4.0F})));
  EXPECT_NO_THROW(
      MakeObjective("rank:ndcg", {{"ndcg_exp_gain", "0"}})->ValidateInfo(Context(), OneGroup({0.0F, 1e6F, 0.5F})));
  EXPECT_NO_THROW(MakeObjective("rank:map")->ValidateInfo(Context(), OneGroup({0.0F, 1.0F}, {2.0F})));
  EXPECT_NO_THROW(MakeObjective("rank:pairwise")->ValidateInfo(Context(), OneGroup({-1.5F, 1e30F})));
}

TEST(RankErrors, Groups) {
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    ExpectDataError(name, MakeInfo({0.0F, 1.0F}), {"no query groups", "qid", "group=[2]"});
    auto info = OneGroup({0.0F, 1.0F});
    info.group_ptr = {0, 1};
    ExpectDataError(name, info, {"have 1 rows", "data set 2"});
  }
}

TEST(RankErrors, Weights) {
  ExpectDataError("rank:ndcg", OneGroup({0.0F, 1.0F}, {1.0F, 2.0F}), {"2 weights", "1 query groups"});
  ExpectDataError("rank:ndcg", OneGroup({0.0F, 1.0F}, {0.0F}), {"add up to 0"});
}

TEST(RankErrors, Labels) {
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    ExpectDataError(name, OneGroup({0.0F, kNaN}), {"label nan", "row 1"});
    auto info = OneGroup({});
    info.n_rows = 3;
    info.group_ptr = {0, 3};
    ExpectDataError(name, info, {"no labels", "3 rows"});
    info = MakeInfo({0.0F, 1.0F, 1.0F, 0.0F}, {}, 2);
    info.group_ptr = {0, 2};
    ExpectDataError(name, info, {"2 label columns"});
  }
  ExpectDataError("rank:ndcg", OneGroup({0.0F, 32.0F}), {"label 32", "row 1", "0 to 31", "Set `ndcg_exp_gain`"});
  ExpectDataError("rank:ndcg", OneGroup({0.5F}), {"label 0.5", "row 0", "whole number"});
  ExpectDataError("rank:ndcg", OneGroup({-1.0F}), {"label -1", "0 or more"}, {{"ndcg_exp_gain", "0"}});
  ExpectDataError("rank:map", OneGroup({1.0F, 2.0F}), {"label 2", "row 1", "0 or 1", "rank:ndcg"});
}

TEST(RankErrors, Parameters) {
  std::vector<std::pair<std::string, std::string>> const bad{
      {"lambdarank_pair_method", "all"},        {"lambdarank_num_pair_per_sample", "0"},
      {"lambdarank_num_pair_per_sample", "-1"}, {"lambdarank_bias_norm", "-1"},
      {"lambdarank_bias_norm", "nan"},          {"ndcg_exp_gain", "x"}};
  for (auto const& [name, value] : bad) {
    auto const message = MessageOf(ErrorKind::kParameter, [&, &key = name, &text = value] {
      MakeObjective("rank:ndcg", {{key, text}});
    });
    EXPECT_NE(message.find(name), std::string::npos) << message;
    EXPECT_NE(message.find(value), std::string::npos) << message;
  }
}

TEST(RankErrors, WrongSizesAreInternalErrors) {
  std::vector<GradientPair> out(2);
  auto const message = MessageOf(ErrorKind::kInternal, [&] {
    MakeObjective("rank:ndcg")->ComputeGradients(Context{}, std::vector<float>(3), OneGroup({0.0F, 1.0F}), 0, out);
  });
  EXPECT_NE(message.find("expected 2 margins and gradient pairs, one per label, got 3 margins"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace kauri
