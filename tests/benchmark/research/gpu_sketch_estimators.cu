// Measures the errors of the rows of tables 2 and 5 of chapter 3 that are a device's: sums of columns in its memory.
//
//   gpu_sketch_estimators FILE N_ROWS        columns of float32, one after the other, NaN where missing
//   gpu_sketch_estimators normal N_VALUES    N_VALUES numbers of N(1000, 1) against the analytic distribution
//
// Prints the lines of sketch_estimators. Central sums are the plug-in's; naive sums are plain powers, added by a tree.
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "gpu_moment_sketch.h"
#include "sketch_measure.h"

namespace {

using namespace sketch_estimators;
using kauri::cuda::Buffer;
using kauri::cuda::CudaContext;

constexpr int kThreads = 256;
constexpr int kBlocks = 1024;

/// Fills values of N(1000, 1), by the method of Box and Muller.
__global__ void FillKernel(float* values, std::int64_t n) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
    double const radius = sqrt(-2.0 * log(1.0 - kauri::RandomUniform(1, 2 * i)));
    values[i] = static_cast<float>(1000.0 + radius * cos(6.283185307179586 * kauri::RandomUniform(1, 2 * i + 1)));
  }
}

/// Adds the powers of a block's values by a tree. sums: [kBlocks, order + 1].
__global__ void NaiveKernel(float const* values, std::int64_t n, int order, double* sums) {
  __shared__ double lanes[kThreads];
  for (int k = 0; k <= order; ++k) {
    double sum = 0.0;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
         i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
      double const x = values[i];
      double power = 1.0;
      for (int step = 0; step < k; ++step) power *= x;
      if (!isnan(values[i])) sum += power;
    }
    lanes[threadIdx.x] = sum;
    for (int half = kThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (static_cast<int>(threadIdx.x) < half) lanes[threadIdx.x] += lanes[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x * (order + 1) + k] = lanes[0];
    __syncthreads();
  }
}

Numbers NaiveSumsOnDevice(CudaContext const& cuda, float const* values, std::int64_t n, int order) {
  auto const width = static_cast<std::size_t>(order) + 1;
  Buffer<double> sums(cuda, kBlocks * width);
  kauri::cuda::Launch(cuda, kBlocks, kThreads, NaiveKernel, values, n, order, sums.data());
  auto const parts = kauri::cuda::ToHost(cuda, sums.data(), kBlocks * width);
  Numbers result;
  for (std::size_t k = 0; k < width; ++k) {
    Numbers of_power;
    for (std::size_t block = 0; block < kBlocks; ++block) of_power.push_back(parts[block * width + k]);
    result.push_back(SumByTree(of_power.data(), of_power.size()));
  }
  return result;
}

kauri::PowerSums CentralSums(CudaContext const& cuda, float const* values, std::int64_t n, int order) {
  kauri::DeviceLayout rows;
  rows.n_rows = n;
  rows.n_cols = 1;
  rows.values = values;
  rows.row_stride = 1;
  return kauri::cuda::SketchColumns(cuda, rows, nullptr, order)[0];
}

void MeasureOnDevice(CudaContext const& cuda, Column const& column, float const* values, std::int64_t n) {
  for (int const order : {5, 10, 15}) {
    auto const size = static_cast<std::size_t>(order);
    MeasureBoth(column, "central-gpu", size, CentralSums(cuda, values, n, order).MappedMoments());
    auto const naive = NaiveSumsOnDevice(cuda, values, n, order);
    MeasureBoth(column, "naive-gpu", size, MomentsOfSums(naive, column.low, column.high));
  }
}

void MeasureNormal(CudaContext const& cuda, std::int64_t n) {
  Buffer<float> values(cuda, static_cast<std::size_t>(n));
  kauri::cuda::Launch(cuda, kBlocks, kThreads, FillKernel, values.data(), n);
  auto const sums = CentralSums(cuda, values.data(), n, 2);
  MeasureOnDevice(cuda, NormalColumn(sums.min, sums.max), values.data(), n);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: gpu_sketch_estimators FILE N_ROWS | normal N_VALUES\n");
    return 2;
  }
  kauri::cuda::StreamOwner const stream(0);
  auto const& cuda = stream.Context();
  auto const n = std::atoll(argv[2]);
  if (std::strcmp(argv[1], "normal") == 0) {
    MeasureNormal(cuda, n);
    return 0;
  }
  ForEachColumn(argv[1], static_cast<std::size_t>(n), [&](Column const& column) {
    auto const size = column.stream.size();
    auto const values = kauri::cuda::ToDevice(cuda, column.stream);
    MeasureOnDevice(cuda, column, values.data(), static_cast<std::int64_t>(size));
  });
  return 0;
}
