#include "common/platform/file.h"

namespace kauri::platform {

int ReserveSpace(int /*file*/, std::int64_t /*n_bytes*/) { return 0; }

}  // namespace kauri::platform
