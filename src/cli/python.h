/// \file Tasks that are done in Python, by the package that contains this program.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kauri::cli {

/// A task of the package.
struct PythonTask {
  std::string name;    ///< the task as requested: "task=report"
  std::string module;  ///< module whose `main` takes the words and returns the exit status
  std::string extra;   ///< extra of the package, in pip's notation, that the task needs: "[plot]"; empty: none
};

/// Returns the Python whose package started this program, as named by KAURI_PYTHON. \throws Error(kParameter) if it
/// names none.
std::string FindPython(PythonTask const& task);

/// Returns the parameters of the learner as words "name=value", by the learner's names.
std::vector<std::string> ParameterWords(std::vector<std::pair<std::string, std::string>> const& parameters);

/// Replaces this process by `python`, which does the task with `words`. \throws Error(kIo): it cannot be started.
[[noreturn]] void BecomePython(std::string const& python, PythonTask const& task, std::vector<std::string> words);

}  // namespace kauri::cli
