/// \file A line at the foot of the terminal: what is done and the time left. Silent unless standard error is a
/// terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace kauri::cli {

class Progress {
 public:
  /// `unit`: what is counted; must outlive this.
  Progress(std::int64_t total, char const* unit);
  ~Progress() { Clear(); }
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  /// Redraws at most ten times a second.
  void Update(std::int64_t done);
  /// Takes the line away; call before anything else is written to the terminal.
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

/// Whether standard error is a terminal.
bool ErrorStreamIsTerminal();

}  // namespace kauri::cli
