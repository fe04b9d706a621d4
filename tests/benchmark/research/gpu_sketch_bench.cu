// Measures power sums of one column in device memory: figure 11 of the thesis's chapter 3.
//
//   gpu_sketch_bench [LARGEST]       LARGEST: the maximum number of values, 10^9 by default
//
// Prints a line for each number of values (10^3, 10^4, ..) and order (5, 10, 15): milliseconds (the median of five
// after a warm-up) of central sums on the device, including the wait for the result; of naive sums there (plain powers,
// the fastest possible); of central sums on the CPU with all threads; of a copy within the device that reads and writes
// the same number of bytes. The sums of the device are compared with the CPU's, bit for bit; a difference fails.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common/random/random.h"
#include "common/threads/parallel_for.h"
#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "gpu_moment_sketch.h"

namespace {

using kauri::PowerSums;
using kauri::cuda::CudaContext;

constexpr int kThreads = 256;
constexpr int kBlocks = 1056;  // a few blocks per multiprocessor

/// Fills values of N(1000, 1), by the method of Box and Muller.
__global__ void FillKernel(float* values, std::int64_t n) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
    double const radius = sqrt(-2.0 * log(1.0 - kauri::RandomUniform(1, 2 * i)));
    values[i] = static_cast<float>(1000.0 + radius * cos(6.283185307179586 * kauri::RandomUniform(1, 2 * i + 1)));
  }
}

/// Computes naive sums. sums: [kOrder + 1], zero before.
template <int kOrder>
__global__ void NaiveKernel(float const* values, std::int64_t n, double* sums) {
  double lane[kOrder + 1] = {};
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
    double const x = values[i];
    double power = 1.0;
#pragma unroll
    for (int k = 0; k <= kOrder; ++k) {
      lane[k] += power;
      power *= x;
    }
  }
#pragma unroll
  for (int k = 0; k <= kOrder; ++k) {
    for (int half = 16; half > 0; half /= 2) lane[k] += __shfl_down_sync(0xFFFFFFFFU, lane[k], half);
    if (threadIdx.x % 32 == 0) atomicAdd(sums + k, lane[k]);
  }
}

template <int kOrder>
void SumNaively(CudaContext const& cuda, float const* values, std::int64_t n, double* sums) {
  kauri::cuda::FillZero(cuda, sums, kOrder + 1);
  auto const blocks = std::min<std::int64_t>(kBlocks, (n + kThreads - 1) / kThreads);
  kauri::cuda::Launch(cuda, static_cast<unsigned>(blocks), kThreads, NaiveKernel<kOrder>, values, n, sums);
  cuda.Synchronize();
}

template <typename Fn>
double MedianMilliseconds(Fn&& fn) {
  std::vector<double> times;
  for (int run = 0; run < 6; ++run) {
    auto const start = std::chrono::steady_clock::now();
    fn();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin() + 1, times.end());
  return times[3];
}

/// Computes the sums with all threads. Parts of 2^10 blocks are nodes of the tree of all blocks, so one thread computes
/// the same bits.
PowerSums SumOnHost(kauri::Context const& ctx, std::vector<float> const& values, int order) {
  constexpr std::size_t kPart = kauri::kPowerBlock << 10U;
  auto const n_parts = (values.size() + kPart - 1) / kPart;
  std::vector<PowerSums> parts(n_parts);
  kauri::ParallelFor(ctx, static_cast<std::int64_t>(n_parts), [&](std::int64_t part) {
    auto const begin = static_cast<std::size_t>(part) * kPart;
    kauri::PowerSumTree tree(order);
    tree.Add(kauri::Span<float const>(values).subspan(begin, std::min(kPart, values.size() - begin)), {});
    parts[part] = tree.Sums();
  });
  for (std::size_t stride = 1; stride < n_parts; stride *= 2) {
    for (std::size_t left = 0; left + stride < n_parts; left += 2 * stride) {
      parts[left] = parts[left].MergedWith(parts[left + stride]);
    }
  }
  return parts[0];
}

bool AreSame(PowerSums const& a, PowerSums const& b) {
  return a.weight == b.weight && a.exponent == b.exponent && a.min == b.min && a.max == b.max &&
         std::memcmp(&a.mean, &b.mean, sizeof(a.mean)) == 0 &&
         std::memcmp(a.sums.data(), b.sums.data(), sizeof(a.sums)) == 0;
}

template <int kOrder>
bool Measure(CudaContext const& cuda, kauri::Context const& ctx, float* values, float* copy, std::int64_t n) {
  kauri::DeviceLayout rows;
  rows.n_rows = n;
  rows.n_cols = 1;
  rows.values = values;
  rows.row_stride = 1;
  PowerSums sums;
  auto const central = MedianMilliseconds([&] { sums = kauri::cuda::SketchColumns(cuda, rows, nullptr, kOrder)[0]; });
  kauri::cuda::Buffer<double> naive_sums(cuda, kOrder + 1);
  auto const naive = MedianMilliseconds([&] { SumNaively<kOrder>(cuda, values, n, naive_sums.data()); });
  auto const copied = MedianMilliseconds([&] {
    kauri::cuda::CopyOnDevice(cuda, values, static_cast<std::size_t>(n), copy);
    cuda.Synchronize();  // waits for the copy
  });
  auto const host = kauri::cuda::ToHost(cuda, values, static_cast<std::size_t>(n));
  PowerSums on_host;
  auto const cpu = MedianMilliseconds([&] { on_host = SumOnHost(ctx, host, kOrder); });
  auto const same = AreSame(sums, on_host);
  std::printf("%11lld %3d %10.3f %10.3f %10.3f %10.3f %s\n", static_cast<long long>(n), kOrder, central, naive, cpu,
              copied, same ? "same bits" : "DIFFERENT");
  std::fflush(stdout);
  return same;
}

}  // namespace

int main(int argc, char** argv) {
  auto const largest = argc > 1 ? std::atoll(argv[1]) : 1000000000LL;
  kauri::cuda::StreamOwner const stream(0);
  auto const& cuda = stream.Context();
  kauri::Context ctx;
  ctx.threads = 16;
  auto const size = static_cast<std::size_t>(largest);
  kauri::cuda::Buffer<float> values(cuda, size);
  kauri::cuda::Buffer<float> copy(cuda, size);
  kauri::cuda::Launch(cuda, kBlocks, kThreads, FillKernel, values.data(), static_cast<std::int64_t>(largest));
  std::printf("%11s %3s %10s %10s %10s %10s\n", "values", "l", "central", "naive", "cpu", "copy");
  auto are_same = true;
  for (std::int64_t n = 1000; n <= largest; n *= 10) {
    are_same = Measure<5>(cuda, ctx, values.data(), copy.data(), n) && are_same;
    are_same = Measure<10>(cuda, ctx, values.data(), copy.data(), n) && are_same;
    are_same = Measure<15>(cuda, ctx, values.data(), copy.data(), n) && are_same;
  }
  return are_same ? 0 : 1;
}
