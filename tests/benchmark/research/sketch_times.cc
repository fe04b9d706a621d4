// Measures the time of sketches of standard normal values by their number, in one pass and in two.
//
//   sketch_times N_VALUES ...
//
// Prints a line for each number of values and estimator: values, estimator, order or size, nanoseconds per value of the
// sums, microseconds from the sums to 99 quantiles; one thread, processor time. Medians of five after a warm-up; of
// more than a million values, one measurement. With two passes, the first finds the range. "published" are central sums
// that are updated value by value (equation 13), "central" the library's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <utility>
#include <vector>

#include "common/random/random.h"
#include "research/sketch/cosine_sketch.h"
#include "sketch_estimators.h"

namespace {

using namespace sketch_estimators;

/// Returns processor time, which other programs disturb less.
double Seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Times {
  double sums;
  double quantiles;
};

/// Prints the medians. measure: makes one measurement.
void Print(std::size_t n, char const* estimator, std::size_t size, std::function<Times()> const& measure) {
  constexpr std::size_t kLarge = 1000000;
  if (n <= kLarge) measure();
  std::size_t const n_measurements = n <= kLarge ? 5 : 1;
  std::vector<double> sums;
  std::vector<double> quantiles;
  for (std::size_t i = 0; i < n_measurements; ++i) {
    auto const times = measure();
    sums.push_back(times.sums);
    quantiles.push_back(times.quantiles);
  }
  std::sort(sums.begin(), sums.end());
  std::sort(quantiles.begin(), quantiles.end());
  auto const middle = n_measurements / 2;
  std::printf("%zu %s %zu %.2f %.1f\n", n, estimator, size, sums[middle] * 1e9 / static_cast<double>(n),
              quantiles[middle] * 1e6);
  std::fflush(stdout);
}

Numbers Shares() {
  Numbers shares;
  for (int i = 1; i < 100; ++i) shares.push_back(i / 100.0);
  return shares;
}

/// Times both steps: sums() makes the argument of quantiles().
template <typename Sums, typename Quantiles>
Times Measure(Sums&& sums, Quantiles&& quantiles) {
  auto const start = Seconds();
  auto const made = sums();
  auto const summed = Seconds();
  auto volatile last = quantiles(made).back();
  static_cast<void>(last);
  return {summed - start, Seconds() - summed};
}

std::vector<float> NormalValues(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) {  // by the method of Box and Muller
    auto const radius = std::sqrt(-2.0 * std::log(1.0 - kauri::RandomUniform(1, 2 * i)));
    values[i] = static_cast<float>(radius * std::cos(2.0 * kPi * kauri::RandomUniform(1, 2 * i + 1)));
  }
  return values;
}

void OnePass(std::vector<float> const& values) {
  auto const shares = Shares();
  auto const n = values.size();
  for (std::size_t const size : {10U, 50U, 500U}) {
    Print(n, "kll", size, [&] {
      return Measure(
          [&] {
            kauri::KllSketch sketch(size);
            sketch.Add(values, {});
            return sketch;
          },
          [&](auto const& sketch) { return kauri::QuantilesOf(sketch.Ranks(), shares); });
    });
  }
  Numbers const wide(values.begin(), values.end());
  for (std::size_t const order : {5U, 10U, 15U}) {
    auto const with_entropy = [&](auto const& moments) {
      return kauri::InvertCdf(FromMoments(moments, order, true).cdf, shares);
    };
    auto const with_legendre = [&](auto const& moments) {
      return kauri::InvertCdf(FromMoments(moments, order, false).cdf, shares);
    };
    auto const central = [&] {
      kauri::PowerSumTree sums(static_cast<int>(order));
      sums.Add(values, {});
      return sums.Sums().MappedMoments();
    };
    auto const published = [&] {
      PublishedSums sums(static_cast<int>(order));
      for (auto const value : values) sums.Add(value);
      return sums.Sums().MappedMoments();
    };
    auto const naive = [&] {
      auto const [low, high] = std::minmax_element(wide.begin(), wide.end());
      return MomentsOfSums(NaiveSums(wide, order), *low, *high);
    };
    Print(n, "entropy-central", order, [&] { return Measure(central, with_entropy); });
    Print(n, "legendre-central", order, [&] { return Measure(central, with_legendre); });
    Print(n, "legendre-naive", order, [&] { return Measure([&] { return naive(); }, with_legendre); });
    Print(n, "legendre-published", order, [&] { return Measure(published, with_legendre); });
  }
}

void TwoPasses(std::vector<float> const& values) {
  auto const shares = Shares();
  auto const places_of = [&] {
    auto const [low, high] = std::minmax_element(values.begin(), values.end());
    auto const range = static_cast<double>(*high) - static_cast<double>(*low);
    Numbers places;
    for (auto const value : values) places.push_back((static_cast<double>(value) - static_cast<double>(*low)) / range);
    return places;
  };
  for (std::size_t const order : {5U, 10U, 15U}) {
    Print(values.size(), "cosine", order, [&] {
      return Measure(
          [&] {
            auto const [low, high] = std::minmax_element(values.begin(), values.end());
            kauri::CosineOptions options;
            options.order = static_cast<int>(order);
            options.low = *low;
            options.high = *high;
            kauri::CosineSketch sketch(options);
            sketch.Add(values, {});
            return sketch;
          },
          [&](auto const& sketch) { return kauri::QuantilesOf(sketch.Ranks(), shares); });
    });
    for (auto const& series : kSeries) {
      if (series.sums == CosineSums) continue;  // the library has a faster one, above
      Print(values.size(), series.name, order, [&] {
        return Measure([&] { return series.sums(places_of(), order); },
                       [&](auto const& sums) { return kauri::InvertCdf(series.cdf(sums), shares); });
      });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: sketch_times N_VALUES ...\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    auto const values = NormalValues(static_cast<std::size_t>(std::atoll(argv[i])));
    OnePass(values);
    TwoPasses(values);
  }
  return 0;
}
