/// \file What --help and --version print. All of it comes from the declarations and registries.
#pragma once

#include <ostream>

namespace kauri::cli {

void PrintUsage(std::ostream* out);
/// Usage, then every parameter with its type, default, bounds and meaning, then the names in the registries.
void PrintHelp(std::ostream* out);
void PrintVersion(std::ostream* out);

}  // namespace kauri::cli
