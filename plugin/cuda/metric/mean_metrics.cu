/// Weighted means of losses. The host adds the elements of a block of kRowBlock in eight lanes (element i to lane i %
/// 8), the lanes in order, the blocks in order. Here:
/// 1. A block of threads computes the losses of such a block of elements, all at once, into shared memory.
/// 2. Each of eight threads adds up a lane of losses, and each of eight others a lane of weights; one thread adds the
///    lanes.
/// 3. One block adds the sums of the blocks, in order: 16 bytes cross to the host, whatever the number of rows.
/// Bytes per element: prediction 4 (all classes if one of several is picked), label 4 (bounds 8), weight 4. Step 2 is a
/// chain of 512 float64 additions, about 5 us; it overlaps with other blocks.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/loss/label_elements.h"
#include "common/sums.h"
#include "cuda/common/launch.h"
#include "cuda/metric/device_metric.h"

namespace kauri::cuda {
namespace {

constexpr int kLanes = 8;

struct BlockMean {
  double loss;
  double weight;
};

/// Picks the prediction of the element's own output.
struct PickElement {
  __device__ float operator()(Span<float const> predictions, std::int64_t element, std::int64_t, float) const {
    return predictions.data()[element];
  }
};
/// Picks the probability of the label's class.
struct PickLabel {
  __device__ float operator()(Span<float const> predictions, std::int64_t row, std::int64_t n_outputs,
                              float label) const {
    return predictions.data()[row * n_outputs + static_cast<std::int64_t>(label)];
  }
};
/// Picks the number of the likeliest class, the first of equals.
struct PickLikeliest {
  __device__ float operator()(Span<float const> predictions, std::int64_t row, std::int64_t n_outputs, float) const {
    float const* of_row = predictions.data() + row * n_outputs;
    std::int64_t likeliest = 0;
    for (std::int64_t k = 1; k < n_outputs; ++k) likeliest = of_row[likeliest] < of_row[k] ? k : likeliest;
    return static_cast<float>(likeliest);
  }
};

/// The losses that SumLossesKernel adds up: NumElements() losses in float32. The kernel multiplies each by the weight
/// of its row and leaves out missing labels (`IsMissingLabel`).
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
  __device__ bool IsKnown(std::int64_t element) const {
    return info.n_targets == 1 || !IsMissingLabel(info.labels.data()[element]);
  }
  __device__ float At(std::int64_t element) const {
    float const label = info.labels.data()[element];
    return loss(Pick{}(predictions, element, n_outputs, label), label);
  }
};

/// Losses of several alphas. Every alpha of a row has an output, and all share the label.
template <typename Loss>
struct AlphaLosses {
  Span<Loss const> losses;  ///< losses of the alphas
  Span<float const> predictions;
  DeviceInfo info;

  KAURI_HD std::int64_t NumElements() const { return static_cast<std::int64_t>(predictions.size()); }
  __device__ std::int64_t RowOf(std::int64_t element) const {
    return element / static_cast<std::int64_t>(losses.size());
  }
  __device__ bool IsKnown(std::int64_t) const { return true; }
  __device__ float At(std::int64_t element) const {
    std::int64_t const row = RowOf(element);
    std::int64_t const alpha = element - row * static_cast<std::int64_t>(losses.size());
    return losses.data()[alpha](predictions.data()[element], info.labels.data()[row]);
  }
};

/// Losses of labels that are bounds.
template <typename Loss>
struct BoundLosses {
  Loss loss;
  Span<float const> predictions;
  DeviceInfo info;

