#include "cuda/shap/host_results.h"

#include <algorithm>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "cuda/common/buffer.h"

namespace kauri::cuda {
namespace {

/// Floats that a host thread copies at a time: few enough for the cache of a core.
constexpr std::int64_t kBlockFloats = 1 << 16;

void CopyFloats(Context const& ctx, float const* from, std::size_t size, float* to) {
  ParallelForBlocks(
      ctx, static_cast<std::int64_t>(size), kBlockFloats,
      [&](std::int64_t begin, std::int64_t end, std::int64_t) { std::copy(from + begin, from + end, to + begin); });
}

}  // namespace

HostResults::HostResults(int device, std::size_t load_floats)
    : load_floats_(load_floats), buffers_{Load(device), Load(device), Load(device), Load(device)} {}

HostResults::~HostResults() {
  for (auto load = oldest_; load < next_; ++load) LoadOf(load).arrived.WaitQuietly();
}

HostResults::Mark HostResults::Begin(Context const& ctx, CudaContext const& cuda, float const* from, std::size_t size,
                                     float* to) {
  if (size == 0) return begun_;
  waiting_.push_back({cuda, from, size, to, std::min(load_floats_, size)});
  begun_ += size;
  FillBuffers();
  ProvidePages(ctx, to, size * sizeof(float));
  return begun_;
}

void HostResults::Finish(Context const& ctx, Mark mark) {
  while (done_ < mark) TakeOldest(ctx);
}

void HostResults::FillBuffers() {
  while (!waiting_.empty() && next_ - oldest_ < kNumBuffers) {
    auto& first = waiting_.front();
    auto& load = LoadOf(next_);
    load.size = std::min(first.load_size, first.size);
    load.to = first.to;
    load.memory.Reserve(first.load_size);
    CopyToHost(first.cuda, first.from, load.size, load.memory.data());
    ++next_;  // now there is something to wait for
    load.arrived.Record(first.cuda);
    first.from += load.size;
    first.to += load.size;
    first.size -= load.size;
    if (first.size == 0) waiting_.pop_front();
  }
}

void HostResults::TakeOldest(Context const& ctx) {
  auto const& load = LoadOf(oldest_);
  load.arrived.Wait();  // for the values
  CopyFloats(ctx, load.memory.data(), load.size, load.to);
  done_ += load.size;
  ++oldest_;
  FillBuffers();
}

}  // namespace kauri::cuda
