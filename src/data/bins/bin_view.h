/// \file What stands for the values of a matrix of bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/bins/bin_store.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// What stands for the values of a bin: its lower bound. The category itself where the column has categories.
float ValueOfBin(QuantileCuts const& cuts, std::size_t feature, std::uint32_t bin);

/// A view whose values are the lower bounds of bins; `store` must outlive it. Rows in a file are read for each call.
std::unique_ptr<DataView> MakeBinView(BinStore const& store);

}  // namespace kauri
