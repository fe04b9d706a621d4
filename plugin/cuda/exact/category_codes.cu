#include <algorithm>
#include <string>
#include <utility>

#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/exact/category_codes.h"
#include "cuda/exact/exact_types.h"

namespace kauri::cuda {
namespace {

/// One column. rows and values: [n_entries]; categories: ascending, every value is among them; codes: [n_rows].
__global__ void __launch_bounds__(kBlockThreads)
    CodesKernel(std::uint32_t const* rows, float const* values, std::int64_t n_entries,
                Span<std::int32_t const> categories, std::uint32_t* codes) {
  std::int64_t const entry = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (entry >= n_entries) return;
  auto const category = static_cast<std::int32_t>(values[entry]);
  std::uint32_t low = 0;
  for (auto high = static_cast<std::uint32_t>(categories.size()); high - low > 1;) {
    std::uint32_t const middle = low + (high - low) / 2;
    if (categories.data()[middle] <= category) {
      low = middle;
    } else {
      high = middle;
    }
  }
  codes[rows[entry]] = low + 1;
}

std::size_t NumCategorical(CategoryLists const& lists) {
  auto const is_filled = [](std::vector<std::int32_t> const& list) { return !list.empty(); };
  return static_cast<std::size_t>(std::count_if(lists.begin(), lists.end(), is_filled));
}

}  // namespace

std::size_t BytesOfCodes(CategoryLists const& lists, std::int64_t n_rows) {
  return NumCategorical(lists) * static_cast<std::size_t>(n_rows) * sizeof(std::uint32_t);
}

DeviceCategories MakeDeviceCategories(CudaContext const& cuda, DeviceColumns const& columns, CategoryLists lists) {
  DeviceCategories categories;
  categories.n_rows = columns.n_rows;
  categories.lists = std::move(lists);
  auto const bytes = BytesOfCodes(categories.lists, columns.n_rows);
  if (bytes == 0) return categories;
  RequireMemory(cuda, "the categories of " + std::to_string(columns.n_rows) + " rows", {{"codes", bytes}},
                FreeBytes(cuda));
  categories.codes = Buffer<std::uint32_t>(cuda, bytes / sizeof(std::uint32_t));
  FillZero(cuda, categories.codes.data(), categories.codes.size());
  std::int32_t n_columns = 0;
  for (std::size_t feature = 0; feature < categories.lists.size(); ++feature) {
    auto const& list = categories.lists[feature];
    categories.column_of.push_back(list.empty() ? -1 : n_columns++);
    if (list.empty()) continue;
    auto const on_device = ToDevice(cuda, list);
    auto const begin = columns.column_ptr[feature];
    auto const n_entries = columns.column_ptr[feature + 1] - begin;
    Span<std::int32_t const> const span(on_device.data(), on_device.size());
    Launch(cuda, GridFor(n_entries, kBlockThreads), kBlockThreads, CodesKernel, columns.rows.data() + begin,
           columns.values.data() + begin, n_entries, span,
           categories.codes.data() + categories.column_of.back() * columns.n_rows);
  }
  cuda.Synchronize();  // for the codes, which other streams may read now
  return categories;
}

}  // namespace kauri::cuda
