/// cox-nloglik (metric/survival_metrics.cc).
/// 1. Rows are sorted by time, the latest first.
/// 2. Predictions are added up in that order.
/// 3. The losses of the events, and their number, are added up as well.
/// Sums are in the host's order. 16 bytes cross to the host. Bytes per row: 4 passes of 16 for the sort; 8 in and 8 out
/// for the sums of predictions, 20 in and 8 out for the losses, 16 for their sum.
#include "cuda/common/launch.h"
#include "cuda/common/sums.h"
#include "cuda/data/rows_by_time.h"
#include "cuda/metric/device_metric.h"

namespace kauri::cuda {
namespace {

__device__ __forceinline__ std::int64_t CoxThread() {
  return static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
}

__global__ void __launch_bounds__(kBlockThreads)
    HazardsKernel(PlacedTimes times, float const* predictions, double* hazards) {
  std::int64_t const place = CoxThread();
  if (place < times.n_rows) hazards[place] = static_cast<double>(predictions[times.rows[place]]);
}

struct CoxTask {
  PlacedTimes times;
  float const* predictions;
  float const* labels;
  PrefixView<1> risks;
  double* losses;                ///< (out) [n_rows], by place
  unsigned long long* n_events;  ///< (in, out)
};

__global__ void __launch_bounds__(kBlockThreads) CoxLossesKernel(CoxTask task) {
  std::int64_t const place = CoxThread();
  bool const is_there = place < task.times.n_rows;
  std::int64_t const row = is_there ? task.times.rows[place] : 0;
  bool const is_event = is_there && CoxLikelihood::IsEvent(task.labels[row]);
  if (is_there) {
    task.losses[place] =
        is_event ? CoxLikelihood::Loss(task.risks.At(task.times.Last(place)), task.predictions[row]) : 0.0;
  }
  unsigned const events = __ballot_sync(0xFFFFFFFFU, is_event);
  if (threadIdx.x % 32 == 0 && events != 0) atomicAdd(task.n_events, static_cast<unsigned long long>(__popc(events)));
}

class CoxVersion : public DeviceMetric {
 public:
  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    auto const n = static_cast<std::size_t>(info.n_rows);
    auto const grid = GridFor(info.n_rows, kBlockThreads);
    auto const sorted = SortByTime(cuda, TimeOrder::kLatestFirst, info);
    Buffer<double> const hazards(cuda, n);
    Launch(cuda, grid, kBlockThreads, HazardsKernel, sorted.View(), predictions.data(), hazards.data());
    DevicePrefixSums<1> const risks(cuda, info.n_rows, hazards.data());
    Buffer<double> const losses(cuda, n);
    Buffer<unsigned long long> const n_events(cuda, 1);
    FillZero(cuda, n_events.data(), 1);
    CoxTask const task{sorted.View(), predictions.data(), info.labels.data(),
                       risks.View(),  losses.data(),      n_events.data()};
    Launch(cuda, grid, kBlockThreads, CoxLossesKernel, task);
    DevicePrefixSums<1> const sums(cuda, info.n_rows, losses.data());
    auto const loss = ToHost(cuda, sums.Total(), 1)[0];
    return loss / static_cast<double>(ToHost(cuda, n_events.data(), 1)[0]);
  }
};

}  // namespace

std::unique_ptr<DeviceMetric> MakeMetricVersion(CoxLikelihood const&) { return std::make_unique<CoxVersion>(); }

}  // namespace kauri::cuda
