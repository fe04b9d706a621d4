#include "cuda/hist/histogram/tree_histograms.h"

#include "cuda/common/memory_plan.h"
#include "cuda/hist/histogram/row_ones.h"

namespace kauri::cuda {

void TreeHistograms::TakeBins(CudaContext const& cuda, DeviceBins const& bins) {
  counts_rows = false;
  ones = Buffer<FixedPair>();
  pool.Resize(cuda, bins.n_sums);
}

void TreeHistograms::BeginTree(CudaContext const& cuda, DeviceBins const& bins, bool count) {
  if (count == counts_rows) return pool.Reset(cuda);
  auto const n_rows = static_cast<std::size_t>(bins.n_rows);
  if (count) RequireMemory(cuda, "counts of rows", {{"ones", n_rows * sizeof(FixedPair)}});
  ones = count ? MakeOnes(cuda, n_rows) : Buffer<FixedPair>();
  counts_rows = count;
  pool.Resize(cuda, SumsOfNode(bins));
}

}  // namespace kauri::cuda
