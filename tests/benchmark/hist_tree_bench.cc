/// \file Milliseconds per tree of tree_method=hist, driven directly: rounds of logistic boosting on synthetic data.
///
/// usage: hist_tree_bench [rows=1000000] [columns=28] [threads=2] [rounds=20] [key=value of TreeParam ...]
///
/// Prints the time of binning and the minimum times, over the rounds after the first, of a tree and of a whole round
/// (gradients, tree, update of the margins), which is the work of other libraries' update calls. With one thread it
/// also prints processor time, which other programs disturb less.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "common/fixed_point.h"
#include "common/math.h"
#include "common/threads/parallel_for.h"
#include "tree/hist/hist_builder.h"

namespace {

using Clock = std::chrono::steady_clock;

/// Wall clock and processor time of the process, in milliseconds.
struct Elapsed {
  double wall = 1e300;
  double processor = 1e300;

  void KeepLeast(Elapsed other) {
    wall = std::min(wall, other.wall);
    processor = std::min(processor, other.processor);
  }
};

class Timer {
 public:
  Elapsed Read() const {
    return {std::chrono::duration<double, std::milli>(Clock::now() - wall_).count(),
            1e3 * static_cast<double>(std::clock() - processor_) / CLOCKS_PER_SEC};
  }

 private:
  Clock::time_point wall_ = Clock::now();
  std::clock_t processor_ = std::clock();
};

struct Problem {
  std::unique_ptr<kauri::DataMatrix> data;
  std::vector<float> labels;
};

Problem MakeProblem(kauri::Context const& ctx, std::int64_t n_rows, std::int64_t n_cols) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  kauri::DenseStorage storage;
  storage.values.resize(static_cast<std::size_t>(n_rows * n_cols));
  for (auto& value : storage.values) value = normal(engine);
  Problem problem;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const* x = storage.values.data() + row * n_cols;
    auto const margin = x[0] + x[1] * x[2] + std::sin(3.0F * x[3]) + (x[4] > 0.3F ? 0.5F * x[5] : 0.0F);
    problem.labels.push_back(margin + 0.3F * normal(engine) > 0.0F ? 1.0F : 0.0F);
  }
  problem.data = kauri::DataMatrix::FromDense(std::move(storage), n_rows, n_cols, ctx);
  return problem;
}

void FillGradients(kauri::Context const& ctx, Problem const& problem, std::vector<float> const& margins,
                   std::vector<kauri::GradientPair>* pairs) {
  kauri::ParallelForBlocks(ctx, problem.data->NumRows(), 4096, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      auto const p = kauri::Sigmoid(margins[row]);
      (*pairs)[row] = {p - problem.labels[row], std::max(p * (1.0F - p), 1e-16F)};
    }
  });
}

double MeanLogLoss(Problem const& problem, std::vector<float> const& margins) {
  double sum = 0.0;
  for (std::size_t row = 0; row < margins.size(); ++row) {
    sum += std::log1p(std::exp(problem.labels[row] > 0.5F ? -margins[row] : margins[row]));
  }
  return sum / static_cast<double>(margins.size());
}

long Argument(int argc, char** argv, int index, long fallback) {
  return argc > index ? std::strtol(argv[index], nullptr, 10) : fallback;
}

}  // namespace

int main(int argc, char** argv) {
  kauri::Context ctx;
  ctx.threads = static_cast<int>(Argument(argc, argv, 3, 2));
  auto const rounds = Argument(argc, argv, 4, 20);
  kauri::ParamMap map;
  for (int i = 5; i < argc; ++i) {
    std::string const text = argv[i];
    map[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  auto const problem = MakeProblem(ctx, Argument(argc, argv, 1, 1000000), Argument(argc, argv, 2, 28));
  auto const n_rows = static_cast<std::size_t>(problem.data->NumRows());
  auto const builder = kauri::MakeHistBuilder(kauri::TrainingParams(map));
  Timer const start;
  auto const state = builder->MakeState(ctx, *problem.data);
  auto const binning = start.Read();

  std::vector<float> margins(n_rows, 0.0F);
  std::vector<kauri::GradientPair> pairs(n_rows);
  std::vector<std::int32_t> leaf_of_row(n_rows);
  kauri::FixedGradients fixed;
  Elapsed tree_time;
  Elapsed round_time;
  std::int64_t leaves = 0;
  for (long round = 0; round <= rounds; ++round) {
    Timer const round_timer;
    FillGradients(ctx, problem, margins, &pairs);
    kauri::QuantiseGradients(ctx, pairs, 1, 0, {}, &fixed);
    kauri::TreeTask task;
    task.gradients = fixed.View();
    task.place.iteration = round;
    Timer const tree_timer;
    auto const tree = builder->Build(ctx, *problem.data, task, state.get(), leaf_of_row);
    auto const tree_elapsed = tree_timer.Read();
    kauri::ParallelForBlocks(
        ctx, problem.data->NumRows(), 4096, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
          for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
            margins[row] += tree.split_value[static_cast<std::size_t>(leaf_of_row[row])];
          }
        });
    if (round == 0) continue;
    tree_time.KeepLeast(tree_elapsed);
    round_time.KeepLeast(round_timer.Read());
    leaves += tree.NumLeaves();
  }
  auto const print = [](char const* name, Elapsed elapsed) {
    std::printf("%s %.3f ms (processor %.3f), ", name, elapsed.wall, elapsed.processor);
  };
  print("binning", binning);
  print("tree", tree_time);
  print("round", round_time);
  std::printf("%.1f leaves, logloss %.6f\n", static_cast<double>(leaves) / static_cast<double>(rounds),
              MeanLogLoss(problem, margins));
  return 0;
}
