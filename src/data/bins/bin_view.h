/// \file What stands for the values of a matrix of bins.
#pragma once

#include <cstdint>
#include <memory>

#include "data/bins/bin_store.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// A view whose values are the lower bounds of bins; `store` must outlive it. Rows in a file are read for each call.
std::unique_ptr<DataView> MakeBinView(BinStore const& store);

}  // namespace kauri
