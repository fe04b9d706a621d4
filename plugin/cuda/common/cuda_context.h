/// \file The device and the stream: the first argument of everything in the plug-in. There is no default stream. Before
/// them, the only check of the results of CUDA runtime calls.
///
/// Copies between the memories of two devices: if the devices have peer access (NVLink, or PCIe if the host allows it)
/// a copy crosses once, at the speed of the link. Otherwise the driver takes it through the host's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace kauri::cuda {

/// The number of threads of a block, for kernels without a reason for another.
constexpr int kBlockThreads = 256;

/// Does nothing for cudaSuccess. \throws Error(kMemory) if the device has no memory left, else Error(kDevice). The
/// message has `what` (the call, as written), CUDA's name and text for the code, and the place. Clears an error that is
/// not sticky.
void CheckCuda(cudaError_t code, char const* what, char const* file, int line);

/// KAURI_CUDA_CHECK(cudaMalloc(&pointer, bytes));
#define KAURI_CUDA_CHECK(call) ::kauri::cuda::CheckCuda((call), #call, __FILE__, __LINE__)

/// A device and a stream on which all work is ordered. Not owning; cheap to copy.
struct CudaContext {
  int device = 0;
  cudaStream_t stream = nullptr;

  /// Waits for all work on the stream. Callers state in a comment which value they wait for.
  void Synchronize() const { KAURI_CUDA_CHECK(cudaStreamSynchronize(stream)); }
};

/// Makes all later work on the stream of `cuda` wait for the present work of `other`, a stream of the same device.
/// `other` may be a default stream.
void WaitFor(CudaContext const& cuda, cudaStream_t other);

/// Returns the number of the current device's context, which no earlier context of this process had. cudaDeviceReset
/// ends a context with all its streams and memory, also those that are idle here. 0 if no device is current.
std::uint64_t ContextId();

/// Owns a stream of one device and keeps the device's async pool from giving memory back between calls. Streams are
/// used again: to make and to end one takes the driver's lock for 0.1 ms, for which all other threads wait.
class StreamOwner {
 public:
  explicit StreamOwner(int device);
  ~StreamOwner();
  StreamOwner(StreamOwner const&) = delete;
  StreamOwner& operator=(StreamOwner const&) = delete;
  CudaContext const& Context() const { return context_; }

 private:
  CudaContext context_;
  std::uint64_t context_id_ = 0;
};

/// Makes `device` current for a scope. The current device belongs to the calling thread, so it is restored.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(DeviceScope const&) = delete;
  DeviceScope& operator=(DeviceScope const&) = delete;

 private:
  int previous_ = 0;
};

/// Gives two devices access to each other's async pools, if possible. Idempotent.
void ReachEachOther(int one, int other);
/// Returns whether kernels of `device` may read memory of the pool of `owner`, after ReachEachOther, or of their own.
bool CanRead(int device, int owner);

/// Copies on the stream of `to_cuda`. `from` is memory of `device` or page-locked memory of the host. Its contents must
/// be ready by then (Event::HoldBack), and stay until the stream has passed.
template <typename T>
void CopyFromDevice(CudaContext const& to_cuda, int device, T const* from, std::size_t size, T* to) {
  if (size == 0) return;
  if (device == to_cuda.device) {
    KAURI_CUDA_CHECK(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyDefault, to_cuda.stream));
    return;
  }
  KAURI_CUDA_CHECK(cudaMemcpyPeerAsync(to, to_cuda.device, from, device, size * sizeof(T), to_cuda.stream));
}

}  // namespace kauri::cuda
