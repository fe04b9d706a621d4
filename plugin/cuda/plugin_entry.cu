/// \file The entry of the CUDA plug-in, which the core calls when it loads libkauri_cuda.so.
#include <cuda_runtime_api.h>

#include <sstream>
#include <string>

#include "cuda/capabilities.h"
#include "cuda/common/device_problem.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/engine/cuda_engine.h"
#include "cuda/exact/gpu_exact_builder.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "cuda/hist/gpu_approx_builder.h"
#include "cuda/hist/gpu_hist_builder.h"
#include "cuda/predictor/gpu_predictor.h"
#include "data/memory_budget.h"
#include "kauri/plugin.h"
#include "kauri/version.h"

namespace kauri::cuda {
namespace {

std::string DescribeDevice(int device) {
  std::ostringstream line;
  line << "cuda:" << device << " ";
  cudaDeviceProp properties{};
  auto const code = cudaGetDeviceProperties(&properties, device);
  if (code != cudaSuccess) {
    cudaGetLastError();
    line << "(" << cudaGetErrorString(code) << ")\n";
    return line.str();
  }
  line << properties.name << ", compute capability " << properties.major << "." << properties.minor << ", "
       << (properties.totalGlobalMem >> 20U) << " MiB, " << properties.multiProcessorCount << " multiprocessors\n";
  return line.str();
}

std::string DescribeDevices(std::string* problem) {
  auto const survey = SurveyDevices();
  *problem = DeviceProblem(survey);
  std::string lines;
  if (!problem->empty()) return lines;
  for (int device = 0; device < survey.n_devices; ++device) lines += DescribeDevice(device);
  return lines;
}

void RegisterEntries(Registries* registries) {
  registries->engines.Add({"cuda", "Margins, gradients and metrics in the memory of a CUDA device.", MakeCudaEngine,
                           nullptr, CudaEngineSupports()});
  registries->tree_methods.Add({"gpu_exact",
                                "The exact method on a CUDA device; the bytes of its models are those of exact.",
                                MakeGpuExactBuilder, &DescribeParameters<GpuExactParam>, GpuExactSupports()});
  registries->tree_methods.Add({"gpu_hist",
                                "The histogram method on a CUDA device; the bytes of its models are those of hist.",
                                MakeGpuHistBuilder, &DescribeParameters<MemoryParam>, GpuHistSupports()});
  registries->tree_methods.Add({"gpu_approx",
                                "The approximate method on a CUDA device; the bytes of its models are those of approx.",
                                MakeGpuApproxBuilder, &DescribeParameters<MemoryParam>, GpuApproxSupports()});
  RegisterGpuPredictor(&registries->predictors);
  registries->device_memories.Add(
      {"cuda", "Arrays in the memory of CUDA devices.", [] { return MakeCudaMemory(KeepBins); }});
}

}  // namespace
}  // namespace kauri::cuda

extern "C" kauri::Plugin const* KauriPluginEntry() {
  static kauri::Plugin const kPlugin{kauri::kPluginInterface, KAURI_VERSION, "cuda", &kauri::cuda::DescribeDevices,
                                     &kauri::cuda::RegisterEntries};
  return &kPlugin;
}
