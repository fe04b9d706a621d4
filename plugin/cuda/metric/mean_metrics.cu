/// Weighted means of losses. The host adds the elements of a block of kRowBlock in eight lanes (element i to lane i %
/// 8), the lanes in order, the blocks in order. Here:
/// 1. A block of threads computes the losses of such a block of elements, all at once, into shared memory.
/// 2. Eight threads add up a lane of losses each, eight others a lane of weights; one thread adds the lanes.
/// 3. One block adds the sums of the blocks, in order: 16 bytes cross to the host, however many rows there are.
/// Bytes per element: prediction 4 (all classes where one of several is picked), label 4 (bounds 8), weight 4. Step 2
/// is a chain of 512 float64 additions, about 5 us; it overlaps with other blocks.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/block_sum.h"
#include "common/loss/aft_loss.h"
#include "cuda/common/launch.h"
#include "cuda/metric/make_metric.h"
#include "metric/alpha_metric.h"
#include "metric/element_losses.h"
#include "metric/element_metric.h"
#include "metric/survival_metrics.h"
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

/// What SumLossesKernel adds up: NumElements() losses in float32, each multiplied by the weight of its row.
template <typename Pick, typename Loss>
struct LabelLosses {
  Loss loss;
  Span<float const> predictions;
  std::int64_t n_outputs;
  DeviceInfo info;

  KAURI_HD std::int64_t NumElements() const { return static_cast<std::int64_t>(info.labels.size()); }
  __device__ std::int64_t RowOf(std::int64_t element) const {
    return info.n_targets == 1 ? element : element / info.n_targets;
  }
  __device__ float At(std::int64_t element) const {
    float const label = info.labels.data()[element];
    return loss(Pick{}(predictions, element, n_outputs, label), label);
  }
};

/// Every alpha of a row has an output, and all share the label.
template <typename Loss>
struct AlphaLosses {
  Span<Loss const> losses;  ///< of the alphas
  Span<float const> predictions;
  DeviceInfo info;

  KAURI_HD std::int64_t NumElements() const { return static_cast<std::int64_t>(predictions.size()); }
  __device__ std::int64_t RowOf(std::int64_t element) const {
    return element / static_cast<std::int64_t>(losses.size());
  }
  __device__ float At(std::int64_t element) const {
    std::int64_t const row = RowOf(element);
    std::int64_t const alpha = element - row * static_cast<std::int64_t>(losses.size());
    return losses.data()[alpha](predictions.data()[element], info.labels.data()[row]);
  }
};

/// Labels are bounds.
template <typename Loss>
struct BoundLosses {
  Loss loss;
  Span<float const> predictions;
  DeviceInfo info;

  KAURI_HD std::int64_t NumElements() const { return info.n_rows; }
  __device__ std::int64_t RowOf(std::int64_t element) const { return element; }
  __device__ float At(std::int64_t row) const {
    return loss(predictions.data()[row], info.lower_bounds.data()[row], info.upper_bounds.data()[row]);
  }
};

/// One block of threads per kRowBlock elements.
template <typename Losses>
__global__ void __launch_bounds__(kThreads) SumLossesKernel(Losses source, BlockMean* sums) {
  __shared__ float losses[kRowBlock];
  __shared__ float weights[kRowBlock];
  __shared__ double lanes[2 * kLanes];
  std::int64_t const begin = static_cast<std::int64_t>(blockIdx.x) * kRowBlock;
  std::int64_t const left = source.NumElements() - begin;
  int const n = static_cast<int>(left < kRowBlock ? left : kRowBlock);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kThreads) {
    std::int64_t const element = begin + i;
    DeviceInfo const& info = source.info;
    float const weight = info.weights.empty() ? 1.0F : info.weights.data()[source.RowOf(element)];
    losses[i] = source.At(element) * weight;
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

/// The weighted mean of the losses; waits for it.
template <typename Losses>
double MeanOf(CudaContext const& cuda, Losses const& source) {
  auto const n_blocks = static_cast<std::size_t>(NumBlocks(source.NumElements(), kRowBlock));
  Buffer<BlockMean> sums(cuda, n_blocks);
  Launch(cuda, static_cast<unsigned>(n_blocks), kThreads, SumLossesKernel<Losses>, source, sums.data());
  Launch(cuda, 1, kThreads, AddBlocksKernel, static_cast<std::int64_t>(n_blocks), sums.data());
  auto const sum = ToHost(cuda, sums.data(), 1)[0];
  return WeightedSum{sum.loss, sum.weight}.Mean();
}

bool HasRowWeights(MetaInfo const& info) {
  return info.weights.empty() || static_cast<std::int64_t>(info.weights.size()) == info.n_rows;
}

/// Pick decides what of a row's predictions the loss reads.
template <typename Pick, typename Loss>
class MeanMetric : public DeviceMetric {
 public:
  explicit MeanMetric(Loss loss, bool takes_root = false) : loss_(loss), takes_root_(takes_root) {}

  bool Fits(MetaInfo const& info, std::int64_t n_outputs) const override {
    auto const n_labels = static_cast<std::size_t>(info.n_rows * info.n_targets);
    if (info.n_rows == 0 || info.labels.size() != n_labels || !HasRowWeights(info)) return false;
    if (!Pick::kPerRow) return n_outputs == info.n_targets;
    auto const bound = static_cast<float>(n_outputs);
    return n_outputs >= 2 && info.n_targets == 1 &&
           std::all_of(info.labels.begin(), info.labels.end(),
                       [bound](float label) { return label >= 0.0F && label < bound && std::floor(label) == label; });
  }

  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    auto const n_outputs = static_cast<std::int64_t>(predictions.size()) / info.n_rows;
    auto const mean = MeanOf(cuda, LabelLosses<Pick, Loss>{loss_, predictions, n_outputs, info});
    return takes_root_ ? std::sqrt(mean) : mean;
  }

 private:
  Loss loss_;
  bool takes_root_;
};

