/// The gradients of all outputs side by side, against each output quantised separately.
#include "engine/gradient_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "common/fixed_point.h"
#include "support/error.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

/// Returns pairs whose scales differ between outputs; every seventh row has weight 0.
std::vector<GradientPair> MakePairs(std::int64_t n_rows, std::int64_t n_outputs, bool same_hessians) {
  testing::Random random(static_cast<std::uint64_t>(n_rows + n_outputs));
  std::vector<GradientPair> pairs;
  for (std::int64_t i = 0; i < n_rows * n_outputs; ++i) {
    auto const output = i % n_outputs;
    auto const weight = i / n_outputs % 7 == 3 ? 0.0F : 1.0F;
    auto const hessian =
        same_hessians && output > 0 ? pairs.back().hessian : weight * static_cast<float>(random.Uniform());
    pairs.push_back({weight * static_cast<float>(output + 1) * random.Normal(), hessian});
  }
  return pairs;
}

void ExpectTheOutputs(std::vector<GradientPair> const& pairs, std::int64_t n_outputs,
                      std::vector<std::uint8_t> const& sampled, GradientTableView const& table) {
  auto const n_rows = static_cast<std::int64_t>(pairs.size()) / n_outputs;
  ASSERT_EQ(static_cast<std::int64_t>(table.values.size()), n_rows * table.stride);
  ASSERT_EQ(table.NumOutputs(), n_outputs);
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    FixedGradients alone;
    QuantiseGradients(Context{}, pairs, n_outputs, output, sampled, &alone);
    EXPECT_EQ(table.units[output].gradient, alone.unit.gradient);
    EXPECT_EQ(table.units[output].hessian, alone.unit.hessian);
    for (std::int64_t row = 0; row < n_rows; ++row) {
      auto const* const found = table.values.data() + row * table.stride;
      ASSERT_EQ(found[output], alone.pairs[row].gradient) << "row " << row << ", output " << output;
      ASSERT_EQ(found[table.HessianPlace(output)], alone.pairs[row].hessian) << "row " << row << ", output " << output;
    }
  }
}

void ExpectZerosBehind(GradientTableView const& table) {
  auto const used = table.NumOutputs() + table.n_hessians;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(table.values.size()); ++i) {
    if (i % table.stride < used) continue;
    ASSERT_EQ(table.values[i], 0) << "number " << i;
  }
}

/// Uses one table throughout, so every use follows one with another size.
TEST(GradientTable, IsEachOutputForItself) {
  GradientTable table;
  for (std::int64_t const n_outputs : {1, 2, 3, 5, 8, 23}) {
    for (std::int64_t const n_rows : {1, 9000, 37}) {
      for (bool const same_hessians : {false, true}) {
        SCOPED_TRACE(std::to_string(n_outputs) + " outputs, " + std::to_string(n_rows) + " rows");
        auto const pairs = MakePairs(n_rows, n_outputs, same_hessians);
        std::vector<std::uint8_t> sampled(n_rows, 1);
        for (std::int64_t row = 0; row < n_rows; row += 4) sampled[row] = 0;
        for (auto const& rows : {std::vector<std::uint8_t>(), sampled}) {
          Context ctx;
          ctx.threads = 3;
          table.Quantise(ctx, pairs, n_outputs, rows);
          EXPECT_EQ(table.View().n_hessians, same_hessians ? 1 : n_outputs);
          ExpectTheOutputs(pairs, n_outputs, rows, table.View());
          ExpectZerosBehind(table.View());
        }
      }
    }
  }
}

TEST(GradientTable, NamesTheRowThatIsNotFinite) {
  auto pairs = MakePairs(100, 3, false);
  pairs[47 * 3 + 1].hessian = std::numeric_limits<float>::infinity();
  GradientTable table;
  ExpectParts(MessageOf(ErrorKind::kData, [&] { table.Quantise(Context{}, pairs, 3, {}); }), {"row 47", "inf"});
}

}  // namespace
}  // namespace kauri
