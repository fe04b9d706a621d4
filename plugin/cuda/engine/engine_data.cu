#include <memory>
#include <string>
#include <utility>

#include "cuda/common/fill_margins.h"
#include "cuda/common/kept.h"
#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/data/row_parts.h"
#include "cuda/engine/engine_data.h"
#include "cuda/forest/host_rows.h"
#include "data/meta_info.h"
#include "kauri/error.h"
#include "kauri/span.h"
#include "objective/ranking/rank_rule.h"

namespace kauri::cuda {
namespace {

/// residuals (out): [n_outputs, n_rows]. margins: [n_rows, n_outputs]. One thread per margin.
__global__ void __launch_bounds__(kBlockThreads)
    ResidualsKernel(DeviceInfo info, float const* margins, std::int64_t n_outputs, float* residuals) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (i >= info.n_rows * n_outputs) return;
  std::int64_t const row = i / n_outputs;
  std::int64_t const output = i - row * n_outputs;
  float const label = info.labels.data()[row * info.n_targets + (info.n_targets == 1 ? 0 : output)];
  residuals[output * info.n_rows + row] = label - margins[i];
}

std::unique_ptr<InfoArrays const> MakeInfoArrays(CudaContext const& cuda, Context const& ctx, MetaInfo const& info) {
  auto made = std::make_unique<InfoArrays>();
  made->labels = UploadRows(cuda, ctx, info.labels);
  made->weights = UploadRows(cuda, ctx, info.weights);
  made->group_ptr = ToDevice(cuda, info.group_ptr);
  made->largest_group = LargestGroup(info.group_ptr);
  made->lower_bounds = ToDevice(cuda, info.label_lower_bound);
  made->upper_bounds = ToDevice(cuda, info.label_upper_bound);
  return made;
}

std::string Describe(DataMatrix const& matrix, std::int64_t n_outputs) {
  return std::to_string(matrix.NumRows()) + " rows and " + std::to_string(n_outputs) + " outputs";
}

}  // namespace

LineErrors DeviceRoundErrors::Of(CudaContext const& cuda, DeviceInfo const& info, Span<float const> margins,
                                 RoundTree const& tree) {
  if (slopes_.IsEmpty() || info.n_rows == 0) return {};
  auto const n_margins = static_cast<std::int64_t>(margins.size());
  if (!is_computed_) {
    residuals_.Reserve(cuda, margins.size());
    Launch(cuda, GridFor(n_margins, kBlockThreads), kBlockThreads, ResidualsKernel, info, margins.data(),
           n_margins / info.n_rows, residuals_.data());
  }
  is_computed_ = true;
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  Span<float const> const residuals(residuals_.data(), margins.size());
  return slopes_.ErrorsOf(residuals.subspan(static_cast<std::size_t>(tree.output) * n_rows, n_rows), info.weights,
                          tree.output);
}

void EngineData::Restart(CudaContext const& cuda, DataMatrix const& matrix, std::int64_t outputs,
                         Span<float const> start) {
  auto const& info = matrix.Info();
  auto const n_margins = ToSize(matrix.NumRows() * outputs);
  CheckBaseMargin(info.base_margin, matrix.NumRows(), outputs);
  if (rows.NumRows() != matrix.NumRows() || rows.NumOutputs() != outputs) {
    predictions = Buffer<float>();
    training = TrainingData();
    arrays = TrainingArrays();
    rows.Clear();
    valid_for_.clear();  // they were validated for the old number of outputs
    RequireMemory(
        cuda, "margins of " + Describe(matrix, outputs),
        {{"margins", 4 * n_margins},
         {"predictions", 4 * n_margins},
         {"labels, weights and query groups", 4 * (info.labels.size() + info.weights.size() +
                                                   info.label_lower_bound.size() + info.label_upper_bound.size()) +
                                                  8 * info.group_ptr.size()}});
    rows.Allocate(cuda, matrix.NumRows(), outputs);
  }
  auto const margins = rows.MarginsToSet();
  if (info.base_margin.empty()) {
    FillMargins(cuda, ToDevice(cuda, std::vector<float>(start.begin(), start.end())).span(), margins);
  } else {
    CopyToDevice(cuda, info.base_margin.data(), n_margins, margins.data());
  }
}

