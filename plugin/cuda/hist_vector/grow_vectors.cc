#include "cuda/hist_vector/grow_vectors.h"

#include <vector>

#include "cuda/hist_vector/device_table.h"
#include "cuda/hist_vector/gpu_vector_grower.h"

namespace kauri::cuda {

Tree GrowVectors(Context const& ctx, GrowthRules const& rules, VectorTask const& task, DeviceBins const& bins,
                 std::unique_ptr<VectorOnDevice>* data) {
  auto const is_symmetric = rules.param.grow_policy == TreeParam::kSymmetric;
  auto const& table = task.tree.table;
  auto planned = task;
  planned.table = TableOf(table);
  std::unique_ptr<CountedRows const> counted;
  if (rules.param.min_data_in_leaf > 1) {
    counted = std::make_unique<CountedRows const>(task.cuda, planned.table, bins.n_rows, task.tree.sampled_rows);
    planned.table = counted->Table();
  }
  auto const devices = is_symmetric ? std::vector<int>() : ctx.device.ordinals;
  if (*data != nullptr && (*data)->devices != devices) data->reset();  // first: its successor takes as much memory
  auto const n_sums = std::int64_t{planned.table.n_sums};
  if (*data == nullptr || (*data)->n_sums != n_sums) {
    RequireRoomToScan(task.cuda, table.NumOutputs(), n_sums);
    if (*data == nullptr) {
      *data = std::make_unique<VectorOnDevice>(task.cuda, bins, ShardDevices{devices, task.fewest_rows});
    }
    (*data)->Resize(task.cuda, n_sums);
  }
  return GpuVectorGrower(ctx, rules, planned, data->get()).Grow();
}

}  // namespace kauri::cuda
