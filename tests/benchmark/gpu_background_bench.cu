/// \file Measures the time of values and interactions against a background on a CUDA device, for many rows.
///
///   gpu_background_bench MODEL [rows 3000000] [background rows 5000000] [repeats 3]
///   gpu_background_bench random:TREES:DEPTH:COLUMNS:CLASSES ...
///
/// MODEL is a model file. Rows and background are made in device memory, with values around the thresholds of each
/// feature. The matrices of many rows fit into no memory, so each tile of results is reduced to the sums of absolute
/// values, from which mean absolute values and interactions follow. Times are wall-clock times of calls, medians, with
/// that reduction. The first call, which compiles, is printed separately, and so is a call with one row, which tells
/// how long the background takes. The results of a few rows against fewer rows of background are compared with the
/// CPU's: a different bit fails. The kernels' files give the lower bounds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "cuda/predictor/gpu_predictor.h"
#include "data/matrix_view.h"
#include "kauri/registry.h"
#include "predictor/interventional/interventional.h"
#include "predictor/shap/quadrature_forest.h"
#include "shap_bench.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kComparedRows = 64;
constexpr std::int64_t kComparedBackground = 20000;
constexpr int kThreads = 256;

struct Options {
  std::string model;
  std::int64_t rows = 3000000;
  std::int64_t background = 5000000;
  int repeats = 3;
};

/// Returns well mixed bits (splitmix64).
__device__ std::uint64_t Mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15ULL;
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBULL;
  return number ^ (number >> 31U);
}

/// thresholds: [n_features, n_thresholds]. values (out): [n_values], row-major; one in 32 is missing.
__global__ void MakeRowsKernel(float const* thresholds, std::int64_t n_features, std::int64_t n_thresholds,
                               std::uint64_t seed, std::int64_t n_values, float* values) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= n_values) return;
  auto const bits = Mixed(seed + static_cast<std::uint64_t>(index));
  auto const pick = static_cast<std::int64_t>((bits >> 8U) % static_cast<std::uint64_t>(n_thresholds));
  float const threshold = thresholds[index % n_features * n_thresholds + pick];
  float const value = (bits & 1U) != 0 ? threshold : nextafterf(threshold, -INFINITY);
  values[index] = (bits >> 3U) % 32 == 0 ? NAN : value;
}

/// Adds the absolute values of some rows of a tile to sums, [width].
__global__ void AddAbsoluteKernel(float const* values, std::int64_t n_rows, std::int64_t width, double* sums) {
  std::int64_t const column = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (column >= width) return;
  double sum = 0.0;
  for (std::int64_t row = blockIdx.y; row < n_rows; row += gridDim.y) {
    sum += static_cast<double>(fabsf(values[row * width + column]));
  }
  atomicAdd(sums + column, sum);
}

/// Rows in device memory.
class MadeRows : public DeviceStorage {
 public:
  MadeRows(cuda::Buffer<float> values, std::int64_t n_rows, std::int64_t n_cols)
      : DeviceStorage(LayoutOf(values.data(), n_rows, n_cols)), values_(std::move(values)) {}
  /// Returns the first rows.
  std::vector<float> First(cuda::CudaContext const& cuda, std::int64_t n_rows) const {
    auto const size = std::min(n_rows, Layout().n_rows) * Layout().n_cols;
    return cuda::ToHost(cuda, values_.data(), static_cast<std::size_t>(size));
  }

 private:
  static DeviceLayout LayoutOf(float const* values, std::int64_t n_rows, std::int64_t n_cols) {
    DeviceLayout layout;
    layout.n_rows = n_rows;
    layout.n_cols = n_cols;
    layout.values = values;
    layout.row_stride = n_cols;
    return layout;
  }
  FloatVector CopyToHost() const override { return {}; }
  cuda::Buffer<float> values_;
};

