#include <algorithm>

#include "cuda/hist/histogram/add_rows.h"

namespace kauri::cuda {
namespace {

/// So many rows pay for a block's clearing and flushing of its sums.
constexpr std::int64_t kLeastRowsPerBlock = 512;

}  // namespace

unsigned BlocksForRows(CudaContext const& cuda, std::int64_t n_rows) {
  int n_multiprocessors = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device));
  auto const wanted = (n_rows + kLeastRowsPerBlock - 1) / kLeastRowsPerBlock;
  return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, n_multiprocessors));
}

}  // namespace kauri::cuda
