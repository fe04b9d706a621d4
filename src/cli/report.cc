#include "cli/report.h"

#include <array>
#include <cstdio>
#include <iostream>

#include "common/text/log.h"
#include "common/text/quoted.h"

namespace kauri::cli {

std::string MetricText(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string CsvText(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (auto const c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string EvaluationText(EvaluationResult const& result) {
  return result.data_name + "-" + result.metric + ":" + MetricText(result.value);
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
