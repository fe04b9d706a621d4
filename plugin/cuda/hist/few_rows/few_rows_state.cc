#include "cuda/hist/few_rows/few_rows_state.h"

#include <algorithm>

namespace kauri::cuda {
namespace {

/// Returns the maximum number of codes of a feature, or 0 if the rows or columns do not support this method.
std::uint32_t MostCodesOfFewRows(DeviceBins const& bins) {
  if (bins.n_rows > kMostFewRows || bins.form != CodeForm::kBytes) return 0;
  std::uint32_t most = 1;
  for (std::uint32_t feature = 0; feature < bins.features.size(); ++feature) {
    if (bins.cuts->IsCategorical(feature)) return 0;
    most = std::max(most, bins.features[feature].n_codes);
  }
  return most;
}

}  // namespace

void FewRowsState::TakeBins(CudaContext const& cuda, DeviceBins const& bins) {
  most_codes = MostCodesOfFewRows(bins);
  if (most_codes > 0 && room.n_blocks == 0) room = RoomForFewRows(cuda);
}

}  // namespace kauri::cuda
