/// \file Files of any format into matrices.
#pragma once

#include <memory>
#include <string>

#include "data/bins/bin_store_maker.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// DataMatrix::FromUri, that with a cache name after '#' makes bins in a file beside the cache name, from csv or libsvm
/// text read part by part; `options` says how. Weights in files beside the text do not count in the cuts then.
std::unique_ptr<DataMatrix> ReadUri(Context const& ctx, std::string const& uri, BinStoreOptions options);

}  // namespace kauri
