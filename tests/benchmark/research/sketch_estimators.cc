// Measures the errors of chapter 3's estimators on columns.
//
//   sketch_estimators FILE N_ROWS            columns of float32, one after the other, NaN where missing
//   sketch_estimators normal N_VALUES        N_VALUES numbers of N(1000, 1) against the analytic distribution (table 5)
//   sketch_estimators densities FILE N_ROWS ORDER
//
// Prints a line for each estimator and each column that is not constant (Print in sketch_measure.h). `densities` prints
// column, estimator, Failure, and the mean density in each of 256 equal cells of the range mapped to [-1, 1] (figure
// 1).
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

#include "sketch_measure.h"

namespace {

using namespace sketch_estimators;

void MeasureSketches(Column const& column) {
  for (std::size_t const size : {10U, 50U, 500U}) {
    auto const n = column.stream.size();
    static std::map<std::pair<std::size_t, std::size_t>, std::size_t> most;
    auto const within = SizeWithin(size, n);
    for (auto const each : {size, within}) {
      auto const [at, is_new] = most.emplace(std::pair(each, n), 0);
      if (is_new) at->second = MostKept(each, n);
    }
    auto const measure = [&](char const* name, std::size_t given) {
      kauri::KllSketch sketch(given);
      sketch.Add(column.stream, {});
      MeasureRanks(column, name, size, most[{given, n}], sketch.Ranks());
    };
    measure("kll", size);
    measure("kll-total", within);
    auto const sample = RandomSample(column.stream, size);
    kauri::ColumnRanks ranks;
    ranks.below.clear();
    for (std::size_t i = 0; i < sample.size(); ++i) {
      if (i > 0 && sample[i] == sample[i - 1]) continue;
      ranks.values.push_back(sample[i]);
      ranks.below.push_back(static_cast<double>(i));
    }
    ranks.below.push_back(static_cast<double>(sample.size()));
    MeasureRanks(column, "sample", size, sample.size(), ranks);
  }
}

void MeasureMoments(Column const& column, std::size_t order) {
  auto const of_sums = [&](Numbers const& sums) { return MomentsOfSums(sums, column.low, column.high); };
  MeasureBoth(column, "central", order, CentralMoments(column.sorted, order));
  auto const published = PublishedMoments(column.sorted, order);
  MeasureCdf(column, "legendre-published", order, FromMoments(published, order, false));
  MeasureBoth(column, "naive", order, of_sums(NaiveSums(column.sorted, order)));
  MeasureBoth(column, "naive-tree", order, of_sums(NaiveSumsByTree(column.sorted, order)));
}

void MeasureLogarithms(Column const& column, std::size_t order) {
  Numbers logarithms;
  for (auto const value : column.sorted) logarithms.push_back(std::log(value));
  if (!(logarithms.back() > logarithms.front())) return;
  auto const central = CentralMoments(logarithms, order);
  auto const naive = MomentsOfSums(NaiveSums(logarithms, order), logarithms.front(), logarithms.back());
  MeasureCdf(column, "entropy-log-central", order, FromMoments(central, order, true), true);
  MeasureCdf(column, "entropy-log-naive", order, FromMoments(naive, order, true), true);
}

Numbers PlacesOf(Column const& column) {
  Numbers places;
  for (auto const value : column.sorted) places.push_back((value - column.low) / (column.high - column.low));
  return places;
}

void MeasureAll(Column const& column) {
  MeasureSketches(column);
  auto const places = PlacesOf(column);
  for (std::size_t const order : {5U, 10U, 15U}) {
    MeasureMoments(column, order);
    if (column.low > 0.0) MeasureLogarithms(column, order);
    for (auto const& series : kSeries) {
      MeasureCdf(column, series.name, order, {series.cdf(series.sums(places, order))});
    }
  }
}

void PrintDensity(Column const& column, char const* name, Estimate const& estimate) {
  constexpr std::size_t kCells = 256;
  constexpr auto kPart = kauri::kCdfCells / kCells;
  std::printf("%zu %s %d", column.number, name, static_cast<int>(estimate.failure));
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    auto const mass = estimate.cdf[(cell + 1) * kPart] - estimate.cdf[cell * kPart];
    std::printf(" %.6g", mass * static_cast<double>(kCells) / 2.0);
  }
  std::printf("\n");
}

void PrintDensities(Column const& column, std::size_t order) {
  auto const central = CentralMoments(column.sorted, order);
  PrintDensity(column, "entropy", FromMoments(central, order, true));
  PrintDensity(column, "legendre", FromMoments(central, order, false));
  auto const places = PlacesOf(column);
  for (auto const& series : kSeries) PrintDensity(column, series.name, {series.cdf(series.sums(places, order))});
}

void MeasureNormal(std::size_t n) {
  Numbers values(n);
  for (std::size_t i = 0; i < n; i += 2) {  // pairs by the method of Box and Muller
    auto const radius = std::sqrt(-2.0 * std::log(1.0 - kauri::RandomUniform(1, i)));
    auto const angle = 2.0 * kPi * kauri::RandomUniform(1, i + 1);
    values[i] = static_cast<float>(1000.0 + radius * std::cos(angle));
    if (i + 1 < n) values[i + 1] = static_cast<float>(1000.0 + radius * std::sin(angle));
  }
  auto const [low, high] = std::minmax_element(values.begin(), values.end());
  auto column = NormalColumn(*low, *high);
  std::fprintf(stderr, "range %.3f to %.3f\n", column.low, column.high);
  column.sorted = std::move(values);  // the sums do not depend on the order but for rounding
  for (std::size_t const order : {5U, 10U, 15U}) MeasureMoments(column, order);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "normal") == 0) {
    MeasureNormal(static_cast<std::size_t>(std::atoll(argv[2])));
  } else if (argc == 3) {
    ForEachColumn(argv[1], static_cast<std::size_t>(std::atoll(argv[2])), MeasureAll);
  } else if (argc == 5 && std::strcmp(argv[1], "densities") == 0) {
    auto const order = static_cast<std::size_t>(std::atoll(argv[4]));
    ForEachColumn(argv[2], static_cast<std::size_t>(std::atoll(argv[3])),
                  [&](Column const& column) { PrintDensities(column, order); });
  } else {
    std::fprintf(stderr, "usage: sketch_estimators FILE N_ROWS | normal N_VALUES | densities FILE N_ROWS ORDER\n");
    return 2;
  }
  return 0;
}
