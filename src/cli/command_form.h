/// \file The form of the program's arguments: a configuration file or a task with its files, then settings.
#pragma once

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

}  // namespace kauri::cli
