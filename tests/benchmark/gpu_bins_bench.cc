/// \file Measures time and memory of binning on a CUDA device.
///
///   gpu_bins_bench [rows 10000000] [columns 28] [max_bin 256] [distinct 0] [weights 0] [repeats 5]
///
/// distinct: number of values of a column, or 0 for one per row. Prints medians of wall-clock time after a warm-up,
/// with rows in host memory and with rows on the device, and the maximum of the device's pool beyond the rows. Bin
/// edges of all rows and bins of the first are compared with the host's; a difference fails. make_device_bins.h gives
/// the lower bound.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "common/threads/parallel_for.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "support/device_codes.h"
#include "support/random_matrix.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kComparedRows = 20000;
constexpr std::int64_t kRowsPerBlock = 4096;

struct Options {
  std::int64_t rows = 10000000;
  std::int64_t cols = 28;
  int max_bin = 256;
  std::uint32_t distinct = 0;
  bool weights = false;
  int repeats = 5;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  if (argc > 1) options.rows = std::atoll(argv[1]);
  if (argc > 2) options.cols = std::atoll(argv[2]);
  if (argc > 3) options.max_bin = std::atoi(argv[3]);
  if (argc > 4) options.distinct = static_cast<std::uint32_t>(std::atoi(argv[4]));
  if (argc > 5) options.weights = std::atoi(argv[5]) != 0;
  if (argc > 6) options.repeats = std::atoi(argv[6]);
  return options;
}

/// Generates the table; every seventh column has a missing value in twenty.
std::vector<float> MakeTable(Context const& ctx, Options const& options) {
  std::vector<float> values(static_cast<std::size_t>(options.rows * options.cols));
  ParallelForBlocks(ctx, options.rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    Random random(static_cast<std::uint64_t>(block));
    for (auto cell = begin * options.cols; cell < end * options.cols; ++cell) {
      auto const drawn = options.distinct == 0 ? random.Normal() : static_cast<float>(random.Below(options.distinct));
      auto const is_missing = cell % options.cols % 7 == 3 && random.Below(20) == 0;
      values[static_cast<std::size_t>(cell)] = is_missing ? std::numeric_limits<float>::quiet_NaN() : drawn;
    }
  });
  return values;
}

std::unique_ptr<DataMatrix> Upload(cuda::CudaContext const& cuda, std::vector<float> const& values,
                                   std::int64_t n_cols) {
  auto const buffer = cuda::ToDevice(cuda, values);
  cuda.Synchronize();  // waits for the buffer, because the copy below is on another stream
  DeviceArray array;
  array.stream = DeviceArray::kReady;
  array.view.data = buffer.data();
  array.view.shape = {static_cast<std::int64_t>(values.size()) / n_cols, n_cols};
  array.view.strides = {4 * n_cols, 4};
  array.view.n_dims = 2;
  return DataMatrix::FromDevice(cuda::MakeCudaMemory(cuda::KeepBins)->Copy({array}, std::nanf("")));
}

std::uint64_t PoolBytes(cudaMemPoolAttr attribute) {
  cudaMemPool_t pool = nullptr;
  std::uint64_t bytes = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  KAURI_CUDA_CHECK(cudaMemPoolGetAttribute(pool, attribute, &bytes));
  return bytes;
}

void ForgetPeak() {
  cudaMemPool_t pool = nullptr;
  std::uint64_t none = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  KAURI_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none));
}

bool IsRight(cuda::CudaContext const& cuda, cuda::DeviceBins const& bins, QuantileCuts const& expected,
             std::vector<float> const& values) {
  if (bins.cuts->values != expected.values || bins.cuts->min_values != expected.min_values) return false;
  DeviceCodes const codes(cuda, bins);
  for (std::int64_t row = 0; row < std::min(bins.n_rows, kComparedRows); ++row) {
    for (std::int64_t col = 0; col < bins.NumCols(); ++col) {
      auto const feature = static_cast<std::size_t>(col);
      auto const value = values[static_cast<std::size_t>(row * bins.NumCols() + col)];
      auto const n_bins = expected.NumBins(feature);
      auto const code = std::isnan(value) ? n_bins : FindBin(expected.Of(feature), n_bins, value);
      if (codes.Of(row, col) != code) return false;
    }
  }
  return true;
}

/// Prints the median time and the maximum memory.
std::unique_ptr<cuda::DeviceBins> Measure(cuda::CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                          cuda::DeviceBinsTask const& task, int repeats) {
  std::unique_ptr<cuda::DeviceBins> bins;
  std::vector<double> times;
  auto const before = PoolBytes(cudaMemPoolAttrUsedMemCurrent);
  ForgetPeak();
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    bins.reset();
    cuda.Synchronize();  // waits until the previous bins are freed
    auto const begin = std::chrono::steady_clock::now();
    bins = cuda::MakeDeviceBins(cuda, ctx, cuda::DenseTable::Of(data), task).bins;
    auto const milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin);
    if (repeat > 0) times.push_back(milliseconds.count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%s rows: %.2f ms, at most %.1f MB\n", data.OnDevice() == nullptr ? "host" : "device",
              times[times.size() / 2], static_cast<double>(PoolBytes(cudaMemPoolAttrUsedMemHigh) - before) * 1e-6);
  return bins;
}

int Run(Options const& options) {
  Context ctx;
  ctx.threads = 16;
  cuda::StreamOwner const stream(0);
  auto const& cuda = stream.Context();
  auto const values = MakeTable(ctx, options);
  std::vector<float> weights(options.weights ? static_cast<std::size_t>(options.rows) : 0);
  Random random(1);
  for (auto& weight : weights) weight = static_cast<float>(random.Uniform());
  auto const host = DataMatrix::FromDense({FloatVector(values.begin(), values.end())}, options.rows, options.cols, ctx);
  auto const device = Upload(cuda, values, options.cols);
  auto const expected = MakeQuantileCuts(ctx, *host, options.max_bin, {nullptr, weights});
  cuda::DeviceBinsTask task;
  task.max_bin = options.max_bin;
  task.weights = weights;
  bool is_right = true;
  for (auto const* data : {host.get(), device.get()}) {
    auto const bins = Measure(cuda, ctx, *data, task, options.repeats);
    is_right &= bins != nullptr && IsRight(cuda, *bins, expected, values);
  }
  std::printf("%s\n", is_right ? "the host's cuts and codes" : "DIFFERS from the host");
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace kauri::testing

int main(int argc, char** argv) { return kauri::testing::Run(kauri::testing::ParseOptions(argc, argv)); }
