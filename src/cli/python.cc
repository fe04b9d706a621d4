#include "cli/python.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "booster/config/parameter_check.h"
#include "common/files/descriptor.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

/// Returns the Python program. It imports modules from Python's installation, not from the current folder.
std::string ProgramOf(PythonTask const& task) {
  return "import sys; sys.path[:] = filter(None, sys.path); from " + task.module +
         " import main; sys.exit(main(sys.argv[1:]))";
}

}  // namespace

std::string FindPython(PythonTask const& task) {
  char const* const python = std::getenv("KAURI_PYTHON");
  if (python != nullptr && *python != '\0') return python;
  Fail(ErrorKind::kParameter, task.name,
       " is done by the Python package kauriboost, and this program was started without it. Start the command kauri "
       "that `pip install 'kauriboost",
       task.extra, "'` installs, or set KAURI_PYTHON to a Python that has the package.");
}

std::vector<std::string> ParameterWords(std::vector<std::pair<std::string, std::string>> const& parameters) {
  std::vector<std::string> words;
  for (auto const& [name, value] : parameters) {
    auto const adapted = AdaptParameter(name, value);
    if (!adapted.name.empty()) words.push_back(adapted.name + "=" + adapted.value);
  }
  return words;
}

void BecomePython(std::string const& python, PythonTask const& task, std::vector<std::string> words) {
  words.insert(words.begin(), {python, "-c", ProgramOf(task)});
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  Fail(ErrorKind::kIo, "KAURI_PYTHON=", Quoted(python), " cannot be started: ", ReasonOf(errno),
       ". Set it to a Python that has the package kauriboost.");
}

}  // namespace kauri::cli
