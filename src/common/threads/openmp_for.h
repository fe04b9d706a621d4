/// \file The loop of the baseline that the papers compare with, on the threads of OpenMP.
///
/// All other loops use the library's own threads (parallel_for.h), which are faster on a busy machine.
#pragma once

#include <cstdint>

#include "common/threads/parallel_for.h"

namespace kauri {
namespace detail {

/// Does the same as RunBlocks, on OpenMP's threads where it can.
void RunBlocksOnOpenMp(int threads, std::int64_t n_blocks, RunBlock run, void* loop);

}  // namespace detail

/// Does the same as ParallelForBlocks, with `#pragma omp for schedule(dynamic, 1)` over the blocks. The library's own
/// threads do it if the build has no OpenMP, or if the machine cannot start `ctx.threads` threads now.
template <typename Fn>
void OpenMpForBlocks(Context const& ctx, std::int64_t n, std::int64_t block_size, Fn&& fn) {
  auto run = [&](std::int64_t block) {
    auto const begin = block * block_size;
    fn(begin, begin + block_size < n ? begin + block_size : n, block);
  };
  auto const call = [](void* loop, std::int64_t block) { (*static_cast<decltype(run)*>(loop))(block); };
  detail::RunBlocksOnOpenMp(ctx.threads, NumBlocks(n, block_size), call, &run);
}

/// Returns whether the build has OpenMP.
bool HasOpenMp();

}  // namespace kauri
