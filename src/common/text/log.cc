#include "common/text/log.h"

#include <mutex>

#include "common/text/quoted.h"
#include "common/threads/per_thread.h"

namespace kauri {
namespace {

KAURI_STATIC_THREAD_LOCAL int t_level = static_cast<int>(LogLevel::kWarning);
std::mutex g_mutex;
LogCallback g_callback = nullptr;  // at most one of the two callbacks is set
LeveledLogCallback g_leveled_callback = nullptr;
LineStart g_line_start = LineStart::kText;

std::string StartOfLine(LogLevel level) {
  if (g_line_start == LineStart::kText) return "";
  return level == LogLevel::kWarning ? "WARNING: " : level == LogLevel::kInfo ? "INFO: " : "DEBUG: ";
}

}  // namespace

void SetLogCallback(LogCallback callback, LineStart start) {
  std::lock_guard<std::mutex> const lock(g_mutex);
  g_callback = callback;
  g_line_start = start;
  g_leveled_callback = nullptr;
}

void SetLeveledLogCallback(LeveledLogCallback callback) {
  std::lock_guard<std::mutex> const lock(g_mutex);
  g_callback = nullptr;
  g_leveled_callback = callback;
}

void SetLogLevel(int level) { t_level = level; }

int GetLogLevel() { return t_level; }

void LogLine(LogLevel level, std::string const& line) {
  if (static_cast<int>(level) > GetLogLevel()) return;
  auto const shown = Presentable(line);
  std::lock_guard<std::mutex> const lock(g_mutex);
  if (g_callback != nullptr) g_callback((StartOfLine(level) + shown).c_str());
  if (g_leveled_callback != nullptr) g_leveled_callback(static_cast<int>(level), shown.c_str());
}

}  // namespace kauri
