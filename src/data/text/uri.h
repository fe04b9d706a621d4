/// \file `path?name=value&name=value#cache`: how data in files are named.
#pragma once

#include <string>

#include "kauri/parameter.h"

namespace kauri {

struct DataUri {
  std::string path;
  std::string format;  ///< the parameter of that name, else from the extension .csv, .libsvm or .svm, else empty
  ParamMap params;     ///< all others
  std::string cache;   ///< what follows '#'; empty: the data are to be in memory
};

/// '?' and '#' in the name of a file that exists begin no parameters and no cache. \throws Error(kParameter) for what
/// is not name=value, a name given twice, or a '#' without a name.
DataUri ParseDataUri(std::string const& text);

}  // namespace kauri
