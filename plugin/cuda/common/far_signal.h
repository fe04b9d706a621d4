/// \file Holding a stream of one device back until a stream of another is done, faster than events do it.
///
/// An event crosses the queues of both devices; a word of page-locked memory is written by a kernel of the one, and a
/// kernel of the other looks at it again and again. Of a level of a tree on four devices, whose events the first one
/// waited 26 us for (H200s), it waits 18 so (H100s), mostly for work that is not done yet. The wait occupies a
/// multiprocessor a little, and the queue of its stream: on one device events are better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// From the word of one signal to that of the next: a line of a cache each.
constexpr std::size_t kSignalStride = 32;

/// Once the stream's work so far is done, the word, page-locked, becomes `turn`.
void SendSignal(CudaContext const& cuda, std::uint32_t* word, std::uint32_t turn);
/// Later work on the stream waits until each word is at least `turn`; of turns that wrap around the later one counts as
/// more. What sends them must have been asked for before: then it cannot be behind the wait in any queue.
/// gave_up (in, out), page-locked: becomes 1 where a word did not come for a minute, after which nothing waits any
/// more: whoever reads results looks at it.
void AwaitSignals(CudaContext const& cuda, std::vector<std::uint32_t const*> const& words, std::uint32_t turn,
                  std::uint32_t* gave_up);

}  // namespace kauri::cuda
