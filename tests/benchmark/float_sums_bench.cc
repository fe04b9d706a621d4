/// \file Table 8 (float_sums.h) without a device: the parallel sum is the tree of figure 3, with every number as a
/// leaf.
///
///   float_sums_bench [numbers 10000000] [repeats 100]
#include "float_sums.h"

namespace kauri::bench {
namespace {

/// Returns the sum by a binary tree: neighbours are added, then neighbouring sums, and so on.
float TreeSum(float const* numbers, std::int64_t n) {
  if (n == 1) return numbers[0];
  return TreeSum(numbers, n / 2) + TreeSum(numbers + n / 2, n - n / 2);
}

}  // namespace
}  // namespace kauri::bench

int main(int argc, char** argv) {
  auto const [n, repeats] = kauri::bench::SizesOf(argc, argv);
  kauri::bench::CompareSums(n, repeats, [](std::vector<float> const& numbers) {
    return kauri::bench::TreeSum(numbers.data(), static_cast<std::int64_t>(numbers.size()));
  });
  return 0;
}