/// Loss{alpha} for every alpha.
template <typename Loss>
class MeanOfAlphas : public DeviceMetric {
 public:
  explicit MeanOfAlphas(std::vector<float> const& alphas) {
    for (auto const alpha : alphas) losses_.push_back(Loss{alpha});
  }

  bool Fits(MetaInfo const& info, std::int64_t n_outputs) const override {
    auto const fits_alphas = n_outputs == static_cast<std::int64_t>(losses_.size());
    return info.n_rows > 0 && info.n_targets == 1 && fits_alphas && HasRowWeights(info) &&
           static_cast<std::int64_t>(info.labels.size()) == info.n_rows;
  }
  std::string FitsBy() const override { return std::to_string(losses_.size()); }
  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    auto const losses = ToDevice(cuda, losses_);
    return MeanOf(cuda, AlphaLosses<Loss>{losses.span(), predictions, info});
  }

 private:
  std::vector<Loss> losses_;
};

template <typename Loss>
class MeanOfBounds : public DeviceMetric {
 public:
  explicit MeanOfBounds(Loss const& loss) : loss_(loss) {}

  bool Fits(MetaInfo const& info, std::int64_t n_outputs) const override {
    auto const n_lower = static_cast<std::int64_t>(info.label_lower_bound.size());
    auto const n_upper = static_cast<std::int64_t>(info.label_upper_bound.size());
    return info.n_rows > 0 && n_outputs == 1 && n_lower == info.n_rows && n_upper == info.n_rows && HasRowWeights(info);
  }
  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    return MeanOf(cuda, BoundLosses<Loss>{loss_, predictions, info});
  }

 private:
  Loss loss_;
};

template <typename Pick, typename Loss>
std::unique_ptr<DeviceMetric> Make(Loss loss, bool takes_root = false) {
  return std::make_unique<MeanMetric<Pick, Loss>>(loss, takes_root);
}

/// By the class of the host metric, which has what parameters made of it; nullptr for another class.
template <typename Loss>
std::unique_ptr<DeviceMetric> MakeOfAlphas(Metric const& metric) {
  auto const* on_host = dynamic_cast<AlphaMetric<Loss> const*>(&metric);
  return on_host == nullptr ? nullptr : std::make_unique<MeanOfAlphas<Loss>>(on_host->Alphas());
}
template <typename Loss>
std::unique_ptr<DeviceMetric> MakeOfBounds(Metric const& metric) {
  auto const* on_host = dynamic_cast<BoundMetric<Loss> const*>(&metric);
  return on_host == nullptr ? nullptr : std::make_unique<MeanOfBounds<Loss>>(on_host->TheLoss());
}
std::unique_ptr<DeviceMetric> MakePseudoHuber(Metric const& metric) {
  auto const* on_host = dynamic_cast<ElementMetric<PseudoHuberDifference> const*>(&metric);
  return on_host == nullptr ? nullptr : Make<PickElement>(on_host->TheLoss());
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
  if (name == "mphe") return MakePseudoHuber(metric);
  if (name == "quantile") return MakeOfAlphas<PinballLoss>(metric);
  if (name == "expectile") return MakeOfAlphas<ExpectileDifference>(metric);
  if (name == "aft-nloglik") return MakeOfBounds<AftLoss>(metric);
  if (name == "interval-regression-accuracy") return MakeOfBounds<InBounds>(metric);
  if (name == "merror") return Make<PickLikeliest>(ClassError{});
  if (name == "mlogloss") return Make<PickLabel>(ClassLogLoss{});
  return nullptr;
}

}  // namespace kauri::cuda
