/// \file The tasks of the program and which of them read which keys, in one table: help is written from it, and a key
/// that is given as an argument to a task that does not read it is an error.
#pragma once

#include <string>
#include <vector>

#include "cli/config_parser.h"
#include "cli/options.h"

namespace kauri::cli {

struct TaskInfo {
  std::string name;
  std::string line;  ///< a sentence about what the task does
};

/// All tasks, by the order of CliParam::Task.
std::vector<TaskInfo> AllTasks();

/// Whether a task, by its number, reads a key of the program or a parameter, by its own name.
bool IsReadBy(std::string const& own_name, int task);

/// "dump, importance, report": the tasks that read a key of the command line, by its own name (data for train_path);
/// empty: all do. eval[NAME] goes by that name.
std::string TasksThatRead(std::string const& key);

/// \throws Error(kParameter), with the tasks that read it, for a key or a parameter that the task does not read. It is
/// for settings that are arguments: a configuration file may have the keys of several tasks.
void RequireRead(Setting const& setting, std::string const& own_name, CliParam const& cli);

}  // namespace kauri::cli
