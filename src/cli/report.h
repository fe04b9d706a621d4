/// \file Messages of the program to a person: a line of metrics per round, and the files written.
///
/// Progress writes a line at the bottom of the terminal: completed work and remaining time. It is silent unless
/// standard error is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "booster/learner.h"

namespace kauri::cli {

/// Returns "data-metric:value", with six significant digits.
std::string EvaluationText(EvaluationResult const& result);

/// Returns "[0]\ttrain-logloss:0.524731\ttest-logloss:0.531277".
std::string EvaluationLine(std::int64_t iteration, std::vector<EvaluationResult> const& results);

/// Returns "0.524731": six significant digits.
std::string MetricText(double value);

/// Returns the text as a cell of CSV, in quotes if it needs them.
std::string CsvText(std::string const& text);

/// Returns "1 round", "5 rounds".
std::string Counted(std::int64_t n, std::string const& noun);

/// Reports on standard error where `contents` went; nothing for standard output, and nothing with verbosity=0.
void SayWritten(std::string const& contents, std::string const& path);

class Progress {
 public:
  /// `unit`: name of the counted unit; must outlive this.
  Progress(std::int64_t total, char const* unit);
  ~Progress() { Clear(); }
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  /// Redraws at most ten times a second.
  void Update(std::int64_t done);
  /// Removes the line; call it before other output to the terminal.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t total_;
  char const* unit_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

/// Returns whether standard error is a terminal.
bool ErrorStreamIsTerminal();

}  // namespace kauri::cli
