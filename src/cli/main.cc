/// \file `kauri CONFIG [key=value ...]`, `kauri TASK [FILE ...] [key=value ...]`: reads the arguments, runs one task,
/// turns exceptions into one line and a status.
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_form.h"
#include "cli/files.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "common/platform/process.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

void PrintLogLine(char const* line) {
  // Clears a progress line that may be there.
  if (ErrorStreamIsTerminal()) std::cerr << "\r\x1b[K";
  std::cerr << line << '\n';
}

void RunTask(std::vector<std::string> const& arguments) {
  auto const options = ReadOptions(ReadSettings(arguments));
  switch (options.cli.task) {
    case CliParam::kPredict:
      return Predict(options);
    case CliParam::kExplain:
      return Explain(options);
    case CliParam::kDump:
      return Dump(options);
    case CliParam::kImportance:
      return WriteImportance(options);
    case CliParam::kLeaf:
      return PredictLeaves(options);
    case CliParam::kEvaluate:
      return Evaluate(options);
    case CliParam::kConvert:
      return Convert(options);
    case CliParam::kExport:
      return Export(options);
    case CliParam::kCheck:
      return Check(options);
    case CliParam::kVerify:
      return Verify(options);
    case CliParam::kCrossValidate:
      return CrossValidate(options);
    case CliParam::kSummary:
      return Summarize(options);
    case CliParam::kReport:
      return WritePage(options);
    default:
      return options.cli.preset == CliParam::kBest ? TrainBest(options) : Train(options);
  }
}

/// Returns the task that a first argument names, "train" or "task=train"; empty: none.
std::string TaskIn(std::string const& argument) {
  auto const word = argument.rfind("task=", 0) == 0 ? argument.substr(5) : argument;
  auto const tasks = AllTasks();
  auto const is_known = std::any_of(tasks.begin(), tasks.end(), [&](auto const& task) { return task.name == word; });
  return is_known ? word : std::string();
}

bool IsHelpFlag(std::string const& word) { return word == "-h" || word == "--help"; }

/// Returns the words that ask for help, and the topic's name among them, or nothing if no help is asked for: `help
/// eta`,
/// `--help`, `train --help`. A configuration file is no topic.
std::optional<std::vector<std::string>> HelpTopics(std::vector<std::string> const& arguments) {
  auto const asks = arguments[0] == "help" || IsHelpFlag(arguments[0]);
  if (!asks && std::none_of(arguments.begin(), arguments.end(), IsHelpFlag)) return std::nullopt;
  std::vector<std::string> topics;
  if (!asks) {
    auto const word = TaskIn(arguments[0]);
    if (!word.empty()) topics.push_back(word);
    return topics;
  }
  std::copy_if(arguments.begin() + 1, arguments.end(), std::back_inserter(topics),
               [](std::string const& word) { return !IsHelpFlag(word); });
  return topics;
}

void RunHelp(std::vector<std::string> const& topics) {
  if (topics.size() > 1) {
    Fail(ErrorKind::kParameter, "help takes the name of one task or parameter, ", topics.size(), " words are given.");
  }
  PrintHelpOn(topics.empty() ? std::string() : topics[0], &std::cout);
}

/// Prints the keys of a task that is named without further arguments.
void PrintHelpOfBareTask(std::vector<std::string> const& arguments) {
  auto const task = TaskIn(arguments[0]);
  if (arguments.size() != 1 || task.empty()) return;
  PrintTaskHelp(task, &std::cerr);
  std::cerr << '\n';
}

void Run(std::vector<std::string> const& arguments) {
  if (arguments.empty()) {
    PrintShortHelp(&std::cerr);
    std::cerr << '\n';
    Fail(ErrorKind::kParameter, "no configuration file is given, and no task.");
  }
  if (arguments[0] == "-V" || arguments[0] == "--version") {
    PrintVersion(&std::cout);
  } else if (auto const topics = HelpTopics(arguments)) {
    RunHelp(*topics);
  } else {
    PrintHelpOfBareTask(arguments);
    RunTask(arguments);
  }
  if (std::cout.flush()) return;
  EndIfNobodyReads();
  Fail(ErrorKind::kIo, "cannot write all of standard output.");
}

}  // namespace
}  // namespace kauri::cli

int main(int argc, char** argv) {
  auto const words = kauri::platform::StartProgram(argc, argv);
  kauri::SetLogCallback(&kauri::cli::PrintLogLine);
  try {
    kauri::cli::Run(words);
    return 0;
  } catch (kauri::cli::Interrupted const& interrupted) {
    std::cout.flush();
    std::signal(interrupted.Signal(), SIG_DFL);
    std::raise(interrupted.Signal());
  } catch (std::bad_alloc const&) {
    std::cerr << "error: not enough memory; use less data, or a smaller max_bin.\n";
  } catch (std::exception const& error) {
    std::cerr << "error: " << kauri::Presentable(error.what()) << '\n';
  }
  return 1;
}
