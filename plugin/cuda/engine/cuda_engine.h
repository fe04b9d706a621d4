/// \file The engine of device=cuda: everything that has a value per row stays in device memory (design D6).
#pragma once

#include <memory>

#include "kauri/engine.h"

namespace kauri::cuda {

/// Makes a session on one device. An objective, metric or tree builder without a device version gets host copies every
/// round, which is logged once for its name.
std::unique_ptr<Engine> MakeCudaEngine();

}  // namespace kauri::cuda
