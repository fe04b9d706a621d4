/// \file task=report: a Python program, which replaces this process, writes the page.
#include <string>
#include <vector>

#include "booster/learner.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/python.h"
#include "cli/tasks.h"

namespace kauri::cli {

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
