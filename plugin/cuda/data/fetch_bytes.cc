#include "cuda/data/fetch_bytes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"

namespace kauri::cuda {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 20U;

/// A part on its way.
struct Part {
  explicit Part(int device) : arrived(device) {}
  PinnedBuffer<char> bytes;
  Event arrived;
};

}  // namespace

void FetchBytes(CudaContext const& cuda, char const* from, std::size_t n_bytes,
                std::function<void(char const* bytes, std::size_t n_bytes)> const& take) {
  if (n_bytes <= kPartBytes) {
    auto const bytes = ToHost(cuda, from, n_bytes);
    return take(bytes.data(), bytes.size());
  }
  std::array<Part, 2> parts{Part(cuda.device), Part(cuda.device)};
  auto const n_parts = (n_bytes + kPartBytes - 1) / kPartBytes;
  auto const size_of = [&](std::size_t part) { return std::min(kPartBytes, n_bytes - part * kPartBytes); };
  auto const send = [&](std::size_t part) {
    auto& buffer = parts[part % parts.size()];
    buffer.bytes.Reserve(kPartBytes);
    CopyToHost(cuda, from + part * kPartBytes, size_of(part), buffer.bytes.data());
    buffer.arrived.Record(cuda);
  };
  send(0);
  for (std::size_t part = 0; part < n_parts; ++part) {
    if (part + 1 < n_parts) send(part + 1);
    auto const& buffer = parts[part % parts.size()];
    buffer.arrived.Wait();  // for the bytes of this part
    take(buffer.bytes.data(), size_of(part));
  }
}

}  // namespace kauri::cuda
