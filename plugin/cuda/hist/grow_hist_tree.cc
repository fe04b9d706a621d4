#include "cuda/hist/grow_hist_tree.h"

#include <algorithm>
#include <utility>

#include "common/text/log.h"
#include "cuda/hist/gpu_hist_grower.h"
#include "cuda/hist/levels_finder.h"
#include "cuda/hist/precomputed_growers.h"

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
    if (FewRowsGrower few_rows(ctx, rules, task, data); few_rows.IsForTree()) {
      few_rows.Search();
      return few_rows.Grow();
    }
  }
  if (LevelsGrower levels(ctx, rules, task, data); levels.Obstacle() == nullptr) {
    LevelsFinder finder(task.cuda, {&task.tree, 1}, task.leaf_of_row, data);
    finder.Find(levels.Rules());
    return levels.GrowFrom(&finder, 0);
  } else {
    SayObstacle(levels.Obstacle(), data);
  }
  return GpuHistGrower(ctx, rules, task, data).Grow();
}

bool MayGrowTogether(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data) {
  return data->rows.shards.empty() && LevelsGrower(ctx, rules, task, data).MayGrowTogether();
}

std::vector<Tree> GrowTogether(Context const& ctx, std::vector<GrowthRules> const& rules, CudaContext const& cuda,
                               Span<DeviceTreeTask const> tasks, Span<std::int32_t> leaf_of_row, HistOnDevice* data) {
  auto const n_rows = leaf_of_row.size() / tasks.size();
  auto const at_once = LevelsFinder::MostTogether(cuda, rules[0].param.max_depth, data);
  auto const grower_of = [&](std::size_t tree) {
    return LevelsGrower(ctx, rules[tree], {cuda, tasks[tree], leaf_of_row.subspan(tree * n_rows, n_rows)}, data);
  };
  std::vector<Tree> trees;
  for (std::size_t first = 0; first < tasks.size(); first += at_once) {
    if (first > 0) cuda.Synchronize();  // for the buffers that the trees before read, which are overwritten
    auto const count = std::min(at_once, tasks.size() - first);
    LevelsFinder finder(cuda, tasks.subspan(first, count), leaf_of_row.subspan(first * n_rows, count * n_rows), data);
    finder.Find(grower_of(first).Rules());
    for (std::size_t tree = 0; tree < count; ++tree) {
      trees.push_back(grower_of(first + tree).GrowFrom(&finder, tree));
    }
  }
  return trees;
}

}  // namespace kauri::cuda
