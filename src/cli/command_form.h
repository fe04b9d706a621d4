/// \file What the arguments of the program are: a configuration file or a task with its files, then settings.
#pragma once

#include <string>
#include <vector>

#include "cli/config_parser.h"

namespace kauri::cli {

/// Settings in the order in which they count, from one argument or more:
///   CONFIG [key=value ...]         the file's, then the arguments'
///   TASK [FILE ...] [key=value ...]  `task`, then the files as the task's keys: verify MODEL DATA is task=verify
///                                    model_in=MODEL data=DATA
///   key=value ...
/// A task's name is never that of a configuration file. An argument is a FILE when it has no '=', or a '?' before its
/// first one, as DATA?format=csv has.
/// \throws Error(kParameter): more files than the task has, or a first word that is neither; what ReadConfig throws.
std::vector<Setting> ReadSettings(std::vector<std::string> const& arguments);

/// {"train data", "verify model_in data", ...}: tasks and the keys that their files stand for.
std::vector<std::string> TaskForms();

}  // namespace kauri::cli