void EngineData::BeginTraining(CudaContext const& cuda) {
  has_leaf_gradients = false;
  leaf_gradients.clear();
  rows.PrepareTraining(cuda);
}

void EngineData::BeginRound(CudaContext const& cuda, Objective const& objective) {
  BeginTraining(cuda);
  arrays.errors.Begin(objective);
  training.Watch().Expect(false);
}

Span<GradientPair> EngineData::BeginGivenRound(CudaContext const& cuda, std::int64_t n_columns) {
  BeginTraining(cuda);
  arrays.errors.Forget();
  training.Watch().Expect(true);
  return rows.GradientsToSet(n_columns);
}

bool EngineData::PrepareRound(CudaContext const& cuda, DataMatrix const& matrix) {
  constexpr std::size_t kShare = 16;  // divisor of the free memory: taking this little makes nothing else fail
  constexpr std::size_t kListBytes = 4;
  auto const size = ToSize(matrix.NumRows() * rows.NumOutputs());
  if (arrays.round_leaves.size() == size || arrays.has_no_round_room) return !arrays.has_no_round_room;
  auto const bytes = size * (sizeof(FixedPair) + sizeof(std::int32_t) + kListBytes);
  // Computed once, because it takes longer than a small tree.
  arrays.has_no_round_room = bytes > FreeBytes(cuda) / kShare;
  if (arrays.has_no_round_room) return false;
  arrays.round_pairs = Buffer<FixedPair>(cuda, size);
  arrays.round_leaves = Buffer<std::int32_t>(cuda, size);  // last, because its size indicates that the pairs exist
  return true;
}

std::optional<DeviceRows> EngineData::Features(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix,
                                               bool may_upload) {
  if (auto const* on_device = matrix.OnDevice()) return RowsOn(cuda, *on_device);
  if (may_upload && UploadFeatures(cuda, ctx, matrix)) return features->Rows();
  return std::nullopt;
}

bool EngineData::UploadFeatures(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix) {
  if (features != nullptr) return true;
  auto const bytes = BytesOfFeatures(matrix);
  // A tenth is left for the other memory of a round.
  if (bytes > MakeRoom(cuda, bytes / 9 * 10) / 10 * 9) return false;
  features = std::make_unique<DeviceFeatures>(MakeFeatures(cuda, ctx, matrix));
  return true;
}

DeviceInfo EngineData::Info(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix) {
  auto const& info = matrix.Info();
  if (info_ == nullptr || info_revision_ != matrix.InfoRevision()) {
    info_.reset();
    DerivedKey key{"cuda info", "revision=" + std::to_string(matrix.InfoRevision())};
    info_ = KeptWith<InfoArrays>(matrix, std::move(key), cuda.device)->Get([&](CudaContext const& own) {
      return MakeInfoArrays(own, ctx, info);
    });
    info_revision_ = matrix.InfoRevision();
  }
  return {info.n_rows,
          info.n_targets,
          info_->labels.span(),
          info_->weights.span(),
          info_->group_ptr.span(),
          info_->lower_bounds.span(),
          info_->upper_bounds.span(),
          info_->largest_group};
}

void EngineData::Validate(MetricList const& metrics, DataMatrix const& matrix) {
  if (valid_for_ == metrics && valid_revision_ == matrix.InfoRevision()) return;
  for (auto const& metric : metrics) metric->Validate(matrix.Info(), rows.NumOutputs());
  valid_for_ = metrics;
  valid_revision_ = matrix.InfoRevision();
}

void EngineData::WatchResolution(CudaContext const& cuda, MetaInfo const& info, std::int64_t output,
                                 GradientUnit unit) {
  auto const gradients = rows.Gradients(cuda);
  auto const watched = WatchedPairs(cuda, gradients, output);
  if (!LosesGradients(ToHost(cuda, watched.data(), watched.size()), unit)) return;
  if (!training.Watch().MayWarn(info, gradients.n_outputs, output)) return;
  auto const& all = gradients.pairs;
  training.Watch().Look(ToHost(cuda, all.data(), all.size()), info, gradients.n_outputs, output, unit);
}

}  // namespace kauri::cuda
