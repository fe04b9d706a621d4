/// Gradients of blocks of rows: the bits of single rows.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "common/distribution/family.h"

namespace kauri::distribution {
namespace {

/// Returns a block of raw scores within and beyond the bounds; every family has its labels.
RowBlock BlockOf(std::int64_t n) {
  RowBlock block;
  block.n = n;
  for (std::int64_t i = 0; i < n; ++i) {
    block.label[i] = i % 5 == 4 ? std::ldexp(1.0, static_cast<int>(i % 60)) : static_cast<double>(1 + i % 11);
    for (std::int64_t k = 0; k < kMostParameters; ++k) {
      block.raw[k][i] = 0.3 * std::pow(-1.9, static_cast<double>((i + 3 * k) % 9)) - 0.01 * static_cast<double>(i);
    }
  }
  return block;
}

bool HaveOneBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

TEST(RowBlocks, HaveTheGradientsOfSingleRows) {
  for (auto const* const family : Families()) {
    for (std::int64_t const n : {1, 7, 127, 128}) {
      auto const given = BlockOf(n);
      auto block = given;
      family->BlockGradients(&block);
      for (std::int64_t i = 0; i < n; ++i) {
        double const raw[kMostParameters] = {given.raw[0][i], given.raw[1][i], given.raw[2][i]};
        auto const row = family->Gradients(raw, given.label[i]);
        for (int k = 0; k < family->NumParameters(); ++k) {
          EXPECT_TRUE(HaveOneBits(block.gradient[k][i], row.gradient[k]))
              << family->Name() << " " << k << ", row " << i;
          EXPECT_TRUE(HaveOneBits(block.hessian[k][i], row.hessian[k])) << family->Name() << " " << k << ", row " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kauri::distribution
