/// \file What stands for the values of a matrix of bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/bins/bin_store.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Returns the value that stands for those in a bin. It is never above any of them, and equals the smallest where the
/// bin is the column's first or begins at a value of the data. A categorical column has the category itself.
float ValueOfBin(QuantileCuts const& cuts, std::size_t feature, std::uint32_t bin);

/// A view whose values are the lower bounds of bins; `store` must outlive it. Rows in a file are read for each call.
std::unique_ptr<DataView> MakeBinView(BinStore const& store);

}  // namespace kauri
