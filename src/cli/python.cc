#include <string>
#include <utility>
#include <vector>

#include "booster/config/parameter_check.h"
#include "booster/learner.h"
#include "booster/model_io/model_io.h"
#include "cli/checkpoint.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/tasks.h"
#include "common/files/read_file.h"
#include "common/platform/process.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

// Tasks that are done in Python, by the package that contains this program.

/// A task of the package.
struct PythonTask {
  std::string name;    ///< the task as requested: "task=report"
  std::string module;  ///< module whose `main` takes the words and returns the exit status
  std::string extra;   ///< extra of the package, in pip's notation, that the task needs: "[plot]"; empty: none
};

/// Returns the Python program. It imports modules from Python's installation, not from the current folder.
std::string ProgramOf(PythonTask const& task) {
  return "import sys; sys.path[:] = filter(None, sys.path); from " + task.module +
         " import main; sys.exit(main(sys.argv[1:]))";
}

/// Returns the Python whose package started this program, as named by KAURI_PYTHON. \throws Error(kParameter) if it
/// names none.
std::string FindPython(PythonTask const& task) {
  auto const python = platform::EnvironmentVariable("KAURI_PYTHON");
  if (python && !python->empty()) return *python;
  Fail(ErrorKind::kParameter, task.name,
       " is done by the Python package kauriboost, and this program was started without it. Start the command kauri "
       "that `pip install 'kauriboost",
       task.extra, "'` installs, or set KAURI_PYTHON to a Python that has the package.");
}

/// Returns the parameters of the learner as words "name=value", by the learner's names.
std::vector<std::string> ParameterWords(std::vector<std::pair<std::string, std::string>> const& parameters) {
  std::vector<std::string> words;
  for (auto const& [name, value] : parameters) {
    auto const adapted = AdaptParameter(name, value);
    if (!adapted.name.empty()) words.push_back(adapted.name + "=" + adapted.value);
  }
  return words;
}

/// Replaces this process by `python`, which does the task with `words`. \throws Error(kIo): it cannot be started.
[[noreturn]] void BecomePython(std::string const& python, PythonTask const& task, std::vector<std::string> words) {
  words.insert(words.begin(), {python, "-c", ProgramOf(task)});
  auto const error = platform::BecomeProgram(std::move(words));
  Fail(ErrorKind::kIo, "KAURI_PYTHON=", Quoted(python), " cannot be started: ", ReasonOf(error),
       ". Set it to a Python that has the package kauriboost.");
}

}  // namespace

// task=train preset=best: a Python program, which replaces this process, searches for settings.

void TrainBest(Options const& options) {
  PythonTask const task{"preset=best", "kauriboost._training.command", ""};
  auto const& cli = options.cli;
  auto const python = FindPython(task);
  FormatOfPath(cli.model_out);
  ParseDialect(cli.model_dialect);
  CheckWritable(cli.model_out, "model");
  Learner learner;
  SetUpLearner(options, &learner);  // reports wrong parameters with the same messages as other trainings
  constexpr int kFolds = 5;         // the default of fit_best; the default of cv is three
  auto const folds = options.has_nfold ? cli.nfold : kFolds;
  std::vector<std::string> words{cli.data,
                                 cli.model_out,
                                 cli.model_dialect,
                                 NumberText(cli.time_budget),
                                 std::to_string(cli.rounds_budget),
                                 std::to_string(folds)};
  for (auto& word : ParameterWords(options.learner)) words.push_back(std::move(word));
  BecomePython(python, task, std::move(words));
}

// task=export with a compiler, Treelite's library or a test: a Python program writes the file.

void ExportByPython(Options const& options) {
  PythonTask const task{"task=export to WebAssembly or Treelite, or with export_test",
                        "kauriboost._model.export_command", ""};
  auto const& cli = options.cli;
  auto const python = FindPython(task);
  CheckWritable(cli.model_out, "export");
  Learner learner;
  SetUpLearner(options, &learner);  // reports a wrong model or parameter with the same messages as other tasks
  auto const flag = [](bool is_set) { return std::string(is_set ? "1" : "0"); };
  std::vector<std::string> words{cli.model_in, cli.model_out, cli.export_target, flag(cli.export_test),
                                 flag(cli.export_contributions)};
  for (auto& word : ParameterWords(options.learner)) words.push_back(std::move(word));
  BecomePython(python, task, std::move(words));
}

// task=report: a Python program, which replaces this process, writes the page.

void WritePage(Options const& options) {
  PythonTask const task{"task=report", "kauriboost._report.command", "[plot]"};
  auto const& cli = options.cli;
  auto const python = FindPython(task);
  if (cli.name_report != "stdout") CheckWritable(cli.name_report, "report");
  Learner learner;
  SetUpLearner(options, &learner);  // reports a wrong model or parameter with the same messages as other tasks
  std::vector<std::string> words{cli.model_in, cli.test_path, cli.name_report, cli.fmap};
  for (auto& word : ParameterWords(options.learner)) words.push_back(std::move(word));
  BecomePython(python, task, std::move(words));
}

}  // namespace kauri::cli
