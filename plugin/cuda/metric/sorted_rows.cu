/// Bytes per row: a prediction, label and weight in, 16 out; a pass of the sort (8 bits of 32 and of the number of
/// groups) reads and writes 16.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <utility>

#include "common/math.h"
#include "cuda/common/launch.h"
#include "cuda/data/query_groups.cuh"
#include "cuda/metric/sorted_rows.h"

namespace kauri::cuda {
namespace {

constexpr int kKeyBits = 32;

__device__ __forceinline__ std::int64_t SortedRowThread() {
  return static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
}

__global__ void __launch_bounds__(kBlockThreads)
    FillRowsKernel(SortOrder source, DeviceInfo info, std::uint64_t* keys, RowWeights* rows) {
  std::int64_t const row = SortedRowThread();
  if (row >= info.n_rows) return;
  auto const group = static_cast<std::uint64_t>(GroupOf(info, row));
  keys[row] = group << kKeyBits | DescendingFloatKey(source.sort_by[row * source.stride]);
  float label = info.labels.data()[row];
  if (source.carry == SortOrder::Carry::kLabel) {
    rows[row] = {label, 0.0F};
    return;
  }
  if (source.carry == SortOrder::Carry::kClass) label = label == source.class_label ? 1.0F : 0.0F;
  float const weight = source.weighted && !info.weights.empty() ? info.weights.data()[row] : 1.0F;
  rows[row] = {label * weight, (1.0F - label) * weight};
}

__global__ void __launch_bounds__(kBlockThreads)
    PointsKernel(Span<RowWeights const> rows, double units, CurvePoint* points) {
  std::int64_t const row = SortedRowThread();
  if (row >= static_cast<std::int64_t>(rows.size())) return;
  RowWeights const weights = rows.data()[row];
  points[row] = {WeightInUnits(weights.positive, units), WeightInUnits(weights.negative, units)};
}

struct AddPoints {
  __host__ __device__ CurvePoint operator()(CurvePoint a, CurvePoint b) const { return a += b; }
};

/// Returns the bits of a key that differ between rows.
int NumKeyBits(std::int64_t n_groups) {
  int bits = kKeyBits;
  while (n_groups > std::int64_t{1} << (bits - kKeyBits)) ++bits;
  return bits;
}

}  // namespace

SortedRows SortRows(CudaContext const& cuda, SortOrder const& source, DeviceInfo const& info) {
  auto const n = static_cast<std::size_t>(info.n_rows);
  SortedRows from{Buffer<std::uint64_t>(cuda, n), Buffer<RowWeights>(cuda, n)};
  SortedRows to{Buffer<std::uint64_t>(cuda, n), Buffer<RowWeights>(cuda, n)};
  Launch(cuda, GridFor(info.n_rows, kBlockThreads), kBlockThreads, FillRowsKernel, source, info, from.keys.data(),
         from.rows.data());
  cub::DoubleBuffer<std::uint64_t> keys(from.keys.data(), to.keys.data());
  cub::DoubleBuffer<RowWeights> rows(from.rows.data(), to.rows.data());
  CubScratch scratch;
  scratch.Run(cuda, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, keys, rows, info.n_rows, 0, NumKeyBits(NumGroups(info)),
                                           cuda.stream);
  });
  SortedRows sorted;
  sorted.keys = std::move(keys.Current() == from.keys.data() ? from.keys : to.keys);
  sorted.rows = std::move(rows.Current() == from.rows.data() ? from.rows : to.rows);
  return sorted;
}

Buffer<CurvePoint> AddUpRows(CudaContext const& cuda, Span<RowWeights const> rows, double units) {
  auto const n = static_cast<std::int64_t>(rows.size());
  Buffer<CurvePoint> points(cuda, rows.size());
  Launch(cuda, GridFor(n, kBlockThreads), kBlockThreads, PointsKernel, rows, units, points.data());
  CubScratch scratch;
  scratch.Run(cuda, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(storage, bytes, points.data(), points.data(), AddPoints{}, n, cuda.stream);
  });
  return points;
}

}  // namespace kauri::cuda
