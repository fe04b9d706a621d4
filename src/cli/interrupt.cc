#include "cli/interrupt.h"

#include "common/platform/file.h"

namespace kauri::cli {
namespace {

volatile std::sig_atomic_t kept_signal = 0;

void Keep(int signal) {
  kept_signal = signal;
  constexpr char kLine[] = "\nends after this round; a second signal ends at once\n";
  static_cast<void>(platform::WriteTo(platform::kStandardError, kLine, sizeof(kLine) - 1));
}

}  // namespace

SignalWatch::SignalWatch() : interrupt_(SIGINT, Keep), terminate_(SIGTERM, Keep) { kept_signal = 0; }

int SignalWatch::Signal() { return kept_signal; }

}  // namespace kauri::cli
