/// \file `kauri CONFIG [key=value ...]`, `kauri TASK [FILE ...] [key=value ...]`: reads the arguments, runs one task,
/// turns exceptions into one line and a status.
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/command_form.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/tasks.h"
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

/// Runs `kauri help` and `kauri help TASK`.
void RunHelp(std::vector<std::string> const& arguments) {
  if (arguments.size() > 2) {
    Fail(ErrorKind::kParameter, "help takes the name of one task, ", arguments.size() - 1, " words are given.");
  }
  if (arguments.size() == 2) return PrintTaskHelp(arguments[1], &std::cout);
  PrintUsage(&std::cout);
  PrintTasks(&std::cout);
}

/// Prints the keys of a task that is named without further arguments.
void PrintHelpOfBareTask(std::vector<std::string> const& arguments) {
  if (arguments.size() != 1) return;
  auto const word = arguments[0].rfind("task=", 0) == 0 ? arguments[0].substr(5) : arguments[0];
  for (auto const& task : AllTasks()) {
    if (task.name != word) continue;
    PrintTaskHelp(word, &std::cerr);
    std::cerr << '\n';
  }
}

void Run(std::vector<std::string> const& arguments) {
  if (arguments.empty()) {
    PrintUsage(&std::cerr);
    Fail(ErrorKind::kParameter, "no configuration file is given.");
  }
  if (arguments[0] == "-h" || arguments[0] == "--help") {
    PrintHelp(&std::cout);
  } else if (arguments[0] == "-V" || arguments[0] == "--version") {
    PrintVersion(&std::cout);
  } else if (arguments[0] == "help") {
    RunHelp(arguments);
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
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding a limit on the size of files becomes a write error, like a full disk
  kauri::SetLogCallback(&kauri::cli::PrintLogLine);
  try {
    kauri::cli::Run(std::vector<std::string>(argv + 1, argv + argc));
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
