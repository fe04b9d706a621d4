#include "common/platform/process.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace kauri::platform {

int NumAllowedProcessors() {
  constexpr std::size_t kSets = 64;  // sets of 1024 processors each
  std::array<cpu_set_t, kSets> mask{};
  if (sched_getaffinity(0, sizeof(mask), mask.data()) == 0) {
    return std::max(1, static_cast<int>(CPU_COUNT_S(sizeof(mask), mask.data())));
  }
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace kauri::platform
