/// \file The only two ways to run a loop on several threads.
///
/// The blocks depend on n and the block size only, never on the number of threads. So results that are computed per
/// block and combined in block order are the same for any thread count. An exception of any kind is rethrown on the
/// calling thread; the first block in order wins. Blocks begin in ascending order, so a block may wait for blocks
/// before it, never for later ones. A loop within a block of another loop runs on the thread that reaches it.
#pragma once

#include <cstdint>

#include "kauri/context.h"

namespace kauri {

/// Returns the number of blocks of n items; the last may be shorter.
inline std::int64_t NumBlocks(std::int64_t n, std::int64_t block_size) { return (n + block_size - 1) / block_size; }

namespace detail {

using RunBlock = void (*)(void* loop, std::int64_t block);

/// Calls run(loop, block) once for each of the blocks, on this thread and up to threads - 1 others.
void RunBlocks(int threads, std::int64_t n_blocks, RunBlock run, void* loop);

}  // namespace detail

/// Calls fn(begin, end, block) for each block of at most `block_size` of the n items; blocks are handed out one by one.
template <typename Fn>
void ParallelForBlocks(Context const& ctx, std::int64_t n, std::int64_t block_size, Fn&& fn) {
  auto run = [&](std::int64_t block) {
    auto const begin = block * block_size;
    fn(begin, begin + block_size < n ? begin + block_size : n, block);
  };
  auto const call = [](void* loop, std::int64_t block) { (*static_cast<decltype(run)*>(loop))(block); };
  detail::RunBlocks(ctx.threads, NumBlocks(n, block_size), call, &run);
}

/// Calls fn(index) for each index in [0, n), for items that are each worth a task (features, nodes, trees).
template <typename Fn>
void ParallelFor(Context const& ctx, std::int64_t n, Fn&& fn) {
  ParallelForBlocks(ctx, n, 1, [&](std::int64_t index, std::int64_t, std::int64_t) { fn(index); });
}

/// Returns the calling thread's index in the innermost parallel loop, 0 .. threads-1, distinct for its threads. Use it
/// for scratch memory only, never for results.
int ThreadIndex();

}  // namespace kauri
