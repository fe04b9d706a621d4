#include "common/platform/process.h"

#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <windows.h>
// The next header needs the one above.
#include <shellapi.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "common/platform/windows/errors.h"

namespace kauri::platform {
namespace {

/// Returns a word as the C runtime of the program that is started reads it back from the command line.
std::string InQuotes(std::string const& word) {
  std::string quoted = "\"";
  std::size_t n_backslashes = 0;
  for (auto const c : word) {
    n_backslashes = c == '\\' ? n_backslashes + 1 : 0;
    // Backslashes before a quote are doubled, and one stands for the quote.
    if (c == '"') quoted.append(std::string(quoted.size() - quoted.find_last_not_of('\\') - 1, '\\') + '\\');
    quoted += c;
  }
  return quoted + std::string(n_backslashes, '\\') + '"';
}

}  // namespace

int ProcessId() { return static_cast<int>(GetCurrentProcessId()); }

bool HasEnded(int process) {
  if (process <= 0) return false;  // the system's own process, which cannot be opened
  auto* const handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(process));
  if (handle == nullptr) return GetLastError() == ERROR_INVALID_PARAMETER;
  DWORD status = STILL_ACTIVE;
  auto const is_known = GetExitCodeProcess(handle, &status) != 0;
  CloseHandle(handle);
  return is_known && status != STILL_ACTIVE;
}

std::string HostName() {
  std::array<wchar_t, 256> name{};
  auto size = static_cast<DWORD>(name.size());
  return GetComputerNameExW(ComputerNameDnsHostname, name.data(), &size) != 0 ? Narrow({name.data(), size})
                                                                              : "localhost";
}

int NumAllowedProcessors() {
  DWORD_PTR allowed = 0;
  DWORD_PTR all = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all) == 0) allowed = 0;
  // A process on several groups of 64 processors has the mask 0.
  auto const n =
      allowed != 0 ? __builtin_popcountll(allowed) : static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
  return std::max(1, n);
}

std::optional<std::string> EnvironmentVariable(char const* name) {
  SetLastError(ERROR_SUCCESS);
  std::wstring value;
  auto size = GetEnvironmentVariableW(Wide(name).c_str(), nullptr, 0);
  // Another thread may make it longer in between. The size counts the zero at the end only where it is too small.
  while (size > value.size()) {
    value.resize(size);
    size = GetEnvironmentVariableW(Wide(name).c_str(), value.data(), size);
  }
  if (size == 0 && (value.empty() || GetLastError() == ERROR_ENVVAR_NOT_FOUND)) return std::nullopt;
  value.resize(size);
  return Narrow(value);
}

std::vector<std::string> StartProgram(int /*argc*/, char** /*argv*/) {
  for (auto const file : {0, 1, 2}) _setmode(file, _O_BINARY);
  static UINT const code_page = GetConsoleOutputCP();
  if (code_page != 0 && SetConsoleOutputCP(CP_UTF8) != 0) {
    std::atexit([] { SetConsoleOutputCP(code_page); });
  }
  int n_words = 0;
  auto* const wide = CommandLineToArgvW(GetCommandLineW(), &n_words);
  std::vector<std::string> words;
  for (int i = 1; i < n_words; ++i) words.push_back(Narrow(wide[i]));
  LocalFree(wide);
  return words;
}

int BecomeProgram(std::vector<std::string> words) {
  std::vector<std::wstring> wide;
  for (auto const& word : words) wide.push_back(Wide(InQuotes(word)));
  std::vector<wchar_t const*> arguments;
  for (auto const& word : wide) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  auto const status = _wspawnvp(_P_WAIT, Wide(words[0]).c_str(), arguments.data());
  if (status == -1) return errno;
  ExitProcess(static_cast<UINT>(status));
}

int const kBrokenPipe = SIGTERM;

struct HandleOnce::Before {
  void (*action)(int);
};

HandleOnce::HandleOnce(int signal, void (*handler)(int)) : signal_(signal), before_(new Before{}) {
  // The C runtime of Windows forgets a handler when it calls it.
  before_->action = std::signal(signal, handler);
  if (before_->action == SIG_IGN) std::signal(signal, SIG_IGN);
}

HandleOnce::~HandleOnce() {
  if (before_->action != SIG_ERR) std::signal(signal_, before_->action);
}

}  // namespace kauri::platform
