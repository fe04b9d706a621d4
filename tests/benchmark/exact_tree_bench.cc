/// \file Time per tree of the exact method on synthetic dense data, logistic loss.
///
///   exact_tree_bench [rows 200000] [columns 28] [depth 6] [threads 2] [rounds 10] [missing 0] [prefix]
///
/// With a prefix the data are written to PREFIX.x and PREFIX.y (raw float32), so that another library can be timed on
/// the same data (exact_tree_peer.py). Prints the seconds of the sort, the median and minimum milliseconds per tree,
/// the nanoseconds per entry, level and thread, and the final log loss, which shows a wrong tree.
///
/// Lower bound per entry and level: 16 bytes of sequential traffic and gathers of 4 + 8 bytes that hit the L2 cache. At
/// two cycles for the partition, two for the sums and one for the gains it is 5 cycles, or 1.5 ns at 3.3 GHz.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "common/fixed_point.h"
#include "common/math.h"
#include "common/random/random.h"
#include "tree/exact/exact_builder.h"

namespace kauri {
namespace {

struct Options {
  std::int64_t rows = 200000;
  std::int64_t cols = 28;
  int depth = 6;
  int threads = 2;
  int rounds = 10;
  double missing = 0.0;
  std::string prefix;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  if (argc > 1) options.rows = std::atoll(argv[1]);
  if (argc > 2) options.cols = std::atoll(argv[2]);
  if (argc > 3) options.depth = std::atoi(argv[3]);
  if (argc > 4) options.threads = std::atoi(argv[4]);
  if (argc > 5) options.rounds = std::atoi(argv[5]);
  if (argc > 6) options.missing = std::atof(argv[6]);
  if (argc > 7) options.prefix = argv[7];
  return options;
}

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Returns the processor time of all threads of the process. With one thread it is comparable on a machine that others
/// use too.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Data {
  std::vector<float> x;
  std::vector<float> y;
};

/// Generates the data: every fourth column has 100 values, the others are continuous; five columns influence the label.
Data MakeData(Options const& options) {
  auto const n_cols = static_cast<std::uint64_t>(options.cols);
  Data data;
  for (std::uint64_t row = 0; row < static_cast<std::uint64_t>(options.rows); ++row) {
    double score = 0.0;
    for (std::uint64_t col = 0; col < n_cols; ++col) {
      auto u = RandomUniform(1, row * n_cols + col);
      if (col % 4 == 3) u = std::floor(u * 100.0) / 100.0;
      if (col < 5) score += std::sin(static_cast<double>(col + 2) * u) * (col % 2 == 0 ? 1.0 : -1.5);
      auto const is_missing = RandomUniform(2, row * n_cols + col) < options.missing;
      data.x.push_back(is_missing ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(u));
    }
    data.y.push_back(RandomUniform(3, row) < 1.0 / (1.0 + std::exp(-2.0 * score)) ? 1.0F : 0.0F);
  }
  return data;
}

void Write(std::string const& path, std::vector<float> const& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<char const*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
}

void ComputeGradients(std::vector<float> const& margins, std::vector<float> const& labels,
                      std::vector<GradientPair>* out) {
  for (std::size_t row = 0; row < margins.size(); ++row) {
    auto const p = Sigmoid(margins[row]);
    (*out)[row] = {p - labels[row], std::max(p * (1.0F - p), 1e-16F)};
  }
}

double LogLoss(std::vector<float> const& margins, std::vector<float> const& labels) {
  double loss = 0.0;
  for (std::size_t row = 0; row < margins.size(); ++row) {
    loss += std::log1p(std::exp(labels[row] > 0.0F ? -margins[row] : margins[row]));
  }
  return loss / static_cast<double>(margins.size());
}

void Run(Options const& options) {
  auto data = MakeData(options);
  if (!options.prefix.empty()) {
    Write(options.prefix + ".x", data.x);
    Write(options.prefix + ".y", data.y);
  }
  auto const matrix = DataMatrix::FromDense({FloatVector(data.x.begin(), data.x.end())}, options.rows, options.cols);
  TreeParam param;
  param.Init(std::map<std::string, std::string>());
  param.max_depth = options.depth;
  Context ctx;
  ctx.threads = options.threads;
  ExactBuilder const builder(param);
  auto start = Seconds();
  auto const state = builder.MakeState(ctx, *matrix);
  auto const sort_seconds = Seconds() - start;

  auto const n_rows = static_cast<std::size_t>(options.rows);
  std::vector<float> margins(n_rows, 0.0F);
  std::vector<GradientPair> pairs(n_rows);
  std::vector<std::int32_t> leaf_of_row(n_rows);
  std::vector<double> seconds;
  double cpu_seconds = 0.0;
  for (int round = 0; round < options.rounds; ++round) {
    ComputeGradients(margins, data.y, &pairs);
    FixedGradients fixed;
    QuantiseGradients(ctx, pairs, 1, 0, {}, &fixed);
    TreeTask task;
    task.gradients = fixed.View();
    task.place.iteration = round;
    start = Seconds();
    cpu_seconds -= CpuSeconds();
    auto const tree = builder.Build(ctx, *matrix, task, state.get(), leaf_of_row);
    seconds.push_back(Seconds() - start);
    cpu_seconds += CpuSeconds();
    for (std::size_t row = 0; row < n_rows; ++row)
      margins[row] += tree.split_value[static_cast<std::size_t>(leaf_of_row[row])];
  }
  std::sort(seconds.begin(), seconds.end());
  auto const median = seconds[seconds.size() / 2];
  auto const cpu_per_tree = cpu_seconds / options.rounds;
  auto const visits = static_cast<double>(matrix->NumEntries()) * options.depth;
  std::printf(
      "sort %.3f s; tree median %.2f ms, least %.2f ms, processor %.2f ms = %.2f ns per entry and level; log loss "
      "%.6f\n",
      sort_seconds, median * 1e3, seconds[0] * 1e3, cpu_per_tree * 1e3, cpu_per_tree * 1e9 / visits,
      LogLoss(margins, data.y));
}

}  // namespace
}  // namespace kauri

int main(int argc, char** argv) { kauri::Run(kauri::ParseOptions(argc, argv)); }
