/// \file A progress line at the bottom of the terminal: completed work and remaining time. Silent unless standard error
/// is a terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace kauri::cli {

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
