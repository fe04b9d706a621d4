/// \file The engine that keeps its data in host memory.
#pragma once

#include <memory>

#include "kauri/engine.h"

namespace kauri {

std::unique_ptr<Engine> MakeCpuEngine();

}  // namespace kauri
