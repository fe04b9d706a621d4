/// \file A WebAssembly module is alone: it knows no other process, no signal and not the size of the machine.
#include "common/platform/process.h"

#include <cerrno>
#include <cstdlib>

#include "common/platform/memory.h"

namespace kauri::platform {

std::int64_t BytesOfMemory() { return std::int64_t{1} << 32U; }  // what 32-bit addresses can name

int ProcessId() { return 1; }

bool HasEnded(int /*process*/) { return false; }

std::string HostName() { return "localhost"; }

std::optional<std::string> EnvironmentVariable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> StartProgram(int argc, char** argv) { return {argv + 1, argv + argc}; }

int BecomeProgram(std::vector<std::string> /*words*/) { return ENOTSUP; }

int const kBrokenPipe = 0;

struct HandleOnce::Before {};

HandleOnce::HandleOnce(int signal, void (* /*handler*/)(int)) : signal_(signal) {}

HandleOnce::~HandleOnce() { static_cast<void>(signal_); }

}  // namespace kauri::platform
