#include "cli/progress.h"

#include <unistd.h>

#include <cmath>
#include <iostream>
#include <string>

namespace kauri::cli {
namespace {

constexpr std::int64_t kBarWidth = 30;
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
constexpr char const* kEraseLine = "\r\x1b[K";

std::string TimeText(double seconds) {
  std::int64_t const whole = std::llround(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

}  // namespace

bool ErrorStreamIsTerminal() { return isatty(STDERR_FILENO) == 1; }

Progress::Progress(std::int64_t total, char const* unit)
    : total_(total),
      unit_(unit),
      enabled_(total > 0 && ErrorStreamIsTerminal()),
      start_(Clock::now()),
      last_(start_ - kRedrawInterval) {}

void Progress::Update(std::int64_t done) {
  auto const now = Clock::now();
  if (!enabled_ || done <= 0 || now - last_ < kRedrawInterval) return;
  last_ = now;
  shown_ = true;
  auto const filled = static_cast<std::size_t>(kBarWidth * done / total_);
  auto const elapsed = std::chrono::duration<double>(now - start_).count();
  auto const left = elapsed / static_cast<double>(done) * static_cast<double>(total_ - done);
  std::cerr << kEraseLine << '[' << std::string(filled, '#') << std::string(kBarWidth - filled, '.') << "] " << done
            << '/' << total_ << ' ' << unit_ << ", " << TimeText(left) << " left" << std::flush;
}

void Progress::Clear() {
  if (!shown_) return;
  std::cerr << kEraseLine << std::flush;
  shown_ = false;
}

}  // namespace kauri::cli
