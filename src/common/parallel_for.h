/// \file The only two ways to run a loop on several threads (design D9).
///
/// Which items form a block depends on n and the block size only, never on the number of threads, so whatever is
/// computed per block and combined in block order is the same for any thread count. An exception of any kind is
/// rethrown on the calling thread; the first block in order wins.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "kauri/context.h"

namespace kauri {

/// Blocks of n items: the last may be shorter.
inline std::int64_t NumBlocks(std::int64_t n, std::int64_t block_size) { return (n + block_size - 1) / block_size; }

namespace detail {

/// Keeps the exception of the lowest block.
class FirstException {
 public:
  template <typename Fn>
  void Run(std::int64_t block, Fn&& fn) noexcept {
    try {
      fn();
    } catch (...) {
      std::lock_guard<std::mutex> const lock(mutex_);
      if (exception_ == nullptr || block < block_) {
        exception_ = std::current_exception();
        block_ = block;
      }
    }
  }
  void Rethrow() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
  std::int64_t block_ = 0;
};

}  // namespace detail

/// fn(begin, end, block) for each block of at most `block_size` of the n items; blocks are handed out one by one.
template <typename Fn>
void ParallelForBlocks(Context const& ctx, std::int64_t n, std::int64_t block_size, Fn&& fn) {
  auto const n_blocks = NumBlocks(n, block_size);
  auto const run = [&](std::int64_t block) {
    auto const begin = block * block_size;
    fn(begin, begin + block_size < n ? begin + block_size : n, block);
  };
  if (ctx.threads <= 1 || n_blocks <= 1) {
    for (std::int64_t block = 0; block < n_blocks; ++block) run(block);
    return;
  }
  detail::FirstException first;
#pragma omp parallel for num_threads(ctx.threads) schedule(dynamic, 1)
  for (std::int64_t block = 0; block < n_blocks; ++block) {
    first.Run(block, [&] { run(block); });
  }
  first.Rethrow();
}

/// fn(index) for each index in [0, n): for items that are each worth a task (features, nodes, trees).
template <typename Fn>
void ParallelFor(Context const& ctx, std::int64_t n, Fn&& fn) {
  ParallelForBlocks(ctx, n, 1, [&](std::int64_t index, std::int64_t, std::int64_t) { fn(index); });
}

/// 0 .. threads-1 inside a parallel loop; for scratch memory only, never for results.
inline int ThreadIndex() { return omp_get_thread_num(); }

}  // namespace kauri
