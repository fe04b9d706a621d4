// Measures the errors of chapter 3's estimators on columns.
//
//   sketch_estimators FILE N_ROWS        columns of float32, one after the other, NaN where missing; - for none
//   sketch_estimators normal N_VALUES    N_VALUES numbers of N(1000, 1) against the analytic distribution (table 5)
//
// Prints a line for each estimator and each column that is not constant: column, whether its values are above 0,
// estimator, order or size, NIAE of the quantiles (1,000 evaluations), NIAE of the distribution (4,000), whether it
// failed.
#include "sketch_estimators.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>

#include "common/random/random.h"

namespace {

using namespace sketch_estimators;

struct Column {
  std::size_t number;
  Numbers sorted;
  std::vector<float> stream;                   // values in the order of the rows
  std::function<double(double)> distribution;  // the fraction of smaller values
  std::function<double(double)> quantile;
};

void Print(Column const& column, char const* name, std::size_t size, double of_quantiles, double of_cdf, bool failed) {
  std::printf("%zu %d %s %zu %.7f %.7f %d\n", column.number, column.sorted.front() > 0.0 ? 1 : 0, name, size,
              of_quantiles, of_cdf, failed ? 1 : 0);
}

/// Returns the mean of |a - b| by the trapezoid rule on n equal steps of [0, 1].
template <typename Fn>
double MeanDistance(int n, Fn&& distance) {
  auto sum = 0.0;
  for (int i = 0; i <= n; ++i) sum += (i == 0 || i == n ? 0.5 : 1.0) * distance(static_cast<double>(i) / n);
  return sum / n;
}

constexpr int kQuantilePlaces = 999;
constexpr int kCdfPlaces = 4000;

void MeasureCdf(Column const& column, char const* name, std::size_t size, Estimate const& estimate,
                bool of_logarithms = false) {
  auto const bare = [&](double x) { return of_logarithms ? std::log(x) : x; };
  auto const low = bare(column.sorted.front());
  auto const high = bare(column.sorted.back());
  auto const range = column.sorted.back() - column.sorted.front();
  Numbers shares;
  for (int i = 0; i <= kQuantilePlaces; ++i) shares.push_back(static_cast<double>(i) / kQuantilePlaces);
  auto const places = kauri::InvertCdf(estimate.cdf, shares);
  auto failed = estimate.failed;
  for (std::size_t i = 0; i < places.size(); ++i) {
    failed = failed || !(std::fabs(places[i]) <= 1.0) || (i > 0 && places[i] < places[i - 1]);
  }
  auto const of_quantiles = MeanDistance(kQuantilePlaces, [&](double share) {
    auto const place = places[static_cast<std::size_t>(std::lround(share * kQuantilePlaces))];
    auto const found = low + 0.5 * (place + 1.0) * (high - low);
    return std::fabs((of_logarithms ? std::exp(found) : found) - column.quantile(share)) / range;
  });
  auto const of_cdf = MeanDistance(kCdfPlaces, [&](double part) {
    auto const x = column.sorted.front() + part * range;
    auto const cell = std::clamp((bare(x) - low) / (high - low), 0.0, 1.0) * static_cast<double>(kauri::kCdfCells);
    auto const before = std::min(static_cast<std::size_t>(cell), kauri::kCdfCells - 1);
    auto const share =
        estimate.cdf[before] + (cell - static_cast<double>(before)) * (estimate.cdf[before + 1] - estimate.cdf[before]);
    return std::fabs(share - column.distribution(x));
  });
  Print(column, name, size, of_quantiles, of_cdf, failed || !std::isfinite(of_quantiles) || !std::isfinite(of_cdf));
}

void MeasureKll(Column const& column, std::size_t size) {
  kauri::KllSketch sketch(size);
  sketch.Add(column.stream, {});
  auto const ranks = sketch.Ranks();
  auto const total = ranks.below.back();
  auto const range = column.sorted.back() - column.sorted.front();
  auto const of_quantiles = MeanDistance(kQuantilePlaces, [&](double share) {
    return std::fabs(kauri::QuantilesOf(ranks, Numbers{share})[0] - column.quantile(share)) / range;
  });
  auto const of_cdf = MeanDistance(kCdfPlaces, [&](double part) {
    auto const x = column.sorted.front() + part * range;
    auto const at = std::lower_bound(ranks.values.begin(), ranks.values.end(), x) - ranks.values.begin();
    return std::fabs(ranks.below[static_cast<std::size_t>(at)] / total - column.distribution(x));
  });
  Print(column, "kll", size, of_quantiles, of_cdf, false);
}

void MeasureMoments(Column const& column, std::size_t order) {
  auto const central = CentralMoments(column.sorted, order);
  auto const naive = NaiveMoments(column.sorted, order);
  MeasureCdf(column, "entropy-central", order, FromMoments(central, order, true));
  MeasureCdf(column, "entropy-naive", order, FromMoments(naive, order, true));
  MeasureCdf(column, "legendre-central", order, FromMoments(central, order, false));
  MeasureCdf(column, "legendre-naive", order, FromMoments(naive, order, false));
  if (!(column.sorted.front() > 0.0)) return;
  Numbers logarithms;
  for (auto const value : column.sorted) logarithms.push_back(std::log(value));
  if (!(logarithms.back() > logarithms.front())) return;
  MeasureCdf(column, "entropy-log-central", order, FromMoments(CentralMoments(logarithms, order), order, true), true);
  MeasureCdf(column, "entropy-log-naive", order, FromMoments(NaiveMoments(logarithms, order), order, true), true);
}

void MeasureSeries(Column const& column, std::size_t order) {
  auto const low = column.sorted.front();
  Numbers places;
  for (auto const value : column.sorted) places.push_back((value - low) / (column.sorted.back() - low));
  MeasureCdf(column, "cosine", order, Cosine(places, order));
  MeasureCdf(column, "chebyshev", order, Chebyshev(places, order));
  MeasureCdf(column, "fourier", order, Fourier(places, order));
  MeasureCdf(column, "hermite", order, Hermite(places, order));
}

void MeasureAll(Column const& column, bool with_series) {
  for (std::size_t const size : {10U, 50U, 500U}) MeasureKll(column, size);
  for (std::size_t const order : {5U, 10U, 15U}) {
    MeasureMoments(column, order);
    if (with_series) MeasureSeries(column, order);
  }
}

void MeasureFile(char const* path, std::size_t n_rows) {
  std::ifstream file(path, std::ios::binary);
  std::vector<float> values(n_rows);
  auto const bytes = static_cast<std::streamsize>(values.size() * sizeof(float));
  for (std::size_t number = 0; file.read(reinterpret_cast<char*>(values.data()), bytes); ++number) {
    Column column{number, {}, {}, {}, {}};
    for (auto const value : values) {
      if (!std::isnan(value)) column.stream.push_back(value);
    }
    column.sorted.assign(column.stream.begin(), column.stream.end());
    std::sort(column.sorted.begin(), column.sorted.end());
    auto const& sorted = column.sorted;
    if (sorted.empty() || sorted.front() == sorted.back()) continue;
    auto const n = static_cast<double>(sorted.size());
    column.distribution = [&](double x) {
      return static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin()) / n;
    };
    column.quantile = [&](double share) {
      return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(n * share))];
    };
    MeasureAll(column, true);
  }
}

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double NormalQuantile(double share, double low, double high) {
  for (int step = 0; step < 100; ++step) {
    auto const middle = 0.5 * (low + high);
    (NormalCdf(middle - 1000.0) < share ? low : high) = middle;
  }
  return low;
}