  KAURI_HD std::int64_t NumElements() const { return info.n_rows; }
  __device__ std::int64_t RowOf(std::int64_t element) const { return element; }
  __device__ bool IsKnown(std::int64_t) const { return true; }
  __device__ float At(std::int64_t row) const {
    return loss(predictions.data()[row], info.lower_bounds.data()[row], info.upper_bounds.data()[row]);
  }
};

/// Sums the losses, with one block of threads per kRowBlock elements.
template <typename Losses>
__global__ void __launch_bounds__(kBlockThreads) SumLossesKernel(Losses source, BlockMean* sums) {
  __shared__ float losses[kRowBlock];
  __shared__ float weights[kRowBlock];
  __shared__ double lanes[2 * kLanes];
  std::int64_t const begin = static_cast<std::int64_t>(blockIdx.x) * kRowBlock;
  std::int64_t const left = source.NumElements() - begin;
  int const n = static_cast<int>(left < kRowBlock ? left : kRowBlock);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kBlockThreads) {
    std::int64_t const element = begin + i;
    DeviceInfo const& info = source.info;
    float const weight = info.weights.empty() ? 1.0F : info.weights.data()[source.RowOf(element)];
    bool const is_known = source.IsKnown(element);
    losses[i] = is_known ? source.At(element) * weight : 0.0F;
    weights[i] = is_known ? weight : 0.0F;
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

/// Sets sums[0] to the sum of all blocks, in order. One block; a chain of one float64 addition per kRowBlock elements.
__global__ void __launch_bounds__(kBlockThreads) AddBlocksKernel(std::int64_t n_blocks, BlockMean* sums) {
  __shared__ double losses[kBlockThreads];
  __shared__ double weights[kBlockThreads];
  // The first lanes of two warps: both chains run at the same time.
  bool const adds_losses = threadIdx.x == 0;
  bool const adds_weights = threadIdx.x == 32;
  double sum = 0.0;
  for (std::int64_t base = 0; base < n_blocks; base += kBlockThreads) {
    int const n = static_cast<int>(n_blocks - base < kBlockThreads ? n_blocks - base : kBlockThreads);
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

/// Returns the weighted mean of the losses; waits for it.
template <typename Losses>
double MeanOf(CudaContext const& cuda, Losses const& source) {
  auto const n_blocks = static_cast<std::size_t>(NumBlocks(source.NumElements(), kRowBlock));
  Buffer<BlockMean> sums(cuda, n_blocks);
  Launch(cuda, static_cast<unsigned>(n_blocks), kBlockThreads, SumLossesKernel<Losses>, source, sums.data());
  Launch(cuda, 1, kBlockThreads, AddBlocksKernel, static_cast<std::int64_t>(n_blocks), sums.data());
  auto const sum = ToHost(cuda, sums.data(), 1)[0];
  return WeightedSum{sum.loss, sum.weight}.Mean();
}

/// Mean of a loss. Pick decides which of a row's predictions the loss reads.
template <typename Pick, typename Loss>
class MeanVersion : public DeviceMetric {
 public:
  MeanVersion(Loss const& loss, bool takes_root) : loss_(loss), takes_root_(takes_root) {}

  /// Returns false if all labels are missing (`IsMissingLabel`): the host's version then reports it.
  bool Takes(MetaInfo const& info) const override {
    auto const is_known = [](float label) { return !IsMissingLabel(label); };
    return std::any_of(info.labels.begin(), info.labels.end(), is_known);
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

/// Mean of one loss for every alpha.
template <typename Loss>
class AlphasVersion : public DeviceMetric {
 public:
  explicit AlphasVersion(std::vector<Loss> const& losses) : losses_(losses) {}

  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    auto const losses = ToDevice(cuda, losses_);
    return MeanOf(cuda, AlphaLosses<Loss>{losses.span(), predictions, info});
  }

 private:
  std::vector<Loss> losses_;
};

template <typename Loss>
class BoundsVersion : public DeviceMetric {
 public:
  explicit BoundsVersion(Loss const& loss) : loss_(loss) {}

  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    return MeanOf(cuda, BoundLosses<Loss>{loss_, predictions, info});
  }

 private:
  Loss loss_;
};

}  // namespace

#define KAURI_DEFINE_VERSION(Loss)                                                   \
  std::unique_ptr<DeviceMetric> MakeMetricVersion(Loss const& loss) {                \
    return std::make_unique<MeanVersion<PickElement, Loss>>(loss, Loss::kTakesRoot); \
  }
KAURI_FOR_EACH_MEAN_LOSS(KAURI_DEFINE_VERSION)
#undef KAURI_DEFINE_VERSION

std::unique_ptr<DeviceMetric> MakeMetricVersion(ClassLogLoss const& loss) {
  return std::make_unique<MeanVersion<PickLabel, ClassLogLoss>>(loss, false);
}

std::unique_ptr<DeviceMetric> MakeMetricVersion(ClassError const& loss) {
  return std::make_unique<MeanVersion<PickLikeliest, ClassError>>(loss, false);
}

std::unique_ptr<DeviceMetric> MakeMetricVersion(std::vector<PinballLoss> const& losses) {
  return std::make_unique<AlphasVersion<PinballLoss>>(losses);
}

std::unique_ptr<DeviceMetric> MakeMetricVersion(std::vector<ExpectileDifference> const& losses) {
  return std::make_unique<AlphasVersion<ExpectileDifference>>(losses);
}

std::unique_ptr<DeviceMetric> MakeMetricVersion(AftLoss const& loss) {
  return std::make_unique<BoundsVersion<AftLoss>>(loss);
}

std::unique_ptr<DeviceMetric> MakeMetricVersion(InBounds const& loss) {
  return std::make_unique<BoundsVersion<InBounds>>(loss);
}

}  // namespace kauri::cuda
