/// 1. A histogram of the sizes goes to the host, which plans the bins of each size from it (bin_packing.h): a hundred
///    runs, a few microseconds.
/// 2. A radix sort of the paths by size, one digit, gives the order that the plan assumes.
/// 3. A scan of the bins' loads gives the start of each bin.
/// 4. A thread per path finds its run by bisection, and thereby its bin and its place in the bin.
/// Best-fit decreasing is P-complete for items of any size. With 32 sizes only little work is sequential.
///
/// Floor, 6.7 M paths: 5 bytes of key and number read and written twice, 8 written at random: 0.2 GB, below 0.1 ms.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "cuda/common/launch.h"
#include "cuda/common/thrust_policy.h"
#include "cuda/shap/paths/pack_paths.h"
#include "predictor/lanes/bin_packing.h"
#include "predictor/lanes/packed_paths.h"

namespace kauri::cuda {
namespace {

constexpr int kSizes = 256;
constexpr int kSizeBits = 6;

/// Returns the number of elements of a bin, or 0 for the place after the last bin.
struct LoadOfBin {
  BinLoad const* loads;
  std::int64_t n_loads;
  std::int64_t n_bins;
  __device__ std::int64_t operator()(std::int64_t bin) const {
    return bin < n_bins ? LastUpTo(loads, n_loads, &BinLoad::first_bin, bin).used : 0;
  }
};

struct RunsView {
  PackingRun const* runs;
  std::int64_t n_runs;
};

/// order: [n_paths], the largest first.
__global__ void __launch_bounds__(kBlockThreads)
    PlaceKernel(RunsView plan, std::uint32_t const* order, std::int64_t n_paths, std::int64_t const* bin_begin,
                std::int64_t* element_of_path) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (i >= n_paths) return;
  ItemPlace const place = PlaceOfItem(plan.runs, plan.n_runs, i);
  element_of_path[order[i]] = bin_begin[place.bin] + place.offset;
}

/// Returns the paths by descending size; paths of one size keep their order.
Buffer<std::uint32_t> SortBySize(CudaContext const& cuda, ThrustMemory* memory, std::uint8_t const* sizes,
                                 std::int64_t n) {
  Buffer<std::uint32_t> order(cuda, ToSize(n));
  Buffer<std::uint32_t> const paths(cuda, ToSize(n));
  Buffer<std::uint8_t> const sorted_sizes(cuda, ToSize(n));
  thrust::sequence(memory->OnStream(), paths.data(), paths.data() + n);
  CubScratch scratch;
  scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(temp, bytes, sizes, sorted_sizes.data(),
                                                     static_cast<std::uint32_t const*>(paths.data()), order.data(),
                                                     static_cast<int>(n), 0, kSizeBits, cuda.stream);
  });
  return order;
}

}  // namespace

std::vector<std::int64_t> CountSizes(CudaContext const& cuda, std::uint8_t const* sizes, std::int64_t n) {
  if (n == 0) return std::vector<std::int64_t>(kSizes, 0);
  Buffer<std::uint32_t> const counts(cuda, kSizes);
  CubScratch scratch;
  scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(temp, bytes, sizes, counts.data(), kSizes + 1, 0, kSizes,
                                               static_cast<int>(n), cuda.stream);
  });
  auto const found = ToHost(cuda, counts.data(), counts.size());
  return {found.begin(), found.end()};
}

PathPlaces PlacePaths(CudaContext const& cuda, std::uint8_t const* sizes, std::vector<std::int64_t> const& counts) {
  auto const plan = PlanBestFit({counts.data(), kWarpLanes + 1}, kWarpLanes);
  std::int64_t n_paths = 0;
  PathPlaces places;
  places.n_bins = plan.n_bins;
  for (std::int64_t size = 1; size <= kWarpLanes; ++size) {
    n_paths += counts[size];
    places.n_elements += size * counts[size];
  }
  auto const runs = ToDevice(cuda, plan.runs);
  auto const loads = ToDevice(cuda, plan.loads);
  places.element_of_path = Buffer<std::int64_t>(cuda, ToSize(n_paths));
  places.bin_begin = Buffer<std::int64_t>(cuda, ToSize(plan.n_bins) + 1);
  ThrustMemory memory(cuda);
  LoadOfBin const load{loads.data(), static_cast<std::int64_t>(plan.loads.size()), plan.n_bins};
  auto const first = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), load);
  thrust::exclusive_scan(memory.OnStream(), first, first + plan.n_bins + 1, places.bin_begin.data(), std::int64_t{0});
  auto const order = SortBySize(cuda, &memory, sizes, n_paths);
  Launch(cuda, GridFor(n_paths, kBlockThreads), kBlockThreads, PlaceKernel,
         RunsView{runs.data(), static_cast<std::int64_t>(plan.runs.size())}, order.data(), n_paths,
         places.bin_begin.data(), places.element_of_path.data());
  cuda.Synchronize();  // for the plan
  return places;
}

}  // namespace kauri::cuda
