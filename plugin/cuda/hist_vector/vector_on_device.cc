#include "cuda/hist_vector/vector_on_device.h"

#include "cuda/common/memory_plan.h"

namespace kauri::cuda {
namespace {

static_assert(sizeof(FixedSum) == 2 * sizeof(std::int64_t), "two words make a pair");

std::size_t PairsOf(std::size_t n_words) { return (n_words + 1) / 2; }

}  // namespace

VectorHistograms::VectorHistograms(CudaContext const& cuda, std::size_t n_words)
    : pairs_(PairsOf(n_words)), most_lent_(FreeBytes(cuda) / 4 / (PairsOf(n_words) * sizeof(FixedSum))) {}

std::int64_t* VectorHistograms::Borrow(CudaContext const& cuda) {
  ++n_lent_;
  return reinterpret_cast<std::int64_t*>(pairs_.Borrow(cuda));
}

void VectorHistograms::GiveBack(std::int64_t* histogram) {
  --n_lent_;
  pairs_.GiveBack(reinterpret_cast<FixedSum*>(histogram));
}

void VectorHistograms::Reset(CudaContext const& cuda) {
  n_lent_ = 0;
  pairs_.Reset(cuda);
}

VectorOnDevice::VectorOnDevice(CudaContext const& cuda, DeviceBins const& from, std::int64_t n_sums_of_row)
    : bins(from),
      n_sums(n_sums_of_row),
      min_values(ToDevice(cuda, from.cuts->min_values)),
      histograms(cuda, from.n_cells * ToSize(n_sums_of_row)) {
  rows.TakeBins(cuda, from, from.n_rows);
  for (std::int64_t feature = 0; feature < bins.NumCols(); ++feature) {
    if (bins.cuts->IsCategorical(feature)) categorical.push_back(static_cast<std::uint32_t>(feature));
  }
  if (categorical.empty()) return;
  std::vector<std::uint8_t> marks(bins.features.size(), 0);
  for (auto const feature : categorical) marks[feature] = 1;
  is_categorical = ToDevice(cuda, marks);
}

}  // namespace kauri::cuda
