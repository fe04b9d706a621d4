/// \file Table 8 (float_sums.h) as originally measured: the parallel sum is Thrust's, on the device.
///
///   gpu_float_sums_bench [numbers 10000000] [repeats 100]
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <exception>

#include "float_sums.h"

int main(int argc, char** argv) {
  auto const [n, repeats] = kauri::bench::SizesOf(argc, argv);
  try {
    thrust::device_vector<float> on_device(static_cast<std::size_t>(n));
    kauri::bench::CompareSums(n, repeats, [&](std::vector<float> const& numbers) {
      thrust::copy(numbers.begin(), numbers.end(), on_device.begin());
      return thrust::reduce(thrust::device, on_device.begin(), on_device.end(), 0.0F, thrust::plus<float>());
    });
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