/// Returns `n_each` thresholds of each feature; a feature that no tree splits on has zeros.
std::vector<float> ThresholdsOf(Model const& model, std::int64_t n_each) {
  std::vector<std::vector<float>> thresholds(static_cast<std::size_t>(model.n_features));
  for (auto const& tree : model.trees) {
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      auto const index = static_cast<std::size_t>(node);
      if (!tree.IsLeaf(node)) thresholds[tree.split_feature[index]].push_back(tree.split_value[index]);
    }
  }
  std::vector<float> all;
  for (auto const& of_feature : thresholds) {
    for (std::int64_t i = 0; i < n_each; ++i) {
      auto const place = static_cast<std::size_t>(i) % std::max<std::size_t>(1, of_feature.size());
      all.push_back(of_feature.empty() ? 0.0F : of_feature[place]);
    }
  }
  return all;
}

MadeRows MakeRows(cuda::CudaContext const& cuda, Model const& model, std::int64_t n_rows, std::uint64_t seed) {
  constexpr std::int64_t kThresholds = 64;
  auto const n_values = n_rows * model.n_features;
  cuda::Buffer<float> values(cuda, static_cast<std::size_t>(n_values));
  auto const host = ThresholdsOf(model, kThresholds);
  auto const thresholds = cuda::ToDevice(cuda, host);
  cuda::Launch(cuda, cuda::GridFor(n_values, kThreads), kThreads, MakeRowsKernel, thresholds.data(),
               static_cast<std::int64_t>(model.n_features), kThresholds, seed, n_values, values.data());
  cuda.Synchronize();  // waits for the rows, which other streams read
  return {std::move(values), n_rows, model.n_features};
}

struct Kind {
  char const* name;
  PredictKind kind;
};

constexpr Kind kKinds[] = {{"values", PredictKind::kContribution},
                           {"Banzhaf values", PredictKind::kBanzhaf},
                           {"pairs", PredictKind::kInteraction},
                           {"Banzhaf pairs", PredictKind::kBanzhafInteraction},
                           {"Taylor pairs", PredictKind::kTaylorInteraction}};

class Bench {
 public:
  Bench(Options const& options, Model const& model)
      : options_(options),
        model_(model),
        trees_{0, static_cast<std::int64_t>(model.trees.size())},
        start_(static_cast<std::size_t>(model.NumOutputs()), 0.0F),
        stream_(0),
        rows_(MakeRows(stream_.Context(), model, options.rows, 1)),
        one_row_(MakeRows(stream_.Context(), model, 1, 1)),
        background_(MakeRows(stream_.Context(), model, options.background, std::uint64_t{1} << 40U)) {
    ctx_.threads = 16;
    ctx_.device.kind = DeviceKind::kCuda;
  }

  /// Returns whether all bits are the CPU's.
  bool Run() const {
    auto same = true;
    std::printf("%-15s %11s %11s %11s %11s %9s  %s\n", "kind", "median ms", "first ms", "one row ms", "mean |v|", "GB",
                "bits of the CPU");
    for (auto const& kind : kKinds) same = RunKind(kind) && same;
    return same;
  }

 private:
  bool RunKind(Kind const& kind) const {
    cuda::GpuModel const compiled(ctx_, model_, trees_, CoverSource::kHessian);
    auto const width = OutputWidth(model_, kind.kind, trees_);
    auto mean = 0.0;
    auto const call = [&](DeviceStorage const& rows) { mean = MeanAbsolute(compiled, kind.kind, rows, width); };
    auto const first = Milliseconds([&] { call(rows_); });
    std::vector<double> times;
    for (int repeat = 0; repeat < options_.repeats; ++repeat) times.push_back(Milliseconds([&] { call(rows_); }));
    std::sort(times.begin(), times.end());
    auto const of_all = mean;
    call(one_row_);
    auto const background = Milliseconds([&] { call(one_row_); });
    auto const same = HasBitsOfCpu(compiled, kind.kind, width);
    std::printf("%-15s %11.1f %11.1f %11.1f %11.3e %9.2f  %s\n", kind.name, times[times.size() / 2], first, background,
                of_all, 4e-9 * static_cast<double>(options_.rows * width), same ? "yes" : "NO");
    std::fflush(stdout);
    return same;
  }

