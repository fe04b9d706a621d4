/// \file Measures the cost of a level of gpu_exact on a CUDA device, by the number of its nodes.
///
///   gpu_levels_bench [rows 1000000] [columns 8] [distinct 0] [repeats 11]
///
/// distinct: number of values of a column, or 0 for one per row. Prints picoseconds per entry, medians by the device's
/// clock after a warm-up: finding splits of interleaved entries; finding splits of entries sorted by node (without the
/// move that sorts them, and without the sums of pieces that the move leaves); and the sort by node. Splits of both
/// phases are compared; a difference fails.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "exact/split/exact_split_fixture.h"

namespace kauri::testing {
namespace {

struct Options {
  std::int64_t rows = 1000000;
  std::int64_t cols = 8;
  std::uint32_t distinct = 0;
  int repeats = 11;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  if (argc > 1) options.rows = std::atoll(argv[1]);
  if (argc > 2) options.cols = std::atoll(argv[2]);
  if (argc > 3) options.distinct = static_cast<std::uint32_t>(std::atoi(argv[3]));
  if (argc > 4) options.repeats = std::atoi(argv[4]);
  return options;
}

/// Makes a level of nodes of about the same size.
Level LevelOf(Options const& options, std::int64_t n_nodes) {
  LevelSpec spec;
  spec.node_sizes.assign(static_cast<std::size_t>(n_nodes), options.rows / n_nodes);
  spec.node_sizes[0] += options.rows % n_nodes;
  spec.n_features = options.cols;
  spec.n_distinct = options.distinct;
  spec.seed = 1;
  return MakeLevel(spec);
}

/// Returns the median milliseconds of the stream's work; `prepare` is not counted.
template <typename Prepare, typename Work>
double Median(cuda::CudaContext const& cuda, int repeats, Prepare&& prepare, Work&& work) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  KAURI_CUDA_CHECK(cudaEventCreate(&begin));
  KAURI_CUDA_CHECK(cudaEventCreate(&end));
  std::vector<float> found;
  for (int i = 0; i <= repeats; ++i) {
    prepare();
    KAURI_CUDA_CHECK(cudaEventRecord(begin, cuda.stream));
    work();
    KAURI_CUDA_CHECK(cudaEventRecord(end, cuda.stream));
    KAURI_CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds = 0.0F;
    KAURI_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i > 0) found.push_back(milliseconds);
  }
  KAURI_CUDA_CHECK(cudaEventDestroy(begin));
  KAURI_CUDA_CHECK(cudaEventDestroy(end));
  std::nth_element(found.begin(), found.begin() + repeats / 2, found.end());
  return found[static_cast<std::size_t>(repeats / 2)];
}

struct Found {
  double milliseconds = 0.0;
  std::vector<SplitCandidate> best;
};

/// Times split finding in the state at the beginning of a level, when no floor has been raised.
Found TimeFinding(cuda::CudaContext const& cuda, Phase phase, Level const& level, int repeats) {
  auto const condition = MakeDeviceCondition(cuda, level, {});
  auto const floors =
      cuda::ToDevice(cuda, std::vector<double>(static_cast<std::size_t>(level.n_nodes), kMinLossChange / 2.0));
  auto entries = MakeDeviceLevel(cuda, LayOut(level, phase == Phase::kSorted), level.both_ways);
  auto& chunk = entries.chunk;
  // Repeated before each run, because split finding turns the sums of pieces into prefix sums in place.
  auto const sum_pieces = [&] {
    if (phase == Phase::kSorted) cuda::SumSegments(cuda, entries.workspace, &chunk);
  };
  sum_pieces();
  auto const task = TaskOf(level, entries, condition);
  auto const nodes = cuda::ToDevice(cuda, NarrowNodes(level));
  auto const reset = [&] {
    sum_pieces();
    cuda::CopyOnDevice(cuda, floors.data(), floors.size(), condition.floors.data());
  };
  auto const find = [&] {
    if (phase == Phase::kSorted) {
      cuda::FindSplits(cuda, task, entries.workspace.ReserveSplit(cuda, chunk), condition.best.data());
    } else {
      auto const scratch = entries.workspace.ReserveInterleaved(cuda, chunk, 1, level.n_nodes);
      cuda::FindSplitsInterleaved(cuda, task, chunk.Columns(), nodes.data(), scratch, condition.best.data());
    }
  };
  auto const milliseconds = Median(cuda, repeats, reset, find);
  return {milliseconds, Fetch(cuda, condition.best)};
}

double TimeSorting(cuda::CudaContext const& cuda, Level const& level, int repeats) {
  auto entries = MakeDeviceLevel(cuda, LayOut(level, false), level.both_ways);
  auto const& chunk = entries.chunk;
  auto const n_nodes = static_cast<std::size_t>(level.n_nodes);
  auto const nodes = cuda::ToDevice(cuda, NarrowNodes(level));
  cuda::Buffer<std::int64_t> segments(cuda, level.NumFeatures() * (n_nodes + 1) + 1);
  cuda::Buffer<std::uint32_t> counts(cuda, static_cast<std::size_t>(chunk.n_column_tiles) * n_nodes);
  cuda::Buffer<std::int64_t> totals(cuda, level.NumFeatures() * n_nodes);
  cuda::SortTask task;
  task.tiles = chunk.Columns();
  task.n_nodes = level.n_nodes;
  task.from = entries.workspace.Region(0);
  task.to = entries.workspace.Region(1);
  task.node_of_row = nodes.data();
  task.feature_begin = chunk.feature_begin.data();
  task.counts = counts.data();
  task.totals = totals.data();
  return Median(
      cuda, repeats, [] {}, [&] { cuda::SortByNode(cuda, task, segments.data()); });
}

bool SameSplits(std::vector<SplitCandidate> const& a, std::vector<SplitCandidate> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](SplitCandidate const& x, SplitCandidate const& y) {
    return x.feature == y.feature && x.threshold == y.threshold && x.loss_change == y.loss_change && x.left == y.left;
  });
}

int Main(int argc, char** argv) {
  auto const options = ParseOptions(argc, argv);
  if (!HasDevice()) {
    std::printf("there is no CUDA device\n");
    return 1;
  }
  // lines appear as soon as they are measured: the levels of the host take seconds
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  cuda::StreamOwner const stream(0);
  std::printf("%lld rows x %lld columns; ps an entry\n", static_cast<long long>(options.rows),
              static_cast<long long>(options.cols));
  std::printf("nodes  find, interleaved  find, sorted  sort by node\n");
  auto const to_ps = 1e9 / static_cast<double>(options.rows * options.cols);
  bool is_right = true;
  for (auto const n_nodes : {1, 2, 4, 8, 16, 32}) {
    auto const level = LevelOf(options, n_nodes);
    auto const interleaved = TimeFinding(stream.Context(), Phase::kInterleaved, level, options.repeats);
    auto const sorted = TimeFinding(stream.Context(), Phase::kSorted, level, options.repeats);
    auto const sort = TimeSorting(stream.Context(), level, options.repeats);
    auto const same = SameSplits(interleaved.best, sorted.best);
    is_right = is_right && same;
    std::printf("%5d  %17.1f  %12.1f  %12.1f  %s\n", n_nodes, interleaved.milliseconds * to_ps,
                sorted.milliseconds * to_ps, sort * to_ps, same ? "" : "WRONG");
  }
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace kauri::testing

int main(int argc, char** argv) { return kauri::testing::Main(argc, argv); }
