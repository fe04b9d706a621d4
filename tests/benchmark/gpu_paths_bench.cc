/// \file Measures the time of making the packed paths of a model, the input of shap_method=treeshap: by the host, which
/// then sends them to the device, and on a CUDA device.
///
///   gpu_paths_bench MODEL [rows 10000] [repeats 5]
///   gpu_paths_bench random:TREES:DEPTH:COLUMNS:CLASSES ...
///
/// MODEL is a model file. Prints medians of wall-clock time, after a warm-up. Elements that differ from the host's
/// fail. random:6600:10:54:0 has the size of the paper's covtype-large (6.7 M paths), whose packing took 1.67 s there.
/// With rows it also prints the time of their contributions, for comparison with the time of making the paths; 0:
/// without.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/forest/device_forest.h"
#include "cuda/predictor/gpu_predictor.h"
#include "cuda/shap/paths/pack_paths.h"
#include "cuda/shap/shap_kernels.h"
#include "data/matrix_view.h"
#include "kauri/registry.h"
#include "predictor/lanes/packed_paths.h"
#include "predictor/predictors.h"
#include "shap_bench.h"

namespace kauri::testing {
namespace {

constexpr auto kBestFit = BinPacking::kBestFitDecreasing;

double Median(int repeats, std::function<void()> const& call) {
  call();
  std::vector<double> times;
  for (int repeat = 0; repeat < repeats; ++repeat) times.push_back(Milliseconds(call));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void Line(char const* what, double milliseconds) { std::printf("  %-46s %10.3f ms\n", what, milliseconds); }

/// Returns the number of elements of each path, in the order of leaves.
std::vector<std::uint8_t> SizesOf(PackedPaths const& one_each) {
  std::vector<std::uint8_t> sizes;
  for (std::size_t bin = 0; bin + 1 < one_each.bin_begin.size(); ++bin) {
    sizes.push_back(static_cast<std::uint8_t>(one_each.bin_begin[bin + 1] - one_each.bin_begin[bin]));
  }
  return sizes;
}

bool AreSame(cuda::CudaContext const& cuda, PackedPaths const& host, cuda::PackedOnDevice const& device) {
  auto const elements = cuda::ToHost(cuda, device.elements.data(), device.elements.size());
  auto const bytes = elements.size() * sizeof(PathFeature);
  return elements.size() == host.elements.size() && std::memcmp(elements.data(), host.elements.data(), bytes) == 0 &&
         cuda::ToHost(cuda, device.bin_begin.data(), device.bin_begin.size()) == host.bin_begin;
}

void TimePacking(cuda::CudaContext const& cuda, std::vector<std::uint8_t> const& sizes, int repeats) {
  auto const packing = PackBins(sizes, kWarpLanes, kBestFit);
  std::printf("%zu paths, %lld elements, %lld bins, utilisation %.6f\n", sizes.size(),
              static_cast<long long>(packing.used), static_cast<long long>(packing.NumBins()), packing.Utilisation());
  Line("packing, one thread of the host", Median(repeats, [&] { PackBins(sizes, kWarpLanes, kBestFit); }));
  auto const on_device = cuda::ToDevice(cuda, sizes);
  Line("packing, device (gate of 6.7 M paths: 10 ms)", Median(repeats, [&] {
         auto const counts = cuda::CountSizes(cuda, on_device.data(), static_cast<std::int64_t>(sizes.size()));
         cuda::PlacePaths(cuda, on_device.data(), counts);
       }));
}

void TimeRows(Model const& model, std::int64_t n_rows, int repeats) {
  Registry<PredictorFactory> registry("predictor");
  cuda::RegisterGpuPredictor(&registry);
  auto const gpu = registry.Find("gpu_predictor").make({{"shap_method", "treeshap"}});
  Context ctx;
  ctx.threads = 16;
  ctx.device.kind = DeviceKind::kCuda;
  TreeRange const trees{0, static_cast<std::int64_t>(model.trees.size())};
  auto const compiled = gpu->Compile(ctx, model, trees);
  auto const values = RowsAround(model, n_rows);
  auto const rows = MakeRowsView(values.data(), n_rows, model.n_features);
  std::vector<float> const start(static_cast<std::size_t>(model.NumOutputs()), 0.0F);
  std::vector<float> out(static_cast<std::size_t>(n_rows * OutputWidth(model, PredictKind::kContribution, trees)));
  auto const call = [&] { gpu->Predict(ctx, *compiled, {*rows, trees, {start, {}}}, PredictKind::kContribution, out); };
  Line("contributions, the paths being there", Median(repeats, call));
}

int Run(std::string const& name, std::int64_t n_rows, int repeats) {
  auto const model = ReadModel(name);
  TreeRange const trees{0, static_cast<std::int64_t>(model.trees.size())};
  Context ctx;
  ctx.threads = 16;
  ctx.device.kind = DeviceKind::kCuda;
  cuda::DeviceForest const forest(ctx, model, trees);
  cuda::StreamOwner const stream(0);
  auto const& cuda = stream.Context();
  TimePacking(cuda, SizesOf(PackPaths(ctx, forest.OnHost(), trees, BinPacking::kNone)), repeats);
  auto const host = PackPaths(ctx, forest.OnHost(), trees, kBestFit);
  Line("all of it, 16 threads of the host", Median(repeats, [&] { PackPaths(ctx, forest.OnHost(), trees, kBestFit); }));
  Line("the host's to the device", Median(repeats, [&] { cuda::DevicePaths(cuda, host); }));
  auto const device = cuda::PackPathsOnDevice(cuda, forest, trees);
  if (!device.has_value()) {
    std::printf("  not made on the device (categories, or a path that is too long)\n");
    return 0;
  }
  Line("all of it, device", Median(repeats, [&] { cuda::PackPathsOnDevice(cuda, forest, trees); }));
  auto const same = AreSame(cuda, host, *device);
  std::printf("  elements %s\n", same ? "equal the host's" : "DIFFER from the host's");
  if (n_rows > 0) TimeRows(model, n_rows, repeats);
  return same ? 0 : 1;
}

}  // namespace
}  // namespace kauri::testing

int main(int argc, char** argv) {
  using namespace kauri::testing;  // acceptable in the only file of a program
  return RunBenchmark(argc, "gpu_paths_bench MODEL [rows] [repeats]", [&] {
    return Run(argv[1], argc > 2 ? std::atoll(argv[2]) : 10000, argc > 3 ? std::max(1, std::atoi(argv[3])) : 5);
  });
}
