/// survival:cox (objective/survival_objectives.cc).
/// 1. Rows are sorted by time.
/// 2. Hazards and their sums are computed from the last row on.
/// 3. The terms of each event and their sums are computed from the first row on.
/// 4. The gradient pair of every row is computed.
/// Sums are in the host's order, so the bits are the host's.
///
/// Bytes per row: 8 and 4 passes of 16 for the sort; margin and row 8 in, hazard 8 out; its sum 8 in, event 16 out;
/// both sums 24 in and out; margin, label, weight and sums 28 in, pair 8 out. 48 bytes of memory while it runs.
#include "common/math.h"
#include "cuda/common/sums.h"
#include "cuda/data/rows_by_time.h"
#include "cuda/objective/device_objective.h"
#include "cuda/objective/gradient_kernels.cuh"

namespace kauri::cuda {
namespace {

/// The largest margin, as a key.
struct LargestMargin {
  std::uint32_t const* key;

  __device__ float operator()() const {
    std::uint32_t const found = *key;
    return __uint_as_float((found & 0x80000000U) != 0U ? found & 0x7FFFFFFFU : ~found);
  }
};

/// Finds the largest margin. largest (in, out): 0 before. NaN is skipped.
__global__ void __launch_bounds__(kGradientThreads)
    LargestMarginKernel(float const* margins, std::int64_t n_rows, std::uint32_t* largest) {
  std::uint32_t own = 0;
  for (std::int64_t row = GridThread(); row < n_rows; row += static_cast<std::int64_t>(gridDim.x) * kGradientThreads) {
    float const margin = margins[row];
    if (margin == margin) own = max(own, ~DescendingFloatKey(margin));
  }
  for (int step = 16; step > 0; step /= 2) own = max(own, __shfl_xor_sync(0xFFFFFFFFU, own, step));
  if (threadIdx.x % 32 == 0) atomicMax(largest, own);
}

/// hazards (out): [n_rows], the last place first.
__global__ void __launch_bounds__(kGradientThreads)
    HazardsKernel(PlacedTimes times, float const* margins, LargestMargin largest, double* hazards) {
  std::int64_t const place = GridThread();
  if (place >= times.n_rows) return;
  hazards[times.n_rows - 1 - place] = CoxLoss::Hazard(margins[times.rows[place]], largest());
}

/// events (out): [n_rows, 2], by place.
__global__ void __launch_bounds__(kGradientThreads)
    EventsKernel(PlacedTimes times, float const* labels, PrefixView<1> risks, double* events) {
  std::int64_t const place = GridThread();
  if (place >= times.n_rows) return;
  EventSums event;
  if (CoxLoss::IsEvent(labels[times.rows[place]])) {
    event = CoxLoss::OfEvent(risks.At(times.n_rows - 1 - times.First(place)));
  }
  events[2 * place] = event.inverse;
  events[2 * place + 1] = event.inverse_square;
}

struct CoxTask {
  PlacedTimes times;
  float const* margins;
  LargestMargin largest;
  DeviceInfo info;
  PrefixView<2> events;
  GradientPair* out;
};

__global__ void __launch_bounds__(kGradientThreads) CoxGradientsKernel(CoxTask task) {
  std::int64_t const place = GridThread();
  if (place >= task.times.n_rows) return;
  std::int64_t const row = task.times.rows[place];
  std::int64_t const last = task.times.Last(place);
  EventSums const sums{task.events.At(last, 0), task.events.At(last, 1)};
  task.out[row] = CoxLoss::Gradient(CoxLoss::Hazard(task.margins[row], task.largest()),
                                    CoxLoss::IsEvent(task.info.labels.data()[row]), sums, WeightOf(task.info, row));
}

class CoxVersion : public DeviceObjective {
 public:
  void ComputeGradients(CudaContext const& cuda, Context const& ctx, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    RequireAllRowsAtRisk(ctx);
    CheckGradientSizes(info.labels.size(), margins, out);
    if (margins.empty()) return;
    auto const n = margins.size();
    auto const grid = GridFor(info.n_rows, kGradientThreads);
    auto const sorted = SortByTime(cuda, TimeOrder::kEarliestFirst, info);
    Buffer<std::uint32_t> const key(cuda, 1);
    FillZero(cuda, key.data(), 1);
    Launch(cuda, grid < kMostBlocks ? grid : kMostBlocks, kGradientThreads, LargestMarginKernel, margins.data(),
           info.n_rows, key.data());
    LargestMargin const largest{key.data()};
    Buffer<double> const hazards(cuda, n);
    Launch(cuda, grid, kGradientThreads, HazardsKernel, sorted.View(), margins.data(), largest, hazards.data());
    DevicePrefixSums<1> const risks(cuda, info.n_rows, hazards.data());
    Buffer<double> const events(cuda, 2 * n);
    Launch(cuda, grid, kGradientThreads, EventsKernel, sorted.View(), info.labels.data(), risks.View(), events.data());
    DevicePrefixSums<2> const sums(cuda, info.n_rows, events.data());
    CoxTask const task{sorted.View(), margins.data(), largest, info, sums.View(), out.data()};
    Launch(cuda, grid, kGradientThreads, CoxGradientsKernel, task);
  }
  bool Transforms() const override { return true; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t) const override {
    ApplyLinkOnDevice(cuda, LogLink{}, values);
  }

 private:
  static constexpr unsigned kMostBlocks = 1024;  ///< enough to fill a device, few enough for an atomic of each warp
};

}  // namespace

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(CoxLoss const&) { return std::make_unique<CoxVersion>(); }

}  // namespace kauri::cuda
