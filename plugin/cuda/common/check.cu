#include <cstring>

#include "cuda/common/check.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

/// Returns the file's name without its path, because the path of the build means nothing to a user.
char const* BaseName(char const* path) {
  auto const* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

}  // namespace

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

}  // namespace kauri::cuda
