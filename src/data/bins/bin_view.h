/// \file The values that represent a matrix of bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/bins/bin_store.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Returns the value that represents the values in a bin. It is never above any of them, and equals the smallest if the
/// bin is the column's first or begins at a value of the data. A categorical column returns the category itself.
float ValueOfBin(QuantileCuts const& cuts, std::size_t feature, std::uint32_t bin);

/// Returns a view whose values are the lower bounds of bins; `store` must outlive it. Each call reads rows in a file
/// anew.
std::unique_ptr<DataView> MakeBinView(BinStore const& store);

}  // namespace kauri
