/// 1. Rows come in tiles whose keys and sums fit into a quarter of the free device memory; mostly there is one.
/// 2. Some trees at a time are compiled on the host's threads while the device works on those before.
#include "cuda/shap/interventional.h"

#include <algorithm>
#include <cmath>

#include "cuda/common/memory_plan.h"
#include "cuda/forest/device_storage_rows.h"
#include "cuda/shap/interventional_lanes.h"
#include "cuda/shap/shap_session.h"
#include "cuda/shap/shap_sums.h"
#include "predictor/interventional/background_batch.h"

namespace kauri::cuda {
namespace {

/// Sums of int64 reach 2^63; two bits are left free, as terms can be larger than what they add up to.
constexpr int kSumBits = 61;

/// A tree's contribution is a mean of differences of two leaves.
double ScaleOf(Forest const& forest, TreeRange trees) {
  double bound = 0.0;
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    auto const* const begin = forest.leaf_value.data() + forest.tree_begin[tree];
    auto const* const end = forest.leaf_value.data() + forest.tree_begin[tree + 1];
    float largest = 0.0F;
    std::for_each(begin, end, [&](float value) { largest = std::max(largest, std::abs(value)); });
    bound += 2.0 * static_cast<double>(largest);
  }
  int exponent = 0;
  std::frexp(bound, &exponent);  // bound < 2^exponent
  return std::ldexp(1.0, kSumBits - exponent);
}

/// One call, whose rows pass over the trees tile by tile.
class InterventionalRun {
 public:
  InterventionalRun(Context const& ctx, DeviceForest const& forest, InterventionalTask const& task)
      : ctx_(ctx),
        on_device_(forest),
        forest_(forest.OnHost()),
        task_(task),
        background_(ctx, forest_, task.background, 0, task.background.NumRows(), kPatternRows),
        session_(forest.DeviceOrdinal()),
        results_(forest.DeviceOrdinal()),
        scale_(ScaleOf(forest_, task.trees)),
        n_cells_(forest_.n_outputs * forest_.NumSlots()),
        width_(forest_.n_outputs * (forest_.n_features + 1)) {}

  void Run() {
    auto const budget =
        task_.tile_bytes > 0 ? task_.tile_bytes : static_cast<std::int64_t>(FreeBytes(session_.Cuda()) / 4);
    auto const row_bytes = 8 * forest_.NumSlots() + 16 * n_cells_ + 4 * (width_ + forest_.n_outputs);
    auto const tile_rows = std::max<std::int64_t>(1, budget / row_bytes);
    for (std::int64_t begin = 0; begin < task_.rows.NumRows(); begin += tile_rows) {
      RunTile(begin, std::min(task_.rows.NumRows(), begin + tile_rows));
    }
  }

 private:
  DeviceRows ReadRows(std::int64_t begin, std::int64_t end) {
    if (auto const* on_device = task_.rows.OnDevice()) {
      return RowsFrom(RowsOn(session_.Cuda(), *on_device), begin, end);
    }
    return session_.Upload(ctx_, forest_, task_.rows, begin, end);
  }

  void RunTile(std::int64_t begin, std::int64_t end) {
    auto const& cuda = session_.Cuda();
    auto const n_rows = end - begin;
    auto const* const start = session_.UploadStart(task_.start, forest_.n_outputs, begin, end);
    auto const rows = ReadRows(begin, end);
    Buffer<std::int32_t> const key_memory(cuda, ToSize(n_rows * forest_.NumSlots()));
    RowKeys const keys{key_memory.data(), n_rows, 1, n_rows};
    ReadRowKeys(cuda, on_device_.View(), rows, keys);
    Buffer<unsigned long long> const sum_memory(cuda, ToSize(n_cells_ * n_rows));  // what atomicAdd takes
    FillZero(cuda, sum_memory.data(), sum_memory.size());
    InterventionalSums const sums{sum_memory.data(), n_rows, forest_.NumSlots(), scale_};
    auto const means = AddTrees(keys, sums);
    Write(sums, means, start, n_rows);
    auto const size = ToSize(n_rows * width_);
    results_.Begin(ctx_, cuda, session_.Output(size), size, task_.out.data() + begin * width_);
    results_.FinishAll(ctx_);
  }

  /// Returns the trees' means over the background.
  std::vector<double> AddTrees(RowKeys const& keys, InterventionalSums const& sums) {
    BackgroundBatches batches(forest_, background_, task_.trees);
    while (batches.Next(ctx_)) {
      DeviceLaneBatch const lanes(session_.Cuda(), forest_, batches);
      lanes.Add(session_.Cuda(), keys, sums);
    }
    return batches.Means();
  }

  void Write(InterventionalSums const& sums, std::vector<double> const& means, float const* start,
             std::int64_t n_rows) {
    auto const& cuda = session_.Cuda();
    Buffer<double> const values(cuda, ToSize(n_cells_ * n_rows));
    SumsToValues(cuda, sums, n_cells_ * n_rows, values.data());
    auto const expected = ToDevice(cuda, means);
    auto const view = on_device_.View();
    WriteApproxValues(cuda, values.data(), forest_.NumSlots(), false,
                      {session_.Output(ToSize(n_rows * width_)), n_rows, forest_.n_features, forest_.n_outputs, start,
                       !task_.start.of_row.empty(), expected.data(), view.slot_of_feature, view.n_mapped_features});
    cuda.Synchronize();  // for `means`
  }

  Context const& ctx_;
  DeviceForest const& on_device_;
  Forest const& forest_;
  InterventionalTask const& task_;
  KeyTiles background_;
  ShapSession session_;
  HostResults results_;  ///< after the session: it waits for copies from its memory
  double scale_;
  std::int64_t n_cells_;
  std::int64_t width_;  ///< floats of a row
};

}  // namespace

void ExplainInterventional(Context const& ctx, DeviceForest const& forest, InterventionalTask const& task) {
  CheckBackground(task.background);
  if (task.rows.NumRows() == 0) return;
  DeviceScope const scope(forest.DeviceOrdinal());
  InterventionalRun(ctx, forest, task).Run();
}

}  // namespace kauri::cuda
