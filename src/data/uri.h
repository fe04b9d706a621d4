/// \file `path?name=value&name=value`: how text data are named.
#pragma once

#include <string>

#include "kauri/parameter.h"

namespace kauri {

struct DataUri {
  std::string path;
  std::string format;  ///< the parameter of that name, else from the extension .csv, .libsvm or .svm, else empty
  ParamMap params;     ///< all others
};

/// \throws Error(kParameter) for what is not name=value, a name given twice, or a cache name after '#'.
DataUri ParseDataUri(std::string const& text);

}  // namespace kauri
