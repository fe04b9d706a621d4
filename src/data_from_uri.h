/// \file Files of any format into matrices.
#pragma once

#include <memory>
#include <string>

#include "data/bins/bin_store_maker.h"
#include "data/text/text_names.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Reads `path?format=libsvm|csv&label_column=0&indexing_mode=0|1...` (data/text/text_reader.h) and the files beside it
/// (data/text/side_files.h). With a cache name after '#', csv or libsvm text is read part by part and becomes bins in a
/// file beside the cache name; `options` says how. Weights in files beside the text do not count in the cuts then.
/// With `names` labels of text are classes and categories have the model's names (data/text/text_names.h): for CSV in
/// memory. Without them labels of text are refused.
std::unique_ptr<DataMatrix> ReadUri(Context const& ctx, std::string const& uri, BinStoreOptions options,
                                    TextNames* names = nullptr);

}  // namespace kauri
