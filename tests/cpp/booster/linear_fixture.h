/// \file Common parts of the tests of booster=gblinear.
#pragma once

#include <cstdint>

#include "booster/booster_fixture.h"

namespace kauri::testing {

constexpr std::int64_t kLinearRows = 300;
constexpr std::int64_t kLinearCols = 6;

inline MatrixSpec LinearSpec(double missing, bool sparse, std::uint64_t seed = 1) {
  MatrixSpec spec;
  spec.n_rows = kLinearRows;
  spec.n_cols = kLinearCols;
  spec.missing = missing;
  spec.sparse = sparse;
  spec.seed = seed;
  return spec;
}

inline Params Linear() { return {{"booster", "gblinear"}, {"validate_parameters", "1"}, {"nthread", "1"}}; }

}  // namespace kauri::testing
