/// \file task=report: the page is drawn in Python, which takes the place of this process.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "booster/learner.h"
#include "booster/parameter_check.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/tasks.h"
#include "common/descriptor.h"
#include "common/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

/// Modules come from where Python is installed, and not from the folder in which the program is run.
constexpr char const* kProgram =
    "import sys; sys.path[:] = filter(None, sys.path); from kauriboost._report.command import main; "
    "sys.exit(main(sys.argv[1:]))";

/// The Python whose package has started this program.
std::string FindPython() {
  char const* const python = std::getenv("KAURI_PYTHON");
  if (python != nullptr && *python != '\0') return python;
  Fail(ErrorKind::kParameter,
       "task=report is drawn by the Python package kauriboost, and this program was started without it. Start the "
       "command kauri that `pip install 'kauriboost[plot]'` installs, or set KAURI_PYTHON to a Python that has the "
       "package.");
}

}  // namespace

void WritePage(Options const& options) {
  auto const& cli = options.cli;
  auto const python = FindPython();
  if (cli.name_report != "stdout") CheckWritable(cli.name_report, "report");
  Learner learner;
  SetUpLearner(options, &learner);  // what is wrong with the model or a parameter is said as by other tasks
  std::vector<std::string> words{python, "-c", kProgram, cli.model_in, cli.test_path, cli.name_report};
  for (auto const& [name, value] : options.learner) {
    auto const adapted = AdaptParameter(name, value);
    if (!adapted.name.empty()) words.push_back(adapted.name + "=" + adapted.value);
  }
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  Fail(ErrorKind::kIo, "KAURI_PYTHON=", Quoted(python), " cannot be started: ", ReasonOf(errno),
       ". Set it to a Python that has the package kauriboost.");
}

}  // namespace kauri::cli
