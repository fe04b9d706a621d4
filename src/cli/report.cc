#include "cli/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

#include "common/platform/file.h"
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

namespace {

constexpr std::int64_t kBarWidth = 30;
constexpr std::int64_t kMinBarWidth = 5;
constexpr std::int64_t kUsualColumns = 80;
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
constexpr char const* kEraseLine = "\r\x1b[K";

std::string TimeText(double seconds) {
  std::int64_t const whole = std::llround(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

/// Returns the number of characters that fit into a line of the terminal. The last column stays free: some terminals
/// wrap after it.
std::int64_t Room() {
  auto const columns = platform::NumTerminalColumns();
  return (columns > 0 ? columns : kUsualColumns) - 1;
}

/// Returns the line. A wrapped line cannot be redrawn, so the bar gets the part of `room` that the numbers leave.
std::string Line(double share, std::string const& numbers, std::int64_t room) {
  auto const left = room - static_cast<std::int64_t>(numbers.size()) - 3;  // brackets and a blank
  auto const width = std::min(kBarWidth, left);
  if (width < kMinBarWidth) return numbers.substr(0, static_cast<std::size_t>(room));
  auto const filled = static_cast<std::size_t>(share * static_cast<double>(width));
  return '[' + std::string(filled, '#') + std::string(static_cast<std::size_t>(width) - filled, '.') + "] " + numbers;
}

}  // namespace

bool ErrorStreamIsTerminal() { return platform::IsTerminal(platform::kStandardError); }

Progress::Progress(std::int64_t total, char const* unit)
    : total_(total),
      unit_(unit),
      enabled_(total > 0 && ErrorStreamIsTerminal()),
      start_(Clock::now()),
      last_(start_ - kRedrawInterval) {}

void Progress::Update(std::int64_t done) {
  auto const now = Clock::now();
  if (!enabled_ || done <= 0 || now - last_ < kRedrawInterval) return;
  last_ = now;
  shown_ = true;
  auto const elapsed = std::chrono::duration<double>(now - start_).count();
  auto const left = elapsed / static_cast<double>(done) * static_cast<double>(total_ - done);
  auto const numbers =
      std::to_string(done) + '/' + std::to_string(total_) + ' ' + unit_ + ", " + TimeText(left) + " left";
  auto const share = static_cast<double>(done) / static_cast<double>(total_);
  std::cerr << kEraseLine << Line(share, numbers, Room()) << std::flush;
}

void Progress::Clear() {
  if (!shown_) return;
  std::cerr << kEraseLine << std::flush;
  shown_ = false;
}

}  // namespace kauri::cli
