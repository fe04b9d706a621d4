// Measures sketches of columns: the cost of each, and the distance between its distribution and the data's.
//
//   sketch_bench FILE N_ROWS MAX_BIN
//
// FILE holds float32 columns of N_ROWS one after the other, NaN for missing. Prints a line for every sketch and every
// column that is not constant: column, sketch, nanoseconds per value of adding (blocks of 65,536), microseconds of
// Ranks(), bytes, NIAE (the mean distance between the sketch's and the true distribution over the range, at 4,000
// places), bound on rank errors.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/sketch/gk_sketch.h"
#include "data/sketch/sketch_method.h"
#include "research/sketch/kll_sketch.h"
#include "research/sketch/moment_sketch.h"

namespace {

using kauri::ColumnSketch;
using Maker = std::function<std::unique_ptr<ColumnSketch>()>;

Maker MomentMaker(int order, bool is_legendre) {
  return [=] {
    kauri::MomentOptions options;
    options.order = order;
    options.is_legendre = is_legendre;
    return std::make_unique<kauri::MomentSketch>(options);
  };
}

/// Returns the fraction of the weight below x.
double ShareBelow(kauri::ColumnRanks const& ranks, double x) {
  auto const next =
      static_cast<std::size_t>(std::lower_bound(ranks.values.begin(), ranks.values.end(), x) - ranks.values.begin());
  return ranks.below[next] / ranks.below.back();
}

double Niae(std::vector<float> const& sorted, kauri::ColumnRanks const& ranks) {
  constexpr int kPlaces = 4000;
  double sum = 0.0;
  auto const low = static_cast<double>(sorted.front());
  auto const range = static_cast<double>(sorted.back()) - low;
  for (int i = 1; i < kPlaces; ++i) {
    auto const x = low + range * i / kPlaces;
    auto const truth = std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin();
    sum += std::fabs(static_cast<double>(truth) / static_cast<double>(sorted.size()) - ShareBelow(ranks, x));
  }
  return sum / kPlaces;
}

void Measure(std::size_t column, std::string const& name, Maker const& make, std::vector<float> const& values,
             std::vector<float> const& sorted) {
  constexpr std::size_t kBlock = 1 << 16;
  auto const start = std::chrono::steady_clock::now();
  auto sketch = make();
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    auto const n = std::min(kBlock, values.size() - begin);
    sketch->Add(kauri::Span<float const>(values).subspan(begin, n), {});
  }
  auto const added = std::chrono::steady_clock::now();
  auto const ranks = sketch->Ranks();
  auto const done = std::chrono::steady_clock::now();
  auto const nanoseconds = [&](auto from, auto to) {
    return std::chrono::duration<double, std::nano>(to - from).count();
  };
  std::printf("%zu %s %.2f %.0f %zu %.7f %.7f\n", column, name.c_str(),
              nanoseconds(start, added) / static_cast<double>(values.size()), nanoseconds(added, done) / 1e3,
              sketch->Bytes(), Niae(sorted, ranks), sketch->RankErrorBound());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: sketch_bench FILE N_ROWS MAX_BIN\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  auto const max_bin = std::atoi(argv[3]);
  std::vector<float> values(static_cast<std::size_t>(std::atoll(argv[2])));
  std::vector<std::pair<std::string, Maker>> const sketches{
      {"exact", [] { return std::make_unique<kauri::ExactSketch>(); }},
      {"gk", [&] { return kauri::GkMethod().Make(max_bin); }},
      {"gk-500", [] { return std::make_unique<kauri::GkSketch>(500); }},
      {"kll", [&] { return std::make_unique<kauri::KllSketch>(kauri::SketchEntries(max_bin)); }},
      {"kll-500", [] { return std::make_unique<kauri::KllSketch>(500); }},
      {"moments-5", MomentMaker(5, false)},
      {"moments-10", MomentMaker(10, false)},
      {"moments-15", MomentMaker(15, false)},
      {"legendre-10", MomentMaker(10, true)}};
  auto const bytes = static_cast<std::streamsize>(values.size() * sizeof(float));
  for (std::size_t column = 0; file.read(reinterpret_cast<char*>(values.data()), bytes); ++column) {
    std::vector<float> sorted;
    std::copy_if(values.begin(), values.end(), std::back_inserter(sorted), [](float v) { return !std::isnan(v); });
    std::sort(sorted.begin(), sorted.end());
    if (sorted.empty() || sorted.front() == sorted.back()) continue;
    for (auto const& [name, make] : sketches) Measure(column, name, make, values, sorted);
  }
  return 0;
}
