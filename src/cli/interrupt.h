/// \file Turns Ctrl-C and SIGTERM into a flag that is checked between two rounds.
#pragma once

#include <csignal>
#include <exception>

#include "common/platform/process.h"

namespace kauri::cli {

/// Reports work that a signal has cut short, after its results so far are saved. The process ends by that signal, so
/// that a shell stops the loop that contains the command.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int Signal() const { return signal_; }
  char const* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// Keeps the first signal during its lifetime; the second one ends the process. A signal that the process ignores, as
/// in the background, stays ignored.
class SignalWatch {
 public:
  SignalWatch();

  /// Returns the signal received; 0: none.
  static int Signal();

 private:
  platform::HandleOnce interrupt_;
  platform::HandleOnce terminate_;
};

}  // namespace kauri::cli
