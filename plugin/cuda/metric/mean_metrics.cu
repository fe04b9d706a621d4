/// Weighted means of losses. The host adds the elements of a block of kRowBlock in eight lanes (element i to lane i %
/// 8), the lanes in order, the blocks in order. Here:
/// 1. A block of threads computes the losses of such a block of elements, all at once, into shared memory.
/// 2. Eight threads add up a lane of losses each, eight others a lane of weights; one thread adds the lanes.
/// 3. One block adds the sums of the blocks, in order: 16 bytes cross to the host, however many rows there are.
/// Bytes per element: prediction 4 (all classes where one of several is picked), label 4, weight 4. Step 2 is a chain
/// of 512 float64 additions, about 5 us; it overlaps with other blocks.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/block_sum.h"
#include "cuda/common/launch.h"
#include "cuda/metric/make_metric.h"
#include "metric/element_losses.h"
#include "metric/weighted_sum.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 8;

struct BlockMean {
  double loss;
  double weight;
};

/// The prediction of the element's own output.
struct PickElement {
  static constexpr bool kPerRow = false;
  __device__ float operator()(Span<float const> predictions, std::int64_t element, std::int64_t, float) const {
    return predictions.data()[element];
  }
};
/// The probability of the label's class.
struct PickLabel {
  static constexpr bool kPerRow = true;
  __device__ float operator()(Span<float const> predictions, std::int64_t row, std::int64_t n_outputs,
                              float label) const {
    return predictions.data()[row * n_outputs + static_cast<std::int64_t>(label)];
  }
};
/// The number of the likeliest class, the first of equals.
struct PickLikeliest {
  static constexpr bool kPerRow = true;
  __device__ float operator()(Span<float const> predictions, std::int64_t row, std::int64_t n_outputs, float) const {
    float const* of_row = predictions.data() + row * n_outputs;
    std::int64_t likeliest = 0;
    for (std::int64_t k = 1; k < n_outputs; ++k) likeliest = of_row[likeliest] < of_row[k] ? k : likeliest;
    return static_cast<float>(likeliest);
  }
};

/// One block of threads per kRowBlock elements.
template <typename Pick, typename Loss>
__global__ void __launch_bounds__(kThreads) SumLossesKernel(Loss loss, Span<float const> predictions,
                                                            std::int64_t n_outputs, DeviceInfo info, BlockMean* sums) {
  __shared__ float losses[kRowBlock];
  __shared__ float weights[kRowBlock];
  __shared__ double lanes[2 * kLanes];
  std::int64_t const begin = static_cast<std::int64_t>(blockIdx.x) * kRowBlock;
  std::int64_t const left = static_cast<std::int64_t>(info.labels.size()) - begin;
  int const n = static_cast<int>(left < kRowBlock ? left : kRowBlock);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kThreads) {
    std::int64_t const element = begin + i;
    float const label = info.labels.data()[element];
    std::int64_t const row = info.n_targets == 1 ? element : element / info.n_targets;
    float const weight = info.weights.empty() ? 1.0F : info.weights.data()[row];
    losses[i] = loss(Pick{}(predictions, element, n_outputs, label), label) * weight;
    weights[i] = weight;
  }
  __syncthreads();
  // Lanes of losses in one warp and of weights in another: both chains run at the same time.
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const warp = static_cast<int>(threadIdx.x) / 32;
  if (warp < 2 && lane < kLanes) {
    float const* values = warp == 0 ? losses : weights;
    double sum = 0.0;
#pragma unroll 8
    for (int i = lane; i < n; i += kLanes) sum += static_cast<double>(values[i]);
    lanes[warp * kLanes + lane] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    BlockMean block{0.0, 0.0};
    for (int i = 0; i < kLanes; ++i) {
      block.loss += lanes[i];
      block.weight += lanes[kLanes + i];
    }
    sums[blockIdx.x] = block;
  }
}

