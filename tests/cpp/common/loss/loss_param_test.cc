/// Parameters of losses: lists of numbers and their domains.
#include "common/loss/loss_param.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/text/number_list.h"
#include "kauri/error.h"
#include "kauri/parameter.h"

namespace kauri {
namespace {

TEST(NumberList, Reads) {
  std::vector<std::pair<std::string, std::vector<float>>> const good{{"", {}},
                                                                     {"[]", {}},
                                                                     {"()", {}},
                                                                     {"0.5", {0.5F}},
                                                                     {" 0.5 ", {0.5F}},
                                                                     {"[0.1,0.9]", {0.1F, 0.9F}},
                                                                     {"(0.1, 0.9)", {0.1F, 0.9F}},
                                                                     {" [ 1E-1 , +5e-1,-2 ] ", {0.1F, 0.5F, -2.0F}}};
  for (auto const& [text, numbers] : good) {
    std::vector<float> read{7.0F};
    EXPECT_TRUE(ParseNumbers(text, &read)) << text;
    EXPECT_EQ(read, numbers) << text;
  }
}

TEST(NumberList, Refuses) {
  for (auto const* bad : {"x", "0.1,0.9", "[0.1,0.9", "0.1]", "[0.1,]", "[,]", "[0.1 0.9]", "[nan]", "inf", "[0.1)",
                          "[", "0.5x", "[[0.1]]", "1e99"}) {
    std::vector<float> read;
    EXPECT_FALSE(ParseNumbers(bad, &read)) << bad;
  }
}

TEST(NumberList, WritesWhatItReads) {
  EXPECT_EQ(NumbersText({0.1F, 0.5F, 0.25F}), "[1E-1,5E-1,2.5E-1]");  // the format of XGBoost 3.2.0
  EXPECT_EQ(NumbersText({0.0F, 1.0F}), "[0E0,1E0]");
  EXPECT_EQ(NumbersText({}), "[]");
  std::vector<float> const numbers{1.0F / 3.0F, 1e-30F, -1.17549435e-38F, 3e10F};
  std::vector<float> read;
  EXPECT_TRUE(ParseNumbers(NumbersText(numbers), &read));
  EXPECT_EQ(read, numbers);
}

template <typename Param>
void ExpectError(ParamMap const& map, std::string const& part) {
  try {
    ParseParameters<Param>(map);
    ADD_FAILURE() << "no error: " << part;
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(LossParam, Domains) {
  for (auto const* bad : {"0", "nan", "inf"}) ExpectError<PseudoHuberParam>({{"huber_slope", bad}}, "huber_slope");
  for (auto const* bad : {"1.5", "-0.1", "[0.5,2]"}) {
    ExpectError<QuantileParam>({{"quantile_alpha", bad}}, "quantiles are in [0, 1]");
  }
  ExpectError<QuantileParam>({{"quantile_alpha", "half"}}, "quantile_alpha='half'");
  for (auto const* bad : {"0", "1", "[0.5,0.4]", "[0.5,0.5]"}) {
    ExpectError<ExpectileParam>({{"expectile_alpha", bad}}, "larger than the one before");
  }
  for (auto const* bad : {"0", "-1", "inf"}) {
    ExpectError<AftParam>({{"aft_loss_distribution_scale", bad}}, "aft_loss_distribution_scale");
  }
  ExpectError<AftParam>({{"aft_loss_distribution", "gumbel"}}, "aft_loss_distribution");
  EXPECT_EQ(ParseParameters<AftParam>({{"aft_loss_distribution", "extreme"}}).aft_loss_distribution,
            AftParam::kExtreme);
}

TEST(LossParam, AlphasAreNeeded) {
  for (auto const& map : {ParamMap{}, ParamMap{{"quantile_alpha", "[]"}}}) {
    try {
      ParseParameters<QuantileParam>(map).Alphas("reg:quantileerror");
      ADD_FAILURE() << "no error";
    } catch (Error const& error) {
      EXPECT_NE(std::string(error.what()).find("reg:quantileerror needs"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace kauri
