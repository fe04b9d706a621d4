#include "cuda/hist/bins/make_device_bins.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/bins/column_cuts.h"
#include "cuda/hist/bins/write_codes.h"
#include "data/categories/categories.h"

namespace kauri::cuda {
namespace {

using MemoryParts = std::vector<MemoryPart>;

std::size_t SumOf(MemoryParts const& parts) {
  std::size_t sum = 0;
  for (auto const& part : parts) sum += part.bytes;
  return sum;
}

std::string Describe(DenseTable const& table) {
  return "the bins of " + std::to_string(table.n_rows) + " rows and " + std::to_string(table.n_cols) + " columns";
}

/// Returns the expected bytes of all codes, by max_bin. If a column with missing values has max_bin bins besides, codes
/// of 256 bins take words.
std::size_t ExpectedCodeBytes(DenseTable const& table, int max_bin) {
  constexpr int kMostByteBins = 256;
  constexpr std::size_t kWidth = 32;
  auto const n_rows = static_cast<std::size_t>(table.n_rows);
  auto const n_cols = static_cast<std::size_t>(table.n_cols);
  if (max_bin > kMostByteBins) return n_rows * n_cols * sizeof(std::uint16_t);
  return n_rows * ((n_cols + kWidth - 1) / kWidth * kWidth);
}

/// Returns whether bundles may pay. They join columns that mostly have one code, and such columns have few codes.
bool MayPayToBundle(DeviceBins const& bins) {
  constexpr std::int64_t kManyColumns = 32;
  constexpr std::int64_t kFewCodes = 4;
  return bins.NumCols() >= kManyColumns && bins.n_cells <= kFewCodes * bins.NumCols();
}

bool HasInfinite(std::vector<FeatureCuts> const& features) {
  return std::any_of(features.begin(), features.end(), [](FeatureCuts const& feature) {
    return feature.n_values > 0 && !(std::isfinite(feature.min) && std::isfinite(feature.max));
  });
}

/// Returns the memory of the codes, once their layout is known.
MemoryParts CodeMemory(DeviceBins const& bins) {
  auto const n_cells = static_cast<std::size_t>(bins.n_rows * bins.NumCols());
  auto const n_words = bins.form == CodeForm::kWords ? n_cells : 0;
  auto const layout = bins.features.size() * (sizeof(FeatureCodes) + sizeof(SumColumn) + sizeof(CodeGroup));
  return {{"codes", bins.form == CodeForm::kBytes ? bins.NumCodeBytes() : sizeof(std::uint16_t) * n_words},
          {"layout", layout + sizeof(float) * bins.cuts->values.size()}};
}

void Encode(CudaContext const& cuda, DeviceRowParts* rows, DeviceBins* bins) {
  AllocateDense(cuda, bins);
  rows->ForEach(0, bins->NumCols(),
                [&](CudaContext const& stream, RowPart const& part) { WriteCodes(stream, part, *bins); });
  cuda.Synchronize();  // for the rows, which are the caller's
}

/// Returns the cuts and counts of all columns; only the counts if cuts are given.
std::vector<FeatureCuts> LookAtColumns(CudaContext const& cuda, Context const& ctx, DenseTable const& table,
                                       DeviceBinsTask const& task, DeviceRowParts* rows) {
  auto const code_bytes = ExpectedCodeBytes(table, task.max_bin);
  MemoryPart const staging{"rows on their way", rows->NumBytes()};
  MemoryParts const for_codes{{"codes", code_bytes}, staging};
  if (task.given != nullptr) {
    RequireMemory(cuda, Describe(table), for_codes);
    return CountColumns(cuda, table.n_rows, table.n_cols, rows);
  }
  auto const cut_task = MakeCutTask(ctx, table.n_rows, task.max_bin, task.weights);
  auto const plan = PlanCuts(cut_task, task.weights, table.n_cols, std::max(code_bytes, task.key_bytes));
  auto for_cuts = plan.Memory();
  for_cuts.push_back(staging);
  RequireMemory(cuda, Describe(table), SumOf(for_cuts) > SumOf(for_codes) ? for_cuts : for_codes);
  return MakeColumnCuts(cuda, plan, rows);
}

/// Bins with their own stream, which outlives every training that reads them.
class KeptBins final : public CodesOnDevice {
 public:
  KeptBins(std::unique_ptr<StreamOwner> stream, std::unique_ptr<DeviceBins const> bins)
      : stream_(std::move(stream)), bins_(std::move(bins)) {}

  void CopyTo(BinMatrix* to) const override {
    auto const& cuda = stream_->Context();
    DeviceScope const scope(cuda.device);
    DownloadCodes(cuda, *bins_, to);
  }
  int Device() const { return stream_->Context().device; }
  DeviceBins const& Bins() const { return *bins_; }

 private:
  std::unique_ptr<StreamOwner> stream_;  ///< declared before the bins, which are freed on it
  std::unique_ptr<DeviceBins const> bins_;
};

}  // namespace

bool CanMakeDeviceBins(Context const& ctx, DataMatrix const& data, SketchChoice const& sketch) {
  return sketch == nullptr && !IsDistributed(ctx) && data.Store() == nullptr && data.IsDense() &&
         !HasCategorical(data.Info());
}

MadeBins MakeDeviceBins(CudaContext const& cuda, Context const& ctx, DenseTable const& table,
                        DeviceBinsTask const& task) {
  DeviceRowParts rows(cuda, ctx, table, task.part_bytes, task.host_rows);
  MadeBins made;
  made.features = LookAtColumns(cuda, ctx, table, task, &rows);
  if (HasInfinite(made.features)) return made;
  auto bins = std::make_unique<DeviceBins>(
      task.given == nullptr
          ? LayOutDense(made.features, table.n_rows)
          : LayOutDense(std::make_shared<QuantileCuts const>(WithFirstValuesOf(made.features, *task.given)),
                        WhichMiss(made.features, table.n_rows), table.n_rows));
  if (MayPayToBundle(*bins)) return made;
  cuda.Synchronize();  // for the release of the keys: memory counts as used until the stream has freed it
  RequireMemory(cuda, Describe(table), CodeMemory(*bins));
  Encode(cuda, &rows, bins.get());
  made.bins = std::move(bins);
  return made;
}

CodedRows KeepBins(Context const& ctx, DeviceBatches const& rows, BinRequest const& request) {
  DeviceScope const scope(rows.device);
  auto stream = std::make_unique<StreamOwner>(rows.device);
  auto const& cuda = stream->Context();
  DeviceBinsTask task;
  task.max_bin = request.max_bin;
  task.given = request.given;
  task.weights = request.weights;
  auto made = MakeDeviceBins(cuda, ctx, DenseTable::Of(rows), task);
  if (made.bins == nullptr) return {std::move(made.features), nullptr};
  cuda.Synchronize();  // for the codes, which others read on their own streams
  return {std::move(made.features), std::make_shared<KeptBins const>(std::move(stream), std::move(made.bins))};
}

std::shared_ptr<DeviceBins const> KeptBinsOn(int device, std::shared_ptr<CodesOnDevice const> const& codes) {
  auto const kept = std::dynamic_pointer_cast<KeptBins const>(codes);
  if (kept == nullptr || kept->Device() != device) return nullptr;
  return {kept, &kept->Bins()};
}

}  // namespace kauri::cuda
