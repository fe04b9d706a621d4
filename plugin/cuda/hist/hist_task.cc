#include "cuda/hist/hist_task.h"

#include <utility>

#include "common/text/log.h"
#include "cuda/hist/few_rows_grower.h"
#include "cuda/hist/gpu_hist_grower.h"
#include "cuda/hist/gpu_symmetric_grower.h"
#include "cuda/hist/levels_grower.h"

namespace kauri::cuda {

namespace {

/// Logs the obstacle, once per data set.
void SayObstacle(char const* obstacle, HistOnDevice* data) {
  if (std::exchange(data->has_said_obstacle, true)) return;
  Log(LogLevel::kInfo, "trees on a device: the host takes part in every level, as ", obstacle);
}

}  // namespace

Tree GrowHistTree(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data) {
  auto const is_symmetric = rules.param.grow_policy == TreeParam::kSymmetric;
  if (data->few_rows.Has() && !is_symmetric) {
    if (FewRowsGrower few_rows(ctx, rules, task, data); few_rows.IsForTree()) return few_rows.Grow();
  }
  if (LevelsGrower levels(ctx, rules, task, data); levels.Obstacle() == nullptr) {
    return levels.Grow();
  } else {
    SayObstacle(levels.Obstacle(), data);
  }
  if (is_symmetric) return GpuSymmetricGrower(ctx, rules, task, data).Grow();
  return GpuHistGrower(ctx, rules, task, data).Grow();
}

}  // namespace kauri::cuda
