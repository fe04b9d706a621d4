/// \file The log: a callback that the host sets. Without one nothing is written anywhere.
#pragma once

#include <sstream>
#include <string>

namespace kauri {

enum class LogLevel { kWarning = 1, kInfo = 2, kDebug = 3 };

/// Receives one line without a newline. May be called from any thread; calls do not overlap.
using LogCallback = void (*)(char const* line);
/// Receives one line and its LogLevel, under the same conditions.
using LeveledLogCallback = void (*)(int level, char const* line);

/// The start of a line: its text, or the level that XGBoost's clients look for (a warning's is "WARNING: ").
enum class LineStart { kText, kLevel };

/// Sets the callback in place of the one that was set before, of either kind; null: lines are dropped.
void SetLogCallback(LogCallback callback, LineStart start = LineStart::kText);
void SetLeveledLogCallback(LeveledLogCallback callback);
/// Sets the level of the calling thread: messages above this level are dropped; kWarning by default.
void SetLogLevel(int level);
int GetLogLevel();
void LogLine(LogLevel level, std::string const& line);

template <typename... Parts>
void Log(LogLevel level, Parts const&... parts) {
  if (static_cast<int>(level) > GetLogLevel()) return;
  std::ostringstream line;
  (line << ... << parts);
  LogLine(level, line.str());
}

}  // namespace kauri
