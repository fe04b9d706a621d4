/// \file Measures the time of contributions and interactions on a CUDA device.
///
///   gpu_shap_bench MODEL [rows 10000] [interaction rows 200] [repeats 5] [methods quadrature,treeshap]
///                  [bin packing bfd]
///   gpu_shap_bench random:TREES:DEPTH:COLUMNS:CLASSES ...
///
/// MODEL is a model file; rows are generated with values around the thresholds of each feature. Times are wall-clock
/// times of calls with rows and results in host memory, medians after a warm-up; the first call, which compiles, is
/// printed separately. A few rows are compared with the recursive algorithm on the CPU; a difference fails. The
/// kernels' files give the lower bounds.
///
/// Each line is followed by its phases, timed separately: kernels, with rows and results in device memory; the transfer
/// of the results over the bus into page-locked memory; the copy by the host's threads into existing memory, and into
/// new memory; and the call with results in new memory. The call's time beyond the longest of the first three is not
/// overlapped.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/predictor/gpu_predictor.h"
#include "data/matrix_view.h"
#include "kauri/objective.h"
#include "kauri/registry.h"
#include "predictor/shap/contributions.h"
#include "shap_bench.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kComparedRows = 4;

struct Options {
  std::string model;
  std::int64_t rows = 10000;
  std::int64_t pair_rows = 200;
  int repeats = 5;
  std::string methods = "quadrature,treeshap";
  std::string packing = "bfd";
};

/// Returns the largest difference in the first rows, relative to the largest number among them.
double Difference(Model const& model, std::vector<float> const& values, PredictKind kind, MarginStart const& start,
                  std::vector<float> const& out) {
  TreeRange const trees{0, static_cast<std::int64_t>(model.trees.size())};
  auto const n_rows = std::min(kComparedRows, static_cast<std::int64_t>(values.size()) / model.n_features);
  auto const forest = CompileForest({}, model, trees);
  auto const view = MakeRowsView(values.data(), n_rows, model.n_features);
  std::vector<float> expected(static_cast<std::size_t>(n_rows * OutputWidth(model, kind, trees)));
  Context ctx;
  ctx.threads = 16;
  auto* const explain = kind == PredictKind::kContribution ? &TreeShapContributions : &TreeShapInteractions;
  explain(ctx, {forest, *view, trees, start}, expected);
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    difference = std::max(difference, std::abs(static_cast<double>(expected[i]) - static_cast<double>(out[i])));
  }
  return difference / std::max(largest, 1e-30);
}

/// Rows in device memory that another object owns.
class BorrowedRows : public DeviceStorage {
 public:
  explicit BorrowedRows(DeviceLayout const& layout) : DeviceStorage(layout) {}

 private:
  std::vector<float> CopyToHost() const override { return {}; }
};

/// Times one call, and its phases one by one.
class Phases {
 public:
  Phases(Context const& ctx, int repeats, Predictor const& gpu, CompiledModel const& compiled)
      : ctx_(ctx), repeats_(repeats), gpu_(gpu), compiled_(compiled), stream_(0) {
    pinned_.Reserve(kLoad);
  }

  void Print(PredictTask const& task, PredictKind kind, std::vector<float> const& values, Span<float> out) const {
    auto const gigabytes = 4e-9 * static_cast<double>(out.size());
    auto const bus = Median([&] { CrossBus(out.size()); });
    auto const there = Median([&] { CopyLoads(out); });
    auto const fresh = Median([&] { CopyLoads(FloatMemory(out.size()).Values()); });
    auto const call = Median([&] { gpu_.Predict(ctx_, compiled_, task, kind, FloatMemory(out.size()).Values()); });
    std::printf("    %.3f GB: kernels %.3f ms, bus %.3f ms (%.1f GB/s), host copy %.3f ms (new memory %.3f), ",
                gigabytes, Kernels(task, kind, values), bus, gigabytes / bus * 1e3, there, fresh);
    std::printf("call into new memory %.3f ms (%.1f GB/s)\n", call, gigabytes / call * 1e3);
  }

 private:
  static constexpr std::size_t kLoad = std::size_t{2} << 20U;

