/// \file Reads files of any format into matrices.
#pragma once

#include <memory>
#include <string>

#include "data/bins/bin_store_maker.h"
#include "data/text/text_reader.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Reads `path?format=libsvm|csv&label_column=0&indexing_mode=0|1...` (data/text/text_reader.h) and the files beside it
/// (data/text/side_files.h). With a cache name after '#', csv or libsvm text is read in parts and binned into a file
/// next to the cache name, as `options` describes. Weights in side files then do not influence the bin edges. With
/// `names`, text labels are classes and categories have the model's names (data/text/text_reader.h); this applies to
/// CSV in memory. Without `names`, text labels are refused.
std::unique_ptr<DataMatrix> ReadUri(Context const& ctx, std::string const& uri, BinStoreOptions options,
                                    TextNames* names = nullptr);

}  // namespace kauri
