#include "common/platform/process.h"

#include <algorithm>
#include <thread>

namespace kauri::platform {

int NumAllowedProcessors() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace kauri::platform
