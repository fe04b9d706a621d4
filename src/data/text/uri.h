/// \file The address of a file of data: its path, parameters and format.
///
/// A URI has the form `path?name=value&name=value#cache`.
///
/// The format of a text is detected if its name does not indicate it.
#pragma once

#include <string>

#include "data/text/text_lines.h"
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

/// Returns "libsvm" or "csv" if the first non-blank lines, up to 16, agree on it; otherwise an empty string. A line of
/// libsvm is a label, or several separated by commas, and then words of the form number:number; at least one line must
/// have such a word. A line of CSV has a comma, and no such word. \throws Error(kIo) as TextFile.
std::string RecogniseFormat(TextFile const& file);

}  // namespace kauri
