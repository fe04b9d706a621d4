#include <limits>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/hist/bins/row_codes.h"
#include "cuda/hist/bins/values_of_codes.h"
#include "data/bins/bin_store.h"

namespace kauri::cuda {
namespace {

struct ValuesTask {
  CodeView codes;
  FeaturePlace const* places;       ///< [n_cols]
  std::uint32_t const* first_cell;  ///< [n_cols]
  float const* values;              ///< [n_cells]
  std::int64_t n_rows;
  std::int64_t n_cols;
  float* to;
};

/// One thread per value, in the order in which they are written.
__global__ void __launch_bounds__(kBlockThreads) ValuesKernel(ValuesTask task) {
  auto const element = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (element >= task.n_rows * task.n_cols) return;
  auto const row = element / task.n_cols;
  auto const col = element - row * task.n_cols;
  task.to[element] = task.values[task.first_cell[col] + CodeOf(task.codes, task.places[col], row)];
}

/// Returns the value of each cell, [n_cells]; NaN in cells of missing values.
std::vector<float> ValuesOfCells(DeviceBins const& bins) {
  std::vector<float> values(bins.n_cells, std::numeric_limits<float>::quiet_NaN());
  for (std::uint32_t feature = 0; feature < bins.features.size(); ++feature) {
    for (std::uint32_t bin = 0; bin < bins.features[feature].n_bins; ++bin) {
      values[bins.features[feature].first_cell + bin] = ValueOfBin(*bins.cuts, feature, bin);
    }
  }
  return values;
}

}  // namespace

void WriteValues(CudaContext const& cuda, DeviceBins const& bins, float* to) {
  std::vector<FeaturePlace> places;
  std::vector<std::uint32_t> first_cells;
  for (std::uint32_t feature = 0; feature < bins.features.size(); ++feature) {
    places.push_back(PlaceOf(bins, feature));
    first_cells.push_back(bins.features[feature].first_cell);
  }
  auto const values = ValuesOfCells(bins);
  auto const on_device = ToDevice(cuda, values);
  auto const of_feature = ToDevice(cuda, places);
  auto const cells = ToDevice(cuda, first_cells);
  ValuesTask const task{
      ViewOf(bins), of_feature.data(), cells.data(), on_device.data(), bins.n_rows, bins.NumCols(), to};
  Launch(cuda, GridFor(bins.n_rows * bins.NumCols(), kBlockThreads), kBlockThreads, ValuesKernel, task);
  cuda.Synchronize();  // for the copies, whose sources are destroyed
}

}  // namespace kauri::cuda
