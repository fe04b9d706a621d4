/// \file Ctrl-C and a request to end (SIGTERM) as something to ask for between two rounds.
#pragma once

#include <csignal>
#include <exception>

namespace kauri::cli {

/// Work that a signal has cut short, after what was done of it is saved. The process ends by that signal: so a shell
/// knows, and stops the loop that the command stands in.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int Signal() const { return signal_; }
  char const* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// While it lives, the first signal is kept and the second one ends the process. A signal that the process ignores, as
/// in the background, stays ignored.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(SignalWatch const&) = delete;
  SignalWatch& operator=(SignalWatch const&) = delete;

  /// The signal that has come; 0: none.
  static int Signal();

 private:
  struct sigaction interrupt_;  ///< as they were before
  struct sigaction terminate_;
};

}  // namespace kauri::cli
