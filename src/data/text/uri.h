/// \file URIs of data in files: `path?name=value&name=value#cache`.
#pragma once

#include <string>

#include "kauri/parameter.h"

namespace kauri {

struct DataUri {
  std::string path;
  std::string format;  ///< the parameter `format`, else from the extension .csv, .libsvm or .svm, else empty
  ParamMap params;     ///< all other parameters
  std::string cache;   ///< the part after '#'; empty: the data are kept in memory
};

/// Parses a URI. '?' and '#' in the name of an existing file do not begin parameters or a cache. \throws
/// Error(kParameter) for a parameter that is not name=value, a repeated name, or a '#' without a name.
DataUri ParseDataUri(std::string const& text);

}  // namespace kauri
