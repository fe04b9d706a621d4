#include <cuda.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

/// Returns the file's name without its path, because the path of the build means nothing to a user.
char const* BaseName(char const* path) {
  auto const* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

void LetReach(int owner, int peer) {
  if (!CanRead(peer, owner)) return;
  cudaMemPool_t pool = nullptr;
  KAURI_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, owner));
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = peer;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  KAURI_CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
}

/// Returns the driver's function that numbers contexts, or null. The plug-in is not linked with the driver.
decltype(&cuCtxGetId) FindContextNumbers() {
  constexpr unsigned kFirstVersion = 12000;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how{};
  auto const code = cudaGetDriverEntryPointByVersion("cuCtxGetId", &found, kFirstVersion, cudaEnableDefault, &how);
  if (code != cudaSuccess) cudaGetLastError();
  return code == cudaSuccess && how == cudaDriverEntryPointSuccess ? reinterpret_cast<decltype(&cuCtxGetId)>(found)
                                                                   : nullptr;
}

/// Streams that nobody uses. Thread-safe.
class IdleStreams {
 public:
  /// Returns a stream of the device's context, or null.
  cudaStream_t Take(int device, std::uint64_t context_id) {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto& streams = streams_[{device, context_id}];
    streams.reserve(kMost);  // so that Keep does not fail
    if (streams.empty()) return nullptr;
    auto* const stream = streams.back();
    streams.pop_back();
    return stream;
  }
  /// Returns whether the stream is kept. It has no work left, and Take was called for its context.
  bool Keep(int device, std::uint64_t context_id, cudaStream_t stream) {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto& streams = streams_[{device, context_id}];
    if (streams.size() >= kMost) return false;
    streams.push_back(stream);
    return true;
  }

 private:
  static constexpr std::size_t kMost = 64;  ///< of a context
  std::mutex mutex_;
  std::map<std::pair<int, std::uint64_t>, std::vector<cudaStream_t>> streams_;
};

/// Returns the streams, which are never ended: CUDA may end before static objects do.
IdleStreams& Idle() {
  static auto* const idle = new IdleStreams();
  return *idle;
}

/// Returns a new stream of the current device.
cudaStream_t MakeStream(int device) {
  cudaMemPool_t pool = nullptr;
  KAURI_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  auto threshold = std::numeric_limits<std::uint64_t>::max();
  KAURI_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  cudaStream_t stream = nullptr;
  KAURI_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

}  // namespace

std::uint64_t ContextId() {
  static auto const number_of = FindContextNumbers();
  unsigned long long id = 0;
  return number_of != nullptr && number_of(nullptr, &id) == CUDA_SUCCESS ? id : 0;
}

void CheckCuda(cudaError_t code, char const* what, char const* file, int line) {
  if (code == cudaSuccess) return;
  // Clears errors that are not sticky; otherwise the next, unrelated call would return them.
  cudaGetLastError();
  if (code == cudaErrorMemoryAllocation) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    Fail(ErrorKind::kMemory, "the CUDA device is out of memory: ", free_bytes >> 20U, " of ", total_bytes >> 20U,
         " MiB are free at ", BaseName(file), ":", line, ". Use fewer rows, a smaller max_bin, or device=cpu.");
  }
  if (code == cudaErrorNoKernelImageForDevice) {
    Fail(ErrorKind::kDevice,
         "the CUDA plug-in has no code for the compute capability of this device. Build it with "
         "-DCMAKE_CUDA_ARCHITECTURES=native, or use device=cpu.");
  }
  Fail(ErrorKind::kDevice, "CUDA call failed: ", what, " returned ", cudaGetErrorName(code), " (",
       cudaGetErrorString(code), ") at ", BaseName(file), ":", line, ".");
}

DeviceScope::DeviceScope(int device) {
  KAURI_CUDA_CHECK(cudaGetDevice(&previous_));
  KAURI_CUDA_CHECK(cudaSetDevice(device));
}

DeviceScope::~DeviceScope() { cudaSetDevice(previous_); }

void WaitFor(CudaContext const& cuda, cudaStream_t other) {
  cudaEvent_t event = nullptr;
  KAURI_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  auto const recorded = cudaEventRecord(event, other);
  auto const waiting = recorded == cudaSuccess ? cudaStreamWaitEvent(cuda.stream, event, 0) : recorded;
  cudaEventDestroy(event);  // the event lives on until it is reached
  KAURI_CUDA_CHECK(waiting);
}

StreamOwner::StreamOwner(int device) {
  DeviceScope const scope(device);
  context_.device = device;
  context_id_ = ContextId();
  context_.stream = Idle().Take(device, context_id_);
  if (context_.stream == nullptr) context_.stream = MakeStream(device);
}

StreamOwner::~StreamOwner() {
  auto const is_sound = cudaStreamSynchronize(context_.stream) == cudaSuccess;
  if (is_sound && Idle().Keep(context_.device, context_id_, context_.stream)) return;
  if (!is_sound || cudaStreamDestroy(context_.stream) != cudaSuccess) {
    cudaGetLastError();  // otherwise the next, unrelated call would return it
  }
}

bool CanRead(int device, int owner) {
  if (device == owner) return true;
  int can = 0;
  KAURI_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, owner));
  return can != 0;
}

void ReachEachOther(int one, int other) {
  if (one == other) return;
  LetReach(one, other);
  LetReach(other, one);
}

}  // namespace kauri::cuda