  /// Returns the mean over rows of the sum of all absolute values.
  double MeanAbsolute(cuda::GpuModel const& compiled, PredictKind kind, DeviceStorage const& rows,
                      std::int64_t width) const {
    auto const& own = stream_.Context();
    cuda::Buffer<double> const sums(own, static_cast<std::size_t>(width));
    cuda::FillZero(own, sums.data(), sums.size());
    own.Synchronize();  // waits for the zeros, to which another stream adds
    auto const add = [&](cuda::CudaContext const& cuda, std::int64_t begin, std::int64_t end, float const* values) {
      dim3 const grid(cuda::GridFor(width, kThreads),
                      static_cast<unsigned>(std::clamp<std::int64_t>((1 << 21) / width, 16, 2048)));
      cuda::LaunchGrid(cuda, grid, kThreads, AddAbsoluteKernel, values, end - begin, width, sums.data());
    };
    auto const view = MakeDeviceView(rows);
    auto const others = MakeDeviceView(background_);
    compiled.interventional.Explain(ctx_, {*view, *others, trees_, {start_, {}}, {}, 0, GoalOf(kind), add});
    auto const host = cuda::ToHost(own, sums.data(), sums.size());
    double total = 0.0;
    for (auto const sum : host) total += sum;
    return total / static_cast<double>(rows.Layout().n_rows);
  }

  bool HasBitsOfCpu(cuda::GpuModel const& compiled, PredictKind kind, std::int64_t width) const {
    auto const n_cols = static_cast<std::int64_t>(model_.n_features);
    auto const values = rows_.First(stream_.Context(), kComparedRows);
    auto const others = background_.First(stream_.Context(), kComparedBackground);
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_cols;
    auto const rows = MakeRowsView(values.data(), n_rows, n_cols);
    auto const background = MakeRowsView(others.data(), static_cast<std::int64_t>(others.size()) / n_cols, n_cols);
    std::vector<float> made(static_cast<std::size_t>(n_rows * width), 1.0F);
    std::vector<float> expected(made.size(), 2.0F);
    compiled.interventional.Explain(ctx_, {*rows, *background, trees_, {start_, {}}, made, 0, GoalOf(kind)});
    auto on_cpu = ctx_;
    on_cpu.device.kind = DeviceKind::kCpu;
    auto const forest = CompileForest(on_cpu, model_, trees_);
    InterventionalValues(on_cpu, {forest, *rows, trees_, {start_, {}}}, *background, GoalOf(kind), expected);
    return made == expected;
  }

  Options const& options_;
  Model const& model_;
  TreeRange trees_;
  std::vector<float> start_;
  Context ctx_;
  cuda::StreamOwner stream_;
  MadeRows rows_;
  MadeRows one_row_;
  MadeRows background_;
};

int Run(Options const& options) {
  auto const model = ReadModel(options.model);
  std::int64_t n_leaves = 0;
  for (auto const& tree : model.trees) n_leaves += tree.NumLeaves();
  std::printf("%s: %zu trees, %lld leaves, %lld features, %lld outputs; %lld rows against %lld\n",
              options.model.c_str(), model.trees.size(), static_cast<long long>(n_leaves),
              static_cast<long long>(model.n_features), static_cast<long long>(model.NumOutputs()),
              static_cast<long long>(options.rows), static_cast<long long>(options.background));
  return Bench(options, model).Run() ? 0 : 1;
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  if (argc > 1) options.model = argv[1];
  if (argc > 2) options.rows = std::atoll(argv[2]);
  if (argc > 3) options.background = std::atoll(argv[3]);
  if (argc > 4) options.repeats = std::max(1, std::atoi(argv[4]));
  return options;
}

}  // namespace
}  // namespace kauri::testing

int main(int argc, char** argv) {
  using namespace kauri::testing;  // acceptable in the only file of a program
  return RunBenchmark(argc, "gpu_background_bench MODEL [rows] [background rows] [repeats]",
                      [&] { return Run(ParseOptions(argc, argv)); });
}
