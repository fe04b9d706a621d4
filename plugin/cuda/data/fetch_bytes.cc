#include "cuda/data/fetch_bytes.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"

namespace kauri::cuda {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 20U;

/// Returns the memory that is kept for the next call, 4 MiB at most for each device.
IdlePinned<char>& Idle() {
  constexpr std::size_t kMostIdle = 4;
  static auto* const idle = new IdlePinned<char>(kMostIdle, kPartBytes);
  return *idle;
}

/// A part under way.
class Part {
 public:
  explicit Part(int device) : bytes_(Idle().Take()), arrived_(device) { bytes_.Reserve(kPartBytes); }
  ~Part() {
    arrived_.WaitQuietly();
    Idle().GiveBack(std::move(bytes_));
  }
  Part(Part const&) = delete;
  Part& operator=(Part const&) = delete;

  void Send(CudaContext const& cuda, char const* from, std::size_t n_bytes) {
    CopyToHost(cuda, from, n_bytes, bytes_.data());
    arrived_.Record(cuda);
  }
  /// Waits for the part.
  char const* Bytes() const {
    arrived_.Wait();  // for the bytes
    return bytes_.data();
  }

 private:
  PinnedBuffer<char> bytes_;
  Event arrived_;
};

}  // namespace

void FetchBytes(CudaContext const& cuda, char const* from, std::size_t n_bytes,
                std::function<void(char const* bytes, std::size_t n_bytes)> const& take) {
  if (n_bytes <= kPartBytes) {
    auto const bytes = ToHost(cuda, from, n_bytes);
    return take(bytes.data(), bytes.size());
  }
  Part even(cuda.device);
  Part odd(cuda.device);
  std::array<Part*, 2> const parts{&even, &odd};
  auto const n_parts = (n_bytes + kPartBytes - 1) / kPartBytes;
  auto const size_of = [&](std::size_t part) { return std::min(kPartBytes, n_bytes - part * kPartBytes); };
  auto const send = [&](std::size_t part) {
    parts[part % parts.size()]->Send(cuda, from + part * kPartBytes, size_of(part));
  };
  send(0);
  for (std::size_t part = 0; part < n_parts; ++part) {
    if (part + 1 < n_parts) send(part + 1);
    take(parts[part % parts.size()]->Bytes(), size_of(part));
  }
}

}  // namespace kauri::cuda
