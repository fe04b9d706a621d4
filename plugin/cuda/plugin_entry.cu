/// \file The door of the CUDA plug-in: what the core finds when it loads libkauri_cuda.so.
#include <cuda_runtime_api.h>

#include <sstream>
#include <string>

#include "cuda/engine/cuda_engine.h"
#include "cuda/exact/gpu_exact_builder.h"
#include "cuda/predictor/gpu_predictor.h"
#include "kauri/plugin.h"
#include "kauri/version.h"

namespace kauri::cuda {
namespace {

/// Why no device can be used, in words for the person at the keyboard.
std::string ProblemText(cudaError_t code, int n_devices) {
  if (code == cudaErrorInsufficientDriver) {
    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::ostringstream text;
    if (driver == 0) {
      text << "no NVIDIA driver is installed; install one that supports CUDA " << runtime / 1000
           << ", or use device=cpu";
    } else {
      text << "the NVIDIA driver supports CUDA " << driver / 1000 << "." << driver % 1000 / 10
           << " but the plug-in was built for CUDA " << runtime / 1000 << "." << runtime % 1000 / 10
           << "; update the driver, or use device=cpu";
    }
    return text.str();
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && n_devices == 0)) {
    return "the NVIDIA driver sees no CUDA device; check CUDA_VISIBLE_DEVICES, or use device=cpu";
  }
  return std::string("the CUDA runtime does not start: ") + cudaGetErrorString(code);
}

std::string DescribeDevices(std::string* problem) {
  int n_devices = 0;
  auto const code = cudaGetDeviceCount(&n_devices);
  if (code != cudaSuccess || n_devices == 0) {
    cudaGetLastError();
    *problem = ProblemText(code, n_devices);
    return {};
  }
  std::ostringstream lines;
  for (int device = 0; device < n_devices; ++device) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) continue;
    lines << "cuda:" << device << " " << properties.name << ", compute capability " << properties.major << "."
          << properties.minor << ", " << (properties.totalGlobalMem >> 20U) << " MiB, "
          << properties.multiProcessorCount << " multiprocessors\n";
  }
  return lines.str();
}

void RegisterEntries(Registries* registries) {
  registries->engines.Add({"cuda", "Margins, gradients and metrics in the memory of a CUDA device.", MakeCudaEngine});
  registries->tree_methods.Add({"gpu_exact",
                                "The exact method on a CUDA device; the bytes of its models are those of exact.",
                                MakeGpuExactBuilder, &DescribeParameters<GpuExactParam>});
  RegisterGpuPredictor(&registries->predictors);
}

}  // namespace
}  // namespace kauri::cuda

extern "C" kauri::Plugin const* KauriPluginEntry() {
  static kauri::Plugin const plugin{kauri::kPluginInterface, KAURI_VERSION, "cuda", &kauri::cuda::DescribeDevices,
                                    &kauri::cuda::RegisterEntries};
  return &plugin;
}
