#include "engine/output_gradients.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "common/compress_table.h"
#include "common/fixed_point.h"
#include "kauri/error.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

std::vector<GradientPair> MakePairs(std::int64_t n_rows, std::int64_t n_outputs) {
  testing::Random random(11);
  std::vector<GradientPair> pairs;
  for (std::int64_t i = 0; i < n_rows * n_outputs; ++i) {
    auto const scale = static_cast<float>(1 + i % n_outputs);  // the units differ
    auto const vanishes = random.Below(4) == 0;
    pairs.push_back({scale * scale * random.Normal(), vanishes ? 1e-16F : scale * random.Normal() * random.Normal()});
  }
  return pairs;
}

void ExpectAsOneByOne(Context const& ctx, std::vector<GradientPair> const& pairs, std::int64_t n_outputs,
                      Span<std::uint8_t const> sampled, std::int64_t output, OutputGradients* gradients) {
  FixedGradients expected;
  QuantiseGradients(ctx, pairs, n_outputs, output, sampled, &expected);
  auto const view = gradients->Of(ctx, pairs, n_outputs, output, sampled);
  EXPECT_EQ(view.unit.gradient, expected.unit.gradient);
  EXPECT_EQ(view.unit.hessian, expected.unit.hessian);
  ASSERT_EQ(view.pairs.size(), expected.pairs.size());
  for (std::size_t row = 0; row < view.pairs.size(); ++row) {
    ASSERT_EQ(view.pairs[row].gradient, expected.pairs[row].gradient) << "output " << output << ", row " << row;
    ASSERT_EQ(view.pairs[row].hessian, expected.pairs[row].hessian) << "output " << output << ", row " << row;
  }
}

TEST(OutputGradients, EqualThoseOfOneOutputAtATime) {
  for (std::int64_t const n_outputs : {1, 2, 3, 7, 8, 9, 16, 23}) {
    for (std::int64_t const n_rows : {0, 1, 127, 128, 129, 4095, 4097, 9000}) {
      auto const pairs = MakePairs(n_rows, n_outputs);
      std::vector<std::uint8_t> sampled;
      for (std::int64_t row = 0; row < n_rows; ++row) sampled.push_back(row % 3 == 0 ? 1 : 0);
      OutputGradients gradients;
      Context ctx;
      ctx.threads = 3;
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        ExpectAsOneByOne(ctx, pairs, n_outputs, {}, output, &gradients);
        ExpectAsOneByOne(ctx, pairs, n_outputs, sampled, output, &gradients);
      }
      ExpectAsOneByOne(ctx, pairs, n_outputs, {}, 0, &gradients);
    }
  }
}

TEST(OutputGradients, ResetTakesOthers) {
  OutputGradients gradients;
  auto pairs = MakePairs(300, 3);
  ExpectAsOneByOne({}, pairs, 3, {}, 1, &gradients);
  for (auto& pair : pairs) pair.gradient *= 100.0F;
  gradients.Reset();
  ExpectAsOneByOne({}, pairs, 3, {}, 1, &gradients);
  pairs.resize(600);
  gradients.Reset();
  ExpectAsOneByOne({}, pairs, 3, {}, 1, &gradients);
}

TEST(OutputGradients, NameTheRowThatIsNotFinite) {
  for (auto const bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    auto pairs = MakePairs(5000, 3);
    pairs[4321 * 3 + 2].hessian = bad;
    OutputGradients gradients;
    try {
      gradients.Of({}, pairs, 3, 0, {});
      FAIL();
    } catch (Error const& error) {
      EXPECT_EQ(std::string(error.what()).find("row 4321 has gradient"), 0U) << error.what();
    }
    pairs[4321 * 3 + 2].hessian = 1.0F;
    ExpectAsOneByOne({}, pairs, 3, {}, 2, &gradients);
  }
}

TEST(CompressTable, MovesTheLanesOfAMaskToTheFront) {
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::vector<int> expected;
    for (int lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1U) != 0) expected.push_back(lane);
    }
    for (int lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1U) == 0) expected.push_back(lane);
    }
    EXPECT_EQ(std::vector<int>(kCompressTable.Of(mask), kCompressTable.Of(mask) + 8), expected) << mask;
  }
}

}  // namespace
}  // namespace kauri
