/// \file Which tasks read which keys of the command line, in one table: a key that is given and not read is a mistake.
#pragma once

#include <string>

#include "cli/config_parser.h"
#include "cli/options.h"

namespace kauri::cli {

/// "dump, importance, report": the tasks that read a key of the command line, by its own name (data for train_path);
/// empty: all do. eval[NAME] goes by that name.
std::string TasksThatRead(std::string const& key);

/// \throws Error(kParameter), with the tasks that read it, for a key that `task` does not read. The same for a
/// parameter of learning in a task that learns nothing.
void RequireRead(Setting const& setting, std::string const& own_name, CliParam const& cli);

}  // namespace kauri::cli
