/// \file A loop over a table row by row. The threads take some rows at a time, and each thread keeps its column.
#pragma once

#include <cstdint>

namespace kauri::cuda {

/// The threads of a grid, assigned to consecutive numbers. Threads that do not make up another whole row stay idle.
struct PlaceWalk {
  std::int64_t row;       ///< the thread's first row; larger than any number of rows if the thread is idle
  std::int64_t row_step;  ///< distance to its next row
  std::uint32_t place;    ///< its column

  /// Assigns the threads for a table of `width` columns, at most the number of threads of the grid.
  __device__ explicit PlaceWalk(std::uint32_t width) {
    std::int64_t const n_threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    std::int64_t const thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    row_step = n_threads / width;
    row = thread / width;
    place = static_cast<std::uint32_t>(thread - row * width);
    if (row >= row_step) row = INT64_MAX;
  }
};

/// Returns the blocks of `block` threads for a loop over n_rows rows: at most `most`, unless one row takes more.
inline unsigned BlocksOfWalk(std::int64_t n_rows, std::int64_t width, int block, std::int64_t most) {
  auto const of_row = (width + block - 1) / block;
  auto const of_all = (n_rows * width + block - 1) / block;
  auto const wanted = of_all < most ? of_all : most;
  return static_cast<unsigned>(wanted < of_row ? of_row : wanted);
}

}  // namespace kauri::cuda
