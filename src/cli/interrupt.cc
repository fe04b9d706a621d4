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

/// Forgets the signal of an earlier watch, before a handler can keep a new one.
int ForgetBefore(int signal) {
  kept_signal = 0;
  return signal;
}

}  // namespace

SignalWatch::SignalWatch() : interrupt_(ForgetBefore(SIGINT), Keep), terminate_(SIGTERM, Keep) {}

int SignalWatch::Signal() { return kept_signal; }

}  // namespace kauri::cli
