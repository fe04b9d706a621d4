/// \file Help: one screen, one topic, or everything. The text comes from the declarations, the registries and the table
/// of tasks.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace kauri::cli {

/// Prints one screen: the tasks, the parameters that most trainings set, and two examples.
void PrintShortHelp(std::ostream* out);

/// Prints help on a topic: a task, a key, a parameter under any of its names, or a name in a registry; "all" prints
/// everything, and an empty topic one screen. \throws Error(kParameter) for an unknown topic, with the nearest one.
void PrintHelpOn(std::string const& topic, std::ostream* out);

/// Prints the keys and parameters that a task reads, with the first sentence of each declaration.
void PrintTaskHelp(std::string const& name, std::ostream* out);

void PrintVersion(std::ostream* out);

}  // namespace kauri::cli
