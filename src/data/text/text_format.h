/// \file Which format a text has whose name does not say.
#pragma once

#include <string>

#include "data/text/text_lines.h"

namespace kauri {

/// Returns "libsvm" or "csv" where the first lines that are not blank, up to 16, agree on it; empty where they do not.
/// A line of libsvm is a label, perhaps more with commas between them, and then words of the form number:number, of
/// which there must be one in some line. A line of CSV has a comma, and no such word. \throws Error(kIo) as TextFile.
std::string RecogniseFormat(TextFile const& file);

}  // namespace kauri
