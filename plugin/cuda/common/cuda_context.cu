#include <cstdint>
#include <limits>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

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
  KAURI_CUDA_CHECK(cudaStreamCreateWithFlags(&context_.stream, cudaStreamNonBlocking));
  cudaMemPool_t pool = nullptr;
  KAURI_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  auto threshold = std::numeric_limits<std::uint64_t>::max();
  KAURI_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
}

StreamOwner::~StreamOwner() {
  cudaStreamSynchronize(context_.stream);
  cudaStreamDestroy(context_.stream);
}

}  // namespace kauri::cuda
