#include "common/log.h"

#include <atomic>
#include <mutex>

#include "common/quoted.h"

namespace kauri {
namespace {

std::atomic<int> g_level{static_cast<int>(LogLevel::kWarning)};
std::mutex g_mutex;
LogCallback g_callback = nullptr;  // at most one of the two
LeveledLogCallback g_leveled_callback = nullptr;

}  // namespace

void SetLogCallback(LogCallback callback) {
  std::lock_guard<std::mutex> const lock(g_mutex);
  g_callback = callback;
  g_leveled_callback = nullptr;
}

void SetLeveledLogCallback(LeveledLogCallback callback) {
  std::lock_guard<std::mutex> const lock(g_mutex);
  g_callback = nullptr;
  g_leveled_callback = callback;
}

void SetLogLevel(int level) { g_level = level; }

int GetLogLevel() { return g_level; }

void LogLine(LogLevel level, std::string const& line) {
  if (static_cast<int>(level) > GetLogLevel()) return;
  auto const shown = Presentable(line);
  std::lock_guard<std::mutex> const lock(g_mutex);
  if (g_callback != nullptr) g_callback(shown.c_str());
  if (g_leveled_callback != nullptr) g_leveled_callback(static_cast<int>(level), shown.c_str());
}

}  // namespace kauri
