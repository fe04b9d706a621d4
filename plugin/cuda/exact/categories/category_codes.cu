#include <algorithm>
#include <numeric>
#include <utility>

#include "cuda/common/launch.h"
#include "cuda/exact/categories/category_codes.h"
#include "cuda/exact/entries/exact_types.h"
#include "kauri/tree.h"

namespace kauri::cuda {
namespace {

/// Facts about the values of a column in ascending order.
struct ColumnFacts {
  float largest;
  std::uint32_t has_others;  ///< whether there are values that are no category
};

/// facts: zero before the launch.
__global__ void __launch_bounds__(kBlockThreads)
    FactsKernel(float const* values, std::int64_t n_entries, ColumnFacts* facts) {
  std::int64_t const entry = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (entry >= n_entries) return;
  float const value = values[entry];
  bool const is_category = value >= 0.0F && value < static_cast<float>(kCategoryLimit) && value == floorf(value);
  if (!is_category) atomicOr(&facts->has_others, 1U);
  if (entry == n_entries - 1) facts->largest = value;
}

/// Returns the categories of a column. All of its values must be categories.
std::vector<std::int32_t> ListOf(CudaContext const& cuda, float const* values, std::int64_t n_entries, float largest) {
  if (n_entries == 0) return {};
  if (largest < static_cast<float>(kMaxFilledCategory)) {
    std::vector<std::int32_t> list(static_cast<std::size_t>(largest) + 1);
    std::iota(list.begin(), list.end(), 0);
    return list;
  }
  auto sorted = ToHost(cuda, values, static_cast<std::size_t>(n_entries));
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return {sorted.begin(), sorted.end()};
}

/// Writes the codes of one column. rows and values: [n_entries]; categories: ascending, contains every value; codes:
/// [n_rows].
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

CategoryLists ListCategories(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                             DeviceColumns const& columns) {
  if (!HasCategorical(data.Info())) return {};
  auto const n_cols = static_cast<std::size_t>(columns.NumCols());
  Buffer<ColumnFacts> const facts(cuda, n_cols);
  FillZero(cuda, facts.data(), n_cols);
  for (std::size_t feature = 0; feature < n_cols; ++feature) {
    if (!IsCategorical(data.Info(), feature)) continue;
    auto const begin = columns.column_ptr[feature];
    auto const n_entries = columns.column_ptr[feature + 1] - begin;
    Launch(cuda, GridFor(n_entries, kBlockThreads), kBlockThreads, FactsKernel, columns.values.data() + begin,
           n_entries, facts.data() + feature);
  }
  auto const of_column = ToHost(cuda, facts.data(), n_cols);
  CategoryLists lists(n_cols);
  for (std::size_t feature = 0; feature < n_cols; ++feature) {
    if (!IsCategorical(data.Info(), feature)) continue;
    if (of_column[feature].has_others != 0) return FillGaps(FindCategories(ctx, data));  // throws, naming the row
    auto const begin = columns.column_ptr[feature];
    lists[feature] = ListOf(cuda, columns.values.data() + begin, columns.column_ptr[feature + 1] - begin,
                            of_column[feature].largest);
  }
  return lists;
}

std::size_t BytesOfCodes(CategoryLists const& lists, std::int64_t n_rows) {
  return NumCategorical(lists) * static_cast<std::size_t>(n_rows) * sizeof(std::uint32_t);
}

DeviceCategories MakeDeviceCategories(CudaContext const& cuda, DeviceColumns const& columns, CategoryLists lists) {
  DeviceCategories categories;
  categories.n_rows = columns.n_rows;
  categories.lists = std::move(lists);
  auto const bytes = BytesOfCodes(categories.lists, columns.n_rows);
  if (bytes == 0) return categories;
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
