/// \file Text files batch by batch, for data that do not fit into memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/batches/row_source.h"
#include "kauri/parameter.h"

namespace kauri {

class TextSource : public RowSource {
 public:
  /// Returns the query offsets over all rows, [n_groups + 1]; empty without queries. Batches do not have them, because
  /// a query may continue in the next batch.
  virtual std::vector<std::int64_t> GroupPtr() const { return {}; }
};

/// Opens a text file. format: csv or libsvm; errors and `params` are the same as in ReadCsv and ReadLibsvm. A libsvm
/// file is read once here, to determine the number of features. Batches have the types of `path`.feature_types
/// (data/text/side_files.h); this function reports its errors. \throws Error(kParameter) for another format.
std::unique_ptr<TextSource> MakeTextSource(Context const& ctx, std::string const& format, std::string const& path,
                                           ParamMap const& params);

}  // namespace kauri
