/// \file This process among others: its number, its processors, its environment, its signals, and the program that may
/// take its place.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kauri::platform {

/// Returns the number that tells this process from the others of this machine.
int ProcessId();
/// Returns whether no process of this machine has that number.
bool HasEnded(int process);
/// Returns the name of this machine; "localhost" if it is unknown.
std::string HostName();
/// Returns the number of processors that this process may run on; 1 at least.
int NumAllowedProcessors();

/// Returns a variable of the environment, in UTF-8, as it is now; nothing if it is not set.
std::optional<std::string> EnvironmentVariable(char const* name);

/// Prepares this process for the work of a program: the standard streams carry bytes as they are, text on them is
/// UTF-8, and exceeding a limit on the size of files becomes a write error, like a full disk. \returns the words after
/// the program's name, in UTF-8; the arguments are those of main().
std::vector<std::string> StartProgram(int argc, char** argv);

/// Replaces this process by a program, which is looked for as a shell does; words[0] names it. Where processes cannot
/// be replaced, this one waits for the program and ends with its exit status. \returns an errno, only if it fails.
int BecomeProgram(std::vector<std::string> words);

/// The signal that ends programs whose output nobody reads.
extern int const kBrokenPipe;

/// During its lifetime, calls `handler` for the first signal of a number; the second one ends the process. A signal
/// that the process ignores stays ignored.
class HandleOnce {
 public:
  HandleOnce(int signal, void (*handler)(int));
  ~HandleOnce();
  HandleOnce(HandleOnce const&) = delete;
  HandleOnce& operator=(HandleOnce const&) = delete;

 private:
  struct Before;  ///< the earlier action at the signal

  int signal_;
  std::unique_ptr<Before> before_;
};

}  // namespace kauri::platform
