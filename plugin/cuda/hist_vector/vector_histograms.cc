#include "cuda/hist_vector/vector_histograms.h"

#include <algorithm>

#include "cuda/common/memory_plan.h"

namespace kauri::cuda {

void VectorHistograms::Resize(CudaContext const& cuda, std::size_t n_words) {
  n_pairs_ = PairsOf(n_words);
  pairs_ = DeviceHistograms(n_pairs_);
  n_lent_ = 0;
  most_lent_ = FreeBytes(cuda) / 4 / (std::max<std::size_t>(1, n_pairs_) * sizeof(FixedSum));
}

std::int64_t* VectorHistograms::Borrow(CudaContext const& cuda) {
  ++n_lent_;
  return AsWords(pairs_.Borrow(cuda));
}

void VectorHistograms::GiveBack(std::int64_t* histogram) {
  --n_lent_;
  pairs_.GiveBack(AsPairs(histogram));
}

void VectorHistograms::Reset(CudaContext const& cuda) {
  n_lent_ = 0;
  pairs_.Reset(cuda);
}

}  // namespace kauri::cuda
