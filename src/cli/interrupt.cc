#include "cli/interrupt.h"

#include <unistd.h>

namespace kauri::cli {
namespace {

volatile std::sig_atomic_t kept_signal = 0;

void Keep(int signal) {
  kept_signal = signal;
  constexpr char kLine[] = "\nends after this round; a second signal ends at once\n";
  [[maybe_unused]] auto const written = write(STDERR_FILENO, kLine, sizeof(kLine) - 1);
}

void Watch(int signal, struct sigaction* before) {
  sigaction(signal, nullptr, before);
  if (before->sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = Keep;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

}  // namespace

SignalWatch::SignalWatch() {
  kept_signal = 0;
  Watch(SIGINT, &interrupt_);
  Watch(SIGTERM, &terminate_);
}

SignalWatch::~SignalWatch() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

int SignalWatch::Signal() { return kept_signal; }

}  // namespace kauri::cli
