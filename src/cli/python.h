/// \file Tasks that are done in Python, by the package that this program belongs to.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kauri::cli {

/// A task as the package has it.
struct PythonTask {
  std::string name;    ///< as it was asked for: "task=report"
  std::string module;  ///< whose `main` takes the words and returns the exit status
  std::string extra;   ///< of the package, as pip names it, that the task needs: "[plot]"; empty: none
};

/// The Python whose package has started this program: what KAURI_PYTHON names. \throws Error(kParameter): nothing.
std::string FindPython(PythonTask const& task);

/// The parameters of the learner as words "name=value", by the names that it has for them.
std::vector<std::string> ParameterWords(std::vector<std::pair<std::string, std::string>> const& parameters);

/// Becomes `python`, which does the task with `words`. \throws Error(kIo): it cannot be started.
[[noreturn]] void BecomePython(std::string const& python, PythonTask const& task, std::vector<std::string> words);

}  // namespace kauri::cli