  double Median(std::function<void()> const& call) const {
    call();
    std::vector<double> times;
    for (int repeat = 0; repeat < repeats_; ++repeat) times.push_back(Milliseconds(call));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  double Kernels(PredictTask const& task, PredictKind kind, std::vector<float> const& values) const {
    auto const& cuda = stream_.Context();
    auto const on_device = cuda::ToDevice(cuda, values);
    cuda.Synchronize();  // waits for the rows, which another stream reads
    DeviceLayout layout;
    layout.n_rows = task.rows.NumRows();
    layout.n_cols = task.rows.NumCols();
    layout.values = on_device.data();
    layout.row_stride = layout.n_cols;
    BorrowedRows const rows(layout);
    auto const objective = GetRegistries().objectives.Find("reg:squarederror").make({});
    return Median([&] { gpu_.PredictOnDevice(ctx_, compiled_, {rows, kind, task.trees, task.start, *objective}); });
  }

  void CrossBus(std::size_t size) const {
    auto const& cuda = stream_.Context();
    cuda::Buffer<float> const from(cuda, kLoad);
    for (std::size_t begin = 0; begin < size; begin += kLoad) {
      cuda::CopyToHost(cuda, from.data(), std::min(kLoad, size - begin), pinned_.data());
    }
    cuda.Synchronize();  // waits for the last repeat
  }

  void CopyLoads(Span<float> out) const {
    ProvidePages(ctx_, out.data(), out.size() * sizeof(float));
    for (std::size_t begin = 0; begin < out.size(); begin += kLoad) {
      auto const size = static_cast<std::int64_t>(std::min(kLoad, out.size() - begin));
      ParallelForBlocks(ctx_, size, 1 << 16, [&](std::int64_t first, std::int64_t last, std::int64_t) {
        std::copy(pinned_.data() + first, pinned_.data() + last, out.data() + begin + first);
      });
    }
  }

  Context const& ctx_;
  int repeats_;
  Predictor const& gpu_;
  CompiledModel const& compiled_;
  cuda::StreamOwner stream_;
  cuda::PinnedBuffer<float> pinned_;
};

bool TimeMethod(Options const& options, Model const& model, std::string const& method) {
  Registry<PredictorFactory> registry("predictor");
  cuda::RegisterGpuPredictor(&registry);
  auto const gpu =
      registry.Find("gpu_predictor").make({{"shap_method", method}, {"shap_bin_packing", options.packing}});
  Context ctx;
  ctx.threads = 16;
  ctx.device.kind = DeviceKind::kCuda;
  TreeRange const trees{0, static_cast<std::int64_t>(model.trees.size())};
  auto const compiled = gpu->Compile(ctx, model, trees);
  std::vector<float> const start(static_cast<std::size_t>(model.NumOutputs()), 0.0F);
  auto same = true;
  for (auto const kind : {PredictKind::kContribution, PredictKind::kInteraction}) {
    auto const n_rows = kind == PredictKind::kContribution ? options.rows : options.pair_rows;
    if (n_rows == 0) continue;
    auto const values = RowsAround(model, n_rows);
    auto const view = MakeRowsView(values.data(), n_rows, model.n_features);
    std::vector<float> out(static_cast<std::size_t>(n_rows * OutputWidth(model, kind, trees)));
    auto const call = [&] { gpu->Predict(ctx, *compiled, {*view, trees, {start, {}}}, kind, out); };
    auto const first = Milliseconds(call);
    std::vector<double> times;
    for (int repeat = 0; repeat < options.repeats; ++repeat) times.push_back(Milliseconds(call));
    std::sort(times.begin(), times.end());
    auto const difference = Difference(model, values, kind, {start, {}}, out);
    same = same && difference < 1e-3;
    std::printf("%-10s %-13s %8lld rows: %10.3f ms (min %.3f, first call %.0f), difference %.1e\n", method.c_str(),
                kind == PredictKind::kContribution ? "contributions" : "interactions", static_cast<long long>(n_rows),
                times[times.size() / 2], times[0], first, difference);
    Phases(ctx, options.repeats, *gpu, *compiled).Print({*view, trees, {start, {}}}, kind, values, out);
    std::fflush(stdout);
  }
  return same;
}

int Run(Options const& options) {
  auto const model = ReadModel(options.model);
  std::int64_t n_leaves = 0;
  for (auto const& tree : model.trees) n_leaves += tree.NumLeaves();
  std::printf("%s: %zu trees, %lld leaves, %lld features, %lld outputs\n", options.model.c_str(), model.trees.size(),
              static_cast<long long>(n_leaves), static_cast<long long>(model.n_features),
              static_cast<long long>(model.NumOutputs()));
  auto same = true;
  for (auto const& method : Split(options.methods, ',')) same = TimeMethod(options, model, method) && same;
  if (!same) std::printf("DIFFERS from the recursive algorithm\n");
  return same ? 0 : 1;
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  if (argc > 1) options.model = argv[1];
  if (argc > 2) options.rows = std::atoll(argv[2]);
  if (argc > 3) options.pair_rows = std::atoll(argv[3]);
  if (argc > 4) options.repeats = std::max(1, std::atoi(argv[4]));
  if (argc > 5) options.methods = argv[5];
  if (argc > 6) options.packing = argv[6];
  return options;
}

}  // namespace
}  // namespace kauri::testing

int main(int argc, char** argv) {
  using namespace kauri::testing;  // acceptable in the only file of a program
  return RunBenchmark(argc, "gpu_shap_bench MODEL [rows] [interaction rows] [repeats] [methods] [bin packing]",
                      [&] { return Run(ParseOptions(argc, argv)); });
}
