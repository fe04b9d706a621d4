/// \file The form of the program's arguments: a configuration file or a task with its files, then settings.
///
/// Prints --help and --version. All of it comes from the declarations and registries.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/config_parser.h"

namespace kauri::cli {

/// Returns the settings in order of precedence, from one or more arguments:
///
///   CONFIG [key=value ...]         the file's, then the arguments'
///   TASK [FILE ...] [key=value ...]  `task`, then the files as the task's keys: verify MODEL DATA is task=verify
///                                    model_in=MODEL data=DATA
///   key=value ...
///
/// The name of a task is never taken as a configuration file. An argument is a FILE if it has no '=', or a '?' before
/// its first one, as in DATA?format=csv. \throws Error(kParameter): more files than the task has, or a first word that
/// is neither; the errors of ReadConfig.
std::vector<Setting> ReadSettings(std::vector<std::string> const& arguments);

/// Returns {"train data", "verify model_in data", ...}: tasks and the keys of their files.
std::vector<std::string> TaskForms();

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
