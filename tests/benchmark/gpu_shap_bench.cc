/// \file Time of contributions and interactions on a CUDA device.
///
///   gpu_shap_bench MODEL [rows 10000] [interaction rows 200] [repeats 5] [methods quadrature,treeshap] [bin packing
///   bfd] gpu_shap_bench random:TREES:DEPTH:COLUMNS:CLASSES ...
///
/// MODEL is a model file; rows are made so that values lie around the thresholds of each feature. Times are of calls
/// with rows and results in host memory, by the clock, medians after a warm-up; the first call, which compiles, is
/// printed apart. A few rows are compared with the recursive algorithm on the CPU; a difference fails. The kernels have
/// the floors.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "booster/model_io/model_io.h"
#include "cuda/predictor/gpu_predictor.h"
#include "data/matrix_view.h"
#include "kauri/registry.h"
#include "predictor/contributions.h"
#include "predictor/predictor_fixtures.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kComparedRows = 4;

std::vector<std::string> Split(std::string const& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

Model ReadModel(std::string const& name) {
  if (name.rfind("random:", 0) != 0) return LoadModel(name);
  auto const parts = Split(name, ':');
  if (parts.size() != 5) Fail(ErrorKind::kParameter, "expected random:TREES:DEPTH:COLUMNS:CLASSES, got ", name);
  ForestSpec spec;
  spec.n_trees = std::atoll(parts[1].c_str());
  spec.depth = std::atoi(parts[2].c_str());
  spec.n_features = static_cast<std::uint32_t>(std::atoi(parts[3].c_str()));
  spec.n_classes = std::atoll(parts[4].c_str());
  spec.early_leaf = 0.0;
  spec.special_thresholds = false;
  return RandomModel(spec);
}

/// Each value is a threshold that some tree has for the feature, or the number just below it.
std::vector<float> RowsAround(Model const& model, std::int64_t n_rows) {
  std::vector<std::vector<float>> thresholds(static_cast<std::size_t>(model.n_features));
  for (auto const& tree : model.trees) {
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      auto const index = static_cast<std::size_t>(node);
      if (!tree.IsLeaf(node)) thresholds[tree.split_feature[index]].push_back(tree.split_value[index]);
    }
  }
  Random random(1);
  std::vector<float> values;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (auto const& of_feature : thresholds) {
      auto const size = static_cast<std::uint32_t>(of_feature.size());
      auto const value = size == 0 ? 0.0F : of_feature[random.Below(size)];
      values.push_back(random.Below(2) == 0 ? value : std::nextafter(value, -kInf));
    }
  }
  return values;
}

struct Options {
  std::string model;
  std::int64_t rows = 10000;
  std::int64_t pair_rows = 200;
  int repeats = 5;
  std::string methods = "quadrature,treeshap";
  std::string packing = "bfd";
};

double Milliseconds(std::function<void()> const& call) {
  auto const begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// The largest difference of the first rows, in units of the largest number among them.
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
    auto const call = [&] { gpu->Predict(ctx, *compiled, *view, kind, trees, {start, {}}, out); };
    auto const first = Milliseconds(call);
    std::vector<double> times;
    for (int repeat = 0; repeat < options.repeats; ++repeat) times.push_back(Milliseconds(call));
    std::sort(times.begin(), times.end());
    auto const difference = Difference(model, values, kind, {start, {}}, out);
    same = same && difference < 1e-3;
    std::printf("%-10s %-13s %8lld rows: %10.3f ms (min %.3f, first call %.0f), difference %.1e\n", method.c_str(),
                kind == PredictKind::kContribution ? "contributions" : "interactions", static_cast<long long>(n_rows),
                times[times.size() / 2], times[0], first, difference);
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
  if (argc < 2) {
    std::printf("gpu_shap_bench MODEL [rows] [interaction rows] [repeats] [methods] [bin packing]\n");
    return 2;
  }
  try {
    return kauri::testing::Run(kauri::testing::ParseOptions(argc, argv));
  } catch (kauri::Error const& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
