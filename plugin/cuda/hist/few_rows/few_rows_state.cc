#include "cuda/hist/few_rows/few_rows_state.h"

#include <algorithm>

namespace kauri::cuda {

void FewRowsState::TakeBins(CudaContext const& cuda, DeviceBins const& bins) {
  n_blocks = 0;
  if (bins.n_rows > kMostFewRows || bins.form != CodeForm::kBytes) return;
  most_codes = 1;
  for (std::uint32_t feature = 0; feature < bins.features.size(); ++feature) {
    if (bins.cuts->IsCategorical(feature)) return;
    most_codes = std::max(most_codes, bins.features[feature].n_codes);
  }
  n_blocks = BlocksForFewRows(cuda);
}

}  // namespace kauri::cuda
