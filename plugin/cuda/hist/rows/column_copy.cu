#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/rows/column_copy.h"

namespace kauri::cuda {
namespace {

__global__ void __launch_bounds__(kBlockThreads)
    CopyColumnsKernel(std::uint8_t const* rows, CodeGroup group, std::int64_t n_rows, std::uint8_t* columns) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row >= n_rows) return;
  std::uint8_t const* const from = rows + group.offset + row * group.width;
  for (std::uint32_t column = 0; column < group.n_columns; ++column) columns[column * n_rows + row] = from[column];
}

/// Returns 0 if the bins are not copied.
std::size_t SizeOfCopy(DeviceBins const& bins, std::uint64_t least_bytes) {
  return HasNarrowRows(bins, least_bytes) ? static_cast<std::size_t>(bins.n_rows) * bins.groups[0].n_columns : 0;
}

}  // namespace

void ColumnCopy::Make(CudaContext const& cuda, DeviceBins const& bins, std::uint64_t least_bytes) {
  constexpr std::size_t kShare = 16;  // of the free memory
  auto const size = SizeOfCopy(bins, least_bytes);
  if (size != codes_.size()) codes_ = Buffer<std::uint8_t>();
  if (size == 0 || (codes_.size() == 0 && size > FreeBytes(cuda) / kShare)) return;
  if (codes_.size() == 0) codes_ = Buffer<std::uint8_t>(cuda, size);
  Launch(cuda, GridFor(bins.n_rows, kBlockThreads), kBlockThreads, CopyColumnsKernel, bins.bytes.data(), bins.groups[0],
         bins.n_rows, codes_.data());
}

CodeView ColumnCopy::View(DeviceBins const& bins) const {
  auto view = ViewOf(bins);
  if (IsThere()) view.bytes = codes_.data();
  return view;
}

FeaturePlace ColumnCopy::PlaceOf(DeviceBins const& bins, std::uint32_t feature) const {
  auto place = cuda::PlaceOf(bins, feature);
  if (IsThere()) {
    place.first = bins.features[feature].column * static_cast<std::uint64_t>(bins.n_rows);
    place.stride = 1;
  }
  return place;
}

}  // namespace kauri::cuda
