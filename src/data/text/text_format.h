/// \file Detection of the format of a text whose name does not indicate it.
#pragma once

#include <string>

#include "data/text/text_lines.h"

namespace kauri {

/// Returns "libsvm" or "csv" if the first non-blank lines, up to 16, agree on it; otherwise an empty string. A line of
/// libsvm is a label, or several separated by commas, and then words of the form number:number; at least one line must
/// have such a word. A line of CSV has a comma, and no such word. \throws Error(kIo) as TextFile.
std::string RecogniseFormat(TextFile const& file);

}  // namespace kauri
