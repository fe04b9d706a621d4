/// \file Measures the time of margins on a CUDA device: random complete trees, dense rows.
///
///   gpu_predict_bench [rows 1000000] [columns 28] [trees 500] [depth 6] [repeats 5]
///
/// Rows in device memory (row-major) are timed by events, rows in host memory by the wall clock; medians after a
/// warm-up. The first rows are compared with cpu_predictor, bit for bit; a difference fails. walk_forest.cu gives the
/// lower bound.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "cuda/forest/walk_forest.h"
#include "cuda/predictor/gpu_predictor.h"
#include "data/matrix_view.h"
#include "kauri/registry.h"
#include "predictor/predictor_fixtures.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kComparedRows = 20000;

struct Options {
  std::int64_t rows = 1000000;
  std::int64_t cols = 28;
  std::int64_t trees = 500;
  int depth = 6;
  int repeats = 5;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  if (argc > 1) options.rows = std::atoll(argv[1]);
  if (argc > 2) options.cols = std::atoll(argv[2]);
  if (argc > 3) options.trees = std::atoll(argv[3]);
  if (argc > 4) options.depth = std::atoi(argv[4]);
  if (argc > 5) options.repeats = std::atoi(argv[5]);
  return options;
}

Model MakeModel(Options const& options) {
  ForestSpec spec;
  spec.n_trees = options.trees;
  spec.depth = options.depth;
  spec.n_features = static_cast<std::uint32_t>(options.cols);
  spec.early_leaf = 0.0;
  spec.special_thresholds = false;
  return RandomModel(spec);
}

double Median(int repeats, std::function<double()> const& milliseconds) {
  milliseconds();
  std::vector<double> times;
  for (int repeat = 0; repeat < repeats; ++repeat) times.push_back(milliseconds());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double TimeResident(Options const& options, cuda::DeviceForest const& forest, std::vector<float> const& values,
                    std::vector<float>* margins) {
  cuda::StreamOwner const stream(0);
  auto const& cuda = stream.Context();
  auto const on_device = cuda::ToDevice(cuda, values);
  cuda::Buffer<float> out(cuda, margins->size());
  cuda::DeviceRows rows;
  rows.n_rows = options.rows;
  rows.n_cols = options.cols;
  rows.values = on_device.data();
  rows.row_stride = options.cols;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  KAURI_CUDA_CHECK(cudaEventCreate(&begin));
  KAURI_CUDA_CHECK(cudaEventCreate(&end));
  auto const median = Median(options.repeats, [&] {
    cuda::FillZero(cuda, out.data(), out.size());
    KAURI_CUDA_CHECK(cudaEventRecord(begin, cuda.stream));
    cuda::WalkForest(cuda, forest, rows, PredictKind::kMargin, {0, options.trees}, out.data());
    KAURI_CUDA_CHECK(cudaEventRecord(end, cuda.stream));
    KAURI_CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds = 0.0F;
    KAURI_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return static_cast<double>(milliseconds);
  });
  *margins = cuda::ToHost(cuda, out.data(), out.size());
  return median;
}

int Run(Options const& options) {
  auto const model = MakeModel(options);
  auto const values = MakeValues({options.rows, options.cols, 0.05, 0, false, 3});
  TreeRange const trees{0, options.trees};
  std::vector<float> const start{0.0F};
  Context ctx;
  ctx.threads = 16;
  cuda::DeviceForest const forest(ctx, model, trees);
  std::vector<float> margins(static_cast<std::size_t>(options.rows));
  auto const resident = TimeResident(options, forest, values, &margins);

  Registry<PredictorFactory> registry("predictor");
  cuda::RegisterGpuPredictor(&registry);
  auto const gpu = registry.Find("gpu_predictor").make({});
  auto const compiled = gpu->Compile(ctx, model, trees);
  auto const view = MakeRowsView(values.data(), options.rows, options.cols);
  std::vector<float> streamed(margins.size());
  auto const from_host = Median(options.repeats, [&] {
    auto const begin = std::chrono::steady_clock::now();
    gpu->Predict(ctx, *compiled, {*view, trees, {start, {}}}, PredictKind::kMargin, streamed);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  });

  auto const n_compared = std::min(options.rows, kComparedRows);
  std::vector<float> expected(static_cast<std::size_t>(n_compared));
  auto const cpu = GetRegistries().predictors.Find("cpu_predictor").make({});
  cpu->Predict(ctx, *cpu->Compile(ctx, model, trees),
               {*MakeRowsView(values.data(), n_compared, options.cols), trees, {start, {}}}, PredictKind::kMargin,
               expected);
  auto const bytes = expected.size() * sizeof(float);
  auto const same = std::memcmp(margins.data(), expected.data(), bytes) == 0 &&
                    std::memcmp(streamed.data(), expected.data(), bytes) == 0;
  auto const steps = static_cast<double>(options.rows) * static_cast<double>(options.trees) * options.depth;
  std::printf("%lld rows, %lld columns, %lld trees of depth %d\n", static_cast<long long>(options.rows),
              static_cast<long long>(options.cols), static_cast<long long>(options.trees), options.depth);
  std::printf("device rows: %.3f ms, %.3g steps/s\nhost rows: %.3f ms, %.3g GB/s\n%s\n", resident,
              steps / (resident * 1e-3), from_host, static_cast<double>(values.size()) * 4e-6 / from_host,
              same ? "same bits as cpu_predictor" : "DIFFERS from cpu_predictor");
  return same ? 0 : 1;
}

}  // namespace
}  // namespace kauri::testing

int main(int argc, char** argv) { return kauri::testing::Run(kauri::testing::ParseOptions(argc, argv)); }
