/// \file One warp per column, whose lanes traverse it together by the rule of data/sketch/rank_cuts.h. In columns of
/// many values each step waits for two reads of the keys, about 1 us. So 256 bins take 0.3 ms and 65,535 take 70 ms,
/// whatever the number of columns and rows.
#pragma once

#include "cuda/common/launch.h"
#include "cuda/hist/bins/pick_cuts.h"
#include "data/sketch/rank_cuts.h"

namespace kauri::cuda {

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
