#include "common/platform/process.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "common/platform/memory.h"

namespace kauri::platform {

std::int64_t BytesOfMemory() {
  return std::int64_t{std::max(sysconf(_SC_PHYS_PAGES), 1L)} * std::max(sysconf(_SC_PAGESIZE), 1L);
}

int ProcessId() { return static_cast<int>(getpid()); }

bool HasEnded(int process) { return kill(process, 0) != 0 && errno == ESRCH; }

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::optional<std::string> EnvironmentVariable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> StartProgram(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);
  return {argv + 1, argv + argc};
}

int BecomeProgram(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return errno;
}

int const kBrokenPipe = SIGPIPE;

struct HandleOnce::Before {
  struct sigaction action;
};

HandleOnce::HandleOnce(int signal, void (*handler)(int)) : signal_(signal), before_(new Before{}) {
  sigaction(signal, nullptr, &before_->action);
  if (before_->action.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

HandleOnce::~HandleOnce() { sigaction(signal_, &before_->action, nullptr); }

}  // namespace kauri::platform