/// sums[0] := all of them, in order. One block; a chain of one float64 addition per kRowBlock elements.
__global__ void __launch_bounds__(kThreads) AddBlocksKernel(std::int64_t n_blocks, BlockMean* sums) {
  __shared__ double losses[kThreads];
  __shared__ double weights[kThreads];
  // The first lanes of two warps: both chains run at the same time.
  bool const adds_losses = threadIdx.x == 0;
  bool const adds_weights = threadIdx.x == 32;
  double sum = 0.0;
  for (std::int64_t base = 0; base < n_blocks; base += kThreads) {
    int const n = static_cast<int>(n_blocks - base < kThreads ? n_blocks - base : kThreads);
    if (static_cast<int>(threadIdx.x) < n) {
      losses[threadIdx.x] = sums[base + threadIdx.x].loss;
      weights[threadIdx.x] = sums[base + threadIdx.x].weight;
    }
    __syncthreads();
    if (adds_losses || adds_weights) {
      double const* values = adds_losses ? losses : weights;
#pragma unroll 8
      for (int i = 0; i < n; ++i) sum += values[i];
    }
    __syncthreads();
  }
  if (adds_losses) sums[0].loss = sum;
  if (adds_weights) sums[0].weight = sum;
}

/// finish: square root or not. Pick decides what of a row's predictions the loss reads.
template <typename Pick, typename Loss>
class MeanMetric : public DeviceMetric {
 public:
  explicit MeanMetric(Loss loss, bool takes_root = false) : loss_(loss), takes_root_(takes_root) {}

  bool Fits(MetaInfo const& info, std::int64_t n_outputs) const override {
    auto const n_rows = static_cast<std::size_t>(info.n_rows);
    auto const counts = info.n_rows > 0 && info.labels.size() == n_rows * static_cast<std::size_t>(info.n_targets) &&
                        (info.weights.empty() || info.weights.size() == n_rows);
    if (!counts) return false;
    if (!Pick::kPerRow) return n_outputs == info.n_targets;
    auto const bound = static_cast<float>(n_outputs);
    return n_outputs >= 2 && info.n_targets == 1 &&
           std::all_of(info.labels.begin(), info.labels.end(),
                       [bound](float label) { return label >= 0.0F && label < bound && std::floor(label) == label; });
  }

  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    auto const n = static_cast<std::int64_t>(info.labels.size());
    auto const n_blocks = static_cast<std::size_t>(NumBlocks(n, kRowBlock));
    auto const n_outputs = static_cast<std::int64_t>(predictions.size()) / info.n_rows;
    Buffer<BlockMean> sums(cuda, n_blocks);
    Launch(cuda, static_cast<unsigned>(n_blocks), kThreads, SumLossesKernel<Pick, Loss>, loss_, predictions, n_outputs,
           info, sums.data());
    Launch(cuda, 1, kThreads, AddBlocksKernel, static_cast<std::int64_t>(n_blocks), sums.data());
    auto const sum = ToHost(cuda, sums.data(), 1)[0];  // waits for the value
    WeightedSum const total{sum.loss, sum.weight};
    return takes_root_ ? std::sqrt(total.Mean()) : total.Mean();
  }

 private:
  Loss loss_;
  bool takes_root_;
};

template <typename Pick, typename Loss>
std::unique_ptr<DeviceMetric> Make(Loss loss, bool takes_root = false) {
  return std::make_unique<MeanMetric<Pick, Loss>>(loss, takes_root);
}

/// Of a loss with a number after '@'.
template <typename Loss>
std::unique_ptr<DeviceMetric> MakeNumbered(std::string const& argument) {
  float number = 0.0F;
  auto const* end = argument.data() + argument.size();
  auto const parsed = std::from_chars(argument.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return nullptr;
  return Make<PickElement>(Loss{number});
}

}  // namespace

std::unique_ptr<DeviceMetric> MakeMeanMetric(Metric const& metric) {
  auto const full_name = metric.Name();
  auto const name = full_name.substr(0, full_name.find('@'));
  if (name == "rmse") return Make<PickElement>(SquaredDifference{}, true);
  if (name == "mae") return Make<PickElement>(AbsoluteDifference{});
  if (name == "logloss") return Make<PickElement>(LogLoss{});
  if (name == "error") return MakeNumbered<ThresholdError>(metric.Argument());
  if (name == "poisson-nloglik") return Make<PickElement>(PoissonDeviance{});
  if (name == "rmsle") return Make<PickElement>(SquaredLogDifference{}, true);
  if (name == "mape") return Make<PickElement>(RelativeDifference{});
  if (name == "gamma-nloglik") return Make<PickElement>(GammaLogLoss{});
  if (name == "gamma-deviance") return Make<PickElement>(GammaDeviance{});
  if (name == "tweedie-nloglik") return MakeNumbered<TweedieLogLoss>(metric.Argument());
  if (name == "merror") return Make<PickLikeliest>(ClassError{});
  if (name == "mlogloss") return Make<PickLabel>(ClassLogLoss{});
  return nullptr;
}

}  // namespace kauri::cuda
