/// \file The tasks of the program and the keys that each reads, in one table. Help is written from it, and an argument
/// with a key that the task does not read is an error.
#pragma once

#include <string>
#include <vector>

#include "cli/config_parser.h"
#include "cli/options.h"

namespace kauri::cli {

struct TaskInfo {
  std::string name;
  std::string line;  ///< a sentence that describes the task
};

/// Returns all tasks, in the order of CliParam::Task.
std::vector<TaskInfo> AllTasks();

/// Returns whether a task, by its number, reads a key of the program or a parameter, by its own name.
bool IsReadBy(std::string const& own_name, int task);

/// Returns "dump, importance, report": the tasks that read a key of the command line, by its own name (data for
/// train_path); empty: all do. eval[NAME] has that name.
std::string TasksThatRead(std::string const& key);

/// \throws Error(kParameter), with the tasks that read it, for a key or a parameter that the task does not read. Call
/// it for arguments only: a configuration file may have the keys of several tasks.
void RequireRead(Setting const& setting, std::string const& own_name, CliParam const& cli);

}  // namespace kauri::cli
