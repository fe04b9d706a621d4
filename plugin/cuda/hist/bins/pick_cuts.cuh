/// \file The cuts of sorted columns by the rule of data/sketch/rank_cuts.h. PickKernel has one warp per column, whose
/// lanes traverse it together. In columns of many values each step waits for two reads of the keys, about 1 us. So 256
/// bins take 0.3 ms and 65,535 take 70 ms, whatever the number of columns and rows.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/launch.h"
#include "cuda/hist/bins/column_keys.h"
#include "cuda/hist/bins/column_sorter.h"
#include "data/sketch/rank_cuts.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri::cuda {

/// All arrays are in device memory.
struct PickCutsTask {
  ColumnSummary const* summaries;  ///< [n_cols]
  std::int64_t n_cols;
  std::int64_t n_rows;
  std::uint32_t max_bin;
  std::int64_t most_cuts;  ///< room per column: max_bin - 1, or n_rows if that is less
  float* cuts;             ///< out: [n_cols, most_cuts], all except the last of each column
  std::uint32_t* n_cuts;   ///< out: [n_cols]
};

/// Picks the cuts. sorted: [n_cols], device. Asynchronous.
void PickCuts(CudaContext const& cuda, SortedKeys const* sorted, PickCutsTask const& task);

/// Appends the picked columns, with their bounds. Waits for the cuts.
void AppendFeatures(CudaContext const& cuda, PickCutsTask const& task, std::vector<FeatureCuts>* features);

constexpr int kPickThreads = 32;

/// All lanes track the size; the first one writes.
class CutList {
 public:
  __device__ explicit CutList(float* cuts) : cuts_(cuts) {}
  __device__ std::size_t size() const { return size_; }
  __device__ void clear() { size_ = 0; }
  __device__ void push_back(float cut) {
    if (threadIdx.x == 0) cuts_[size_] = cut;
    ++size_;
  }

 private:
  float* cuts_;
  std::size_t size_ = 0;
};

/// columns.Of(col, summary) returns the boundaries of a column; all lanes call it.
template <typename Columns>
__global__ void __launch_bounds__(kPickThreads) PickKernel(Columns columns, PickCutsTask task) {
  auto const col = static_cast<std::int64_t>(blockIdx.x);
  auto const summary = task.summaries[col];
  auto const column = columns.Of(col, summary);
  CutList cuts(task.cuts + col * task.most_cuts);
  bool const has_missing = summary.n_values < static_cast<unsigned long long>(task.n_rows);
  MakeCuts(column, has_missing, task.max_bin, &cuts);
  if (threadIdx.x == 0) task.n_cuts[col] = static_cast<std::uint32_t>(cuts.size());
}

template <typename Columns>
void PickFrom(CudaContext const& cuda, Columns const& columns, PickCutsTask const& task) {
  Launch(cuda, static_cast<unsigned>(task.n_cols), kPickThreads, PickKernel<Columns>, columns, task);
}

}  // namespace kauri::cuda
