/// \file Text files batch by batch, for data that memory has no room for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/row_source.h"
#include "kauri/parameter.h"

namespace kauri {

class TextSource : public RowSource {
 public:
  /// [n_groups + 1], over all rows; empty without queries. Batches do not tell: a query may go on in the next.
  virtual std::vector<std::int64_t> GroupPtr() const { return {}; }
};

/// format: csv or libsvm; errors and `params` are those of ReadCsv and ReadLibsvm. A libsvm file is read once here, to
/// know how many features there are. Batches have the types of `path`.feature_types (data/text/side_files.h), whose
/// errors come from here. \throws Error(kParameter) for another format.
std::unique_ptr<TextSource> MakeTextSource(Context const& ctx, std::string const& format, std::string const& path,
                                           ParamMap const& params);

}  // namespace kauri