void MeasureNormal(std::size_t n) {
  Column column{0, Numbers(n), {}, {}, {}};
  for (std::size_t i = 0; i < n; i += 2) {  // pairs by the method of Box and Muller
    auto const radius = std::sqrt(-2.0 * std::log(1.0 - kauri::RandomUniform(1, i)));
    auto const angle = 2.0 * kPi * kauri::RandomUniform(1, i + 1);
    column.sorted[i] = static_cast<float>(1000.0 + radius * std::cos(angle));
    if (i + 1 < n) column.sorted[i + 1] = static_cast<float>(1000.0 + radius * std::sin(angle));
  }
  std::swap(column.sorted.front(), *std::min_element(column.sorted.begin(), column.sorted.end()));
  std::swap(column.sorted.back(), *std::max_element(column.sorted.begin(), column.sorted.end()));
  column.distribution = [](double x) { return NormalCdf(x - 1000.0); };
  column.quantile = [&](double share) { return NormalQuantile(share, column.sorted.front(), column.sorted.back()); };
  std::fprintf(stderr, "range %.3f to %.3f\n", column.sorted.front(), column.sorted.back());
  for (std::size_t const order : {5U, 10U, 15U}) MeasureMoments(column, order);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: sketch_estimators FILE N_ROWS | normal N_VALUES\n");
    return 2;
  }
  auto const n = static_cast<std::size_t>(std::atoll(argv[2]));
  if (std::strcmp(argv[1], "normal") == 0) {
    MeasureNormal(n);
  } else {
    MeasureFile(argv[1], n);
  }
  return 0;
}
