/// \file Table 8 of Mitchell & Frank 2017: the error of sums of many float32 numbers between -1 and 1.
///
/// The same numbers are added in four ways: sequentially in float64, which is the reference, sequentially in float32,
/// by a parallel sum in float32, and in fixed point like gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "common/fixed_point.h"
#include "common/random/random.h"
#include "common/threads/parallel_for.h"
#include "kauri/context.h"

namespace kauri::bench {

/// The differences between sums and the float64 sums, over the repeats.
class SumErrors {
 public:
  void Add(double found, double expected) { errors_.push_back(std::fabs(found - expected)); }
  /// Prints "NAME MEAN DEVIATION" with the sample standard deviation.
  void Print(char const* name) const {
    double mean = 0.0;
    for (auto const error : errors_) mean += error / static_cast<double>(errors_.size());
    double squares = 0.0;
    for (auto const error : errors_) squares += (error - mean) * (error - mean);
    auto const freedom = static_cast<double>(std::max<std::size_t>(errors_.size(), 2) - 1);
    std::printf("%s %.9g %.9g\n", name, mean, std::sqrt(squares / freedom));
  }

 private:
  std::vector<double> errors_;
};

inline void FillNumbers(std::uint64_t repeat, std::vector<float>* numbers) {
  auto const key = MixBits(repeat + 1);
  ParallelFor(Context{}, static_cast<std::int64_t>(numbers->size()), [&](std::int64_t i) {
    (*numbers)[i] = static_cast<float>(2.0 * RandomUniform(key, static_cast<std::uint64_t>(i)) - 1.0);
  });
}

/// Returns the sum in fixed point, with the unit for the largest number; the sum of integers is exact and independent
/// of the order.
inline double FixedPointSum(std::vector<float> const& numbers) {
  float largest = 0.0F;
  for (auto const number : numbers) largest = std::max(largest, std::fabs(number));
  auto const unit = FixedPointUnit(largest);
  std::int64_t sum = 0;
  for (auto const number : numbers) sum += QuantisePair({number, 0.0F}, {1.0 / unit, 1.0}).gradient;
  return static_cast<double>(sum) * unit;
}

/// Prints a line for each way: sequential, parallel, fixed. parallel(numbers): their float32 sum.
template <typename Parallel>
void CompareSums(std::int64_t n, int repeats, Parallel&& parallel) {
  SumErrors in_sequence;
  SumErrors in_parallel;
  SumErrors in_fixed_point;
  std::vector<float> numbers(n);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    FillNumbers(static_cast<std::uint64_t>(repeat), &numbers);
    double expected = 0.0;
    float sequential = 0.0F;
    for (auto const number : numbers) {
      expected += static_cast<double>(number);
      sequential += number;
    }
    in_sequence.Add(static_cast<double>(sequential), expected);
    in_parallel.Add(static_cast<double>(parallel(std::as_const(numbers))), expected);
    in_fixed_point.Add(FixedPointSum(numbers), expected);
  }
  in_sequence.Print("sequential");
  in_parallel.Print("parallel");
  in_fixed_point.Print("fixed");
}

/// Parses [numbers 10000000] [repeats 100] from the command line.
inline std::pair<std::int64_t, int> SizesOf(int argc, char** argv) {
  return {argc > 1 ? std::max(1LL, std::atoll(argv[1])) : 10000000, argc > 2 ? std::max(1, std::atoi(argv[2])) : 100};
}

}  // namespace kauri::bench
