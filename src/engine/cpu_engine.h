/// \file The engine that keeps its data in host memory.
#pragma once

#include <memory>

#include "kauri/capabilities.h"
#include "kauri/engine.h"

namespace kauri {

std::unique_ptr<Engine> MakeCpuEngine();
/// Returns the features of the engine in host memory.
Capabilities CpuEngineSupports();

}  // namespace kauri
