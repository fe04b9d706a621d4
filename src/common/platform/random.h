/// \file Random numbers that nobody can guess, for secrets. Trainings have their own, which seeds determine.
#pragma once

#include <cstddef>

namespace kauri::platform {

/// Fills the memory with random bytes of the system; at most 256. \returns 0 or an errno.
int RandomBytes(void* data, std::size_t n_bytes);

}  // namespace kauri::platform
