#include "cuda/hist/bins/make_device_bins.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/bins/column_cuts.h"
#include "cuda/hist/bins/row_parts.h"
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

std::string Describe(DataMatrix const& data) {
  return "the bins of " + std::to_string(data.NumRows()) + " rows and " + std::to_string(data.NumCols()) + " columns";
}

/// Of all codes as max_bin lets one expect them; where a column with missing values has max_bin others besides, codes
/// of 256 bins take words.
std::size_t ExpectedCodeBytes(DataMatrix const& data, int max_bin) {
  constexpr int kMostByteBins = 256;
  constexpr std::size_t kWidth = 32;
  auto const n_rows = static_cast<std::size_t>(data.NumRows());
  auto const n_cols = static_cast<std::size_t>(data.NumCols());
  if (max_bin > kMostByteBins) return n_rows * n_cols * sizeof(std::uint16_t);
  return n_rows * ((n_cols + kWidth - 1) / kWidth * kWidth);
}

/// Bundles join columns that mostly have one code, of which there are few in each.
bool MayPayToBundle(DeviceBins const& bins) {
  constexpr std::int64_t kManyColumns = 32;
  constexpr std::int64_t kFewCodes = 4;
  return bins.NumCols() >= kManyColumns && bins.n_cells <= kFewCodes * bins.NumCols();
}

/// The codes' room, once their layout is known.
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

}  // namespace

bool CanMakeDeviceBins(Context const& ctx, DataMatrix const& data, SketchKind sketch) {
  return sketch == SketchKind::kExact && !IsDistributed(ctx) && data.Store() == nullptr && data.IsDense() &&
         !HasCategorical(data.Info());
}

std::unique_ptr<DeviceBins> MakeDeviceBins(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                           DeviceBinsTask const& task) {
  auto const cut_task = MakeCutTask(ctx, data.NumRows(), task.max_bin, task.weights);
  auto const code_bytes = ExpectedCodeBytes(data, task.max_bin);
  auto const plan = PlanCuts(cut_task, task.weights, data.NumCols(), std::max(code_bytes, task.key_bytes));
  MemoryPart const staging{"rows on their way", DeviceRowParts::BytesFor(data, task.part_bytes)};
  auto for_cuts = plan.Memory();
  for_cuts.push_back(staging);
  MemoryParts const for_codes{{"codes", code_bytes}, staging};
  RequireMemory(cuda, Describe(data), SumOf(for_cuts) > SumOf(for_codes) ? for_cuts : for_codes);

  DeviceRowParts rows(cuda, ctx, data, task.part_bytes);
  auto const features = MakeColumnCuts(cuda, plan, &rows);
  auto bins = std::make_unique<DeviceBins>(LayOutDense(features, data.NumRows()));
  if (MayPayToBundle(*bins)) return nullptr;
  cuda.Synchronize();  // for the keys' end: memory counts as used until the stream has freed it
  RequireMemory(cuda, Describe(data), CodeMemory(*bins));
  Encode(cuda, &rows, bins.get());
  return bins;
}

}  // namespace kauri::cuda
