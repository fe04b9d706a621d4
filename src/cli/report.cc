#include "cli/report.h"

#include <array>
#include <cstdio>
#include <iostream>

#include "common/log.h"
#include "common/quoted.h"

namespace kauri::cli {

std::string EvaluationText(EvaluationResult const& result) {
  std::array<char, 32> value{};
  std::snprintf(value.data(), value.size(), "%.6g", result.value);
  return result.data_name + "-" + result.metric + ":" + value.data();
}

std::string EvaluationLine(std::int64_t iteration, std::vector<EvaluationResult> const& results) {
  auto line = "[" + std::to_string(iteration) + "]";
  for (auto const& result : results) line += "\t" + EvaluationText(result);
  return line;
}

std::string Counted(std::int64_t n, std::string const& noun) {
  return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s");
}

void SayWritten(std::string const& contents, std::string const& path) {
  if (path == "stdout" || GetLogLevel() == 0) return;
  std::cerr << contents << " written to " << Quoted(path) << '\n';
}

}  // namespace kauri::cli
