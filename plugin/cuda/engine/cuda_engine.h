/// \file The engine of device=cuda: everything that has a value per row stays in device memory.
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/engine.h"

namespace kauri::cuda {

/// Makes a session on the devices of the calls' context. An objective, metric or tree builder without a device version
/// gets host copies every round, which is logged once for its name.
std::unique_ptr<Engine> MakeCudaEngine();
/// Makes the same, for tests that cut few rows into several shards. fewest_rows: minimum number of rows of a shard.
std::unique_ptr<Engine> MakeShardedCudaEngine(std::int64_t fewest_rows);

}  // namespace kauri::cuda
