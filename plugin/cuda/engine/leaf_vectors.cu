/// Bytes per row: 4 for its leaf, and per output 4 in, 4 out.
#include "cuda/common/launch.h"
#include "cuda/common/place_walk.cuh"
#include "cuda/engine/leaf_vectors.h"

namespace kauri::cuda {
namespace {

constexpr std::int64_t kMaxBlocks = 2048;

__global__ void __launch_bounds__(kBlockThreads)
    AddLeafVectorsKernel(float const* leaf_vectors, Span<std::int32_t const> leaf_of_row, std::uint32_t n_outputs,
                         float* margins) {
  PlaceWalk const walk(n_outputs);
  auto const n_rows = static_cast<std::int64_t>(leaf_of_row.size());
  for (std::int64_t row = walk.row; row < n_rows; row += walk.row_step) {
    std::int64_t const leaf = leaf_of_row.data()[row];
    margins[row * n_outputs + walk.place] += leaf_vectors[leaf * n_outputs + walk.place];
  }
}

}  // namespace

void AddLeafVectors(CudaContext const& cuda, Span<float const> leaf_vectors, Span<std::int32_t const> leaf_of_row,
                    std::int64_t n_outputs, Span<float> margins) {
  auto const grid = BlocksOfWalk(static_cast<std::int64_t>(leaf_of_row.size()), n_outputs, kBlockThreads, kMaxBlocks);
  Launch(cuda, grid, kBlockThreads, AddLeafVectorsKernel, leaf_vectors.data(), leaf_of_row,
         static_cast<std::uint32_t>(n_outputs), margins.data());
}

}  // namespace kauri::cuda
