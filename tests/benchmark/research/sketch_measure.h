/// \file How chapter 3 of the thesis measures an estimator: NIAE, the mean distance between the estimated and the true
/// distribution over the range of a column.
#pragma once

#include <cstdio>
#include <functional>

#include "sketch_estimators.h"

namespace sketch_estimators {

struct Column {
  std::size_t number = 0;
  double low = 0.0;
  double high = 0.0;
  Numbers sorted;
  std::vector<float> stream;                   // values in the order of the rows
  std::function<double(double)> distribution;  // the fraction of smaller values
  std::function<double(double)> quantile;
};

/// Prints: column, largest over smallest value (0 unless all are above 0), estimator, order or size, numbers kept, NIAE
/// of the quantiles (1,000 evaluations), NIAE of the distribution (4,000), Failure.
inline void Print(Column const& column, char const* name, std::size_t size, std::size_t kept, double of_quantiles,
                  double of_cdf, Failure failure) {
  std::printf("%zu %.7g %s %zu %zu %.7f %.7f %d\n", column.number, column.low > 0.0 ? column.high / column.low : 0.0,
              name, size, kept, of_quantiles, of_cdf, static_cast<int>(failure));
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

inline bool AreAscending(Numbers const& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!(std::fabs(places[i]) <= 1.0) || (i > 0 && places[i] < places[i - 1])) return false;
  }
  return true;
}

/// Measures a distribution of `order` sums; the sketch keeps the number of values and their range besides.
inline void MeasureCdf(Column const& column, char const* name, std::size_t order, Estimate const& estimate,
                       bool of_logarithms = false) {
  auto const bare = [&](double x) { return of_logarithms ? std::log(x) : x; };
  auto const low = bare(column.low);
  auto const high = bare(column.high);
  auto const range = column.high - column.low;
  Numbers shares;
  for (int i = 0; i <= kQuantilePlaces; ++i) shares.push_back(static_cast<double>(i) / kQuantilePlaces);
  auto const places = kauri::InvertCdf(estimate.cdf, shares);
  auto const of_quantiles = MeanDistance(kQuantilePlaces, [&](double share) {
    auto const place = places[static_cast<std::size_t>(std::lround(share * kQuantilePlaces))];
    auto const found = low + 0.5 * (place + 1.0) * (high - low);
    return std::fabs((of_logarithms ? std::exp(found) : found) - column.quantile(share)) / range;
  });
  auto const of_cdf = MeanDistance(kCdfPlaces, [&](double part) {
    auto const x = column.low + part * range;
    auto const cell = std::clamp((bare(x) - low) / (high - low), 0.0, 1.0) * static_cast<double>(kauri::kCdfCells);
    auto const before = std::min(static_cast<std::size_t>(cell), kauri::kCdfCells - 1);
    auto const share =
        estimate.cdf[before] + (cell - static_cast<double>(before)) * (estimate.cdf[before + 1] - estimate.cdf[before]);
    return std::fabs(share - column.distribution(x));
  });
  auto const are_numbers = std::isfinite(of_quantiles) && std::isfinite(of_cdf);
  auto const failure = AreAscending(places) && are_numbers ? estimate.failure : Failure::kFailed;
  Print(column, name, order, order + 3, of_quantiles, of_cdf, failure);
}

inline void MeasureRanks(Column const& column, char const* name, std::size_t size, std::size_t kept,
                         kauri::ColumnRanks const& ranks) {
  auto const total = ranks.below.back();
  auto const range = column.high - column.low;
  auto const of_quantiles = MeanDistance(kQuantilePlaces, [&](double share) {
    return std::fabs(kauri::QuantilesOf(ranks, Numbers{share})[0] - column.quantile(share)) / range;
  });
  auto const of_cdf = MeanDistance(kCdfPlaces, [&](double part) {
    auto const x = column.low + part * range;
    auto const at = std::lower_bound(ranks.values.begin(), ranks.values.end(), x) - ranks.values.begin();
    return std::fabs(ranks.below[static_cast<std::size_t>(at)] / total - column.distribution(x));
  });
  Print(column, name, size, kept, of_quantiles, of_cdf, Failure::kNone);
}

/// Measures both estimates of moments; `kind` is what their names end in: "central", "naive", ...
inline void MeasureBoth(Column const& column, std::string const& kind, std::size_t order, Numbers const& moments) {
  MeasureCdf(column, ("entropy-" + kind).c_str(), order, FromMoments(moments, order, true));
  MeasureCdf(column, ("legendre-" + kind).c_str(), order, FromMoments(moments, order, false));
}

/// Calls fn(column) for each column of a file that is not constant. The file has float32, one column after the other,
/// NaN where a value is missing.
template <typename Fn>
void ForEachColumn(char const* path, std::size_t n_rows, Fn&& fn) {
  auto* file = std::fopen(path, "rb");
  if (file == nullptr) return;
  std::vector<float> values(n_rows);
  for (std::size_t number = 0; std::fread(values.data(), sizeof(float), n_rows, file) == n_rows; ++number) {
    Column column;
    column.number = number;
    std::copy_if(values.begin(), values.end(), std::back_inserter(column.stream),
                 [](float x) { return !std::isnan(x); });
    column.sorted.assign(column.stream.begin(), column.stream.end());
    std::sort(column.sorted.begin(), column.sorted.end());
    auto const& sorted = column.sorted;
    if (sorted.empty() || sorted.front() == sorted.back()) continue;
    column.low = sorted.front();
    column.high = sorted.back();
    auto const n = static_cast<double>(sorted.size());
    column.distribution = [&](double x) {
      return static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin()) / n;
    };
    column.quantile = [&](double share) {
      return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(n * share))];
    };
    fn(column);
  }
  std::fclose(file);
}

inline double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

inline double NormalQuantile(double share, double low, double high) {
  for (int step = 0; step < 100; ++step) {
    auto const middle = 0.5 * (low + high);
    (NormalCdf(middle - 1000.0) < share ? low : high) = middle;
  }
  return low;
}

/// Returns the column of table 5, N(1000, 1) cut off at its smallest and largest value.
inline Column NormalColumn(double low, double high) {
  Column column;
  column.low = low;
  column.high = high;
  column.distribution = [](double x) { return NormalCdf(x - 1000.0); };
  column.quantile = [=](double share) { return NormalQuantile(share, low, high); };
  return column;
}

}  // namespace sketch_estimators
