/// \file Prints --help and --version. All of it comes from the declarations and registries.
#pragma once

#include <ostream>
#include <string>

namespace kauri::cli {

void PrintUsage(std::ostream* out);
/// Prints the usage, then every parameter with its type, default, bounds and meaning, then the names in the registries.
void PrintHelp(std::ostream* out);
/// Prints the tasks, one line each.
void PrintTasks(std::ostream* out);
/// Prints the keys and parameters that a task reads, with the first sentence of each declaration. \throws
/// Error(kParameter) for an unknown task, with the nearest known one.
void PrintTaskHelp(std::string const& name, std::ostream* out);
void PrintVersion(std::ostream* out);

}  // namespace kauri::cli
