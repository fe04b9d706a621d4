#include "cuda/hist/hist_task.h"

#include "cuda/hist/few_rows_grower.h"
#include "cuda/hist/gpu_hist_grower.h"
#include "cuda/hist/gpu_symmetric_grower.h"
#include "cuda/hist/levels_grower.h"

namespace kauri::cuda {

Tree GrowHistTree(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data) {
  if (rules.param.grow_policy == TreeParam::kSymmetric) return GpuSymmetricGrower(ctx, rules, task, data).Grow();
  if (data->few_rows.Has()) {
    if (FewRowsGrower few_rows(ctx, rules, task, data); few_rows.IsForTree()) return few_rows.Grow();
  }
  if (LevelsGrower levels(ctx, rules, task, data); levels.IsForTree()) return levels.Grow();
  return GpuHistGrower(ctx, rules, task, data).Grow();
}

}  // namespace kauri::cuda
