/// Floor, 10 M rows on an H200: 160 MB at 4 TB/s, 0.04 ms.
#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "common/text/log.h"
#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/approx/ordered_cuts.h"
#include "cuda/hist/approx/tree_bins.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "cuda/hist/bins/write_codes.h"
#include "data/derived_data.h"
#include "data/sketch/weighted_keys.h"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;
/// Enough to fill a device, and few enough for three atomics per warp.
constexpr unsigned kMostBlocks = 1056;

__global__ void __launch_bounds__(kBlockThreads)
    WeightsKernel(Span<FixedPair const> pairs, float* weights, SeenWeights* bounds) {
  SeenWeights seen{};
  std::size_t const step = static_cast<std::size_t>(gridDim.x) * kBlockThreads;
  for (auto row = static_cast<std::size_t>(blockIdx.x) * kBlockThreads + threadIdx.x; row < pairs.size(); row += step) {
    auto const weight = static_cast<float>(pairs[row].hessian);
    auto const key = ToKey(weight);
    seen.largest = max(seen.largest, key);
    seen.largest_complement = max(seen.largest_complement, ~key);
    if (weight != weights[row]) seen.have_changed = 1;
    weights[row] = weight;
  }
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    seen.largest = max(seen.largest, __shfl_xor_sync(kAllLanes, seen.largest, distance));
    seen.largest_complement =
        max(seen.largest_complement, __shfl_xor_sync(kAllLanes, seen.largest_complement, distance));
    seen.have_changed = max(seen.have_changed, __shfl_xor_sync(kAllLanes, seen.have_changed, distance));
  }
  if (threadIdx.x % kLanes != 0) return;
  atomicMax(&bounds->largest, seen.largest);
  atomicMax(&bounds->largest_complement, seen.largest_complement);
  if (seen.have_changed != 0) atomicMax(&bounds->have_changed, 1U);
}

/// Returns the maximum bytes of the codes, whatever the bin edges: words, with columns rounded up to groups.
std::size_t MostCodeBytes(std::int64_t n_rows, std::int64_t n_cols) {
  constexpr std::size_t kGroup = 32;
  return sizeof(std::uint16_t) * ToSize(n_rows) * ((ToSize(n_cols) + kGroup - 1) / kGroup * kGroup);
}

std::size_t SumOf(std::vector<MemoryPart> const& parts) {
  std::size_t sum = 0;
  for (auto const& part : parts) sum += part.bytes;
  return sum;
}

/// Returns one range of columns for each of n_devices; the last ones are empty if there are too few columns.
std::vector<ShardRange> CutColumns(std::int64_t n_cols, std::size_t n_devices) {
  auto cols = CutRows(n_cols, n_devices, 1);
  cols.resize(n_devices, {n_cols, 0});
  return cols;
}

}  // namespace

void TreeWeights::Update(CudaContext const& cuda, Span<FixedPair const> pairs) {
  if (weights_.size() != pairs.size()) {
    weights_ = Buffer<float>(cuda, pairs.size());
    FillZero(cuda, weights_.data(), weights_.size());
  }
  on_device_.Reserve(cuda, 1);
  FillZero(cuda, on_device_.data(), 1);
  auto const n_blocks = std::min(GridFor(static_cast<std::int64_t>(pairs.size()), kBlockThreads), kMostBlocks);
  Launch(cuda, n_blocks, kBlockThreads, WeightsKernel, pairs, weights_.data(), on_device_.data());
  bounds_ = ToHost(cuda, on_device_.data(), 1)[0];
}

float TreeWeights::Largest() const { return std::max(0.0F, FromKey(bounds_.largest)); }

TreeBins::~TreeBins() {
  if (matrix_ != nullptr) cudaStreamSynchronize(reader_);  // for kernels that read what is kept with the matrix
}

bool TreeBins::Update(CudaContext const& cuda, DataMatrix const& data, Span<FixedPair const> pairs) {
  weights_.Update(cuda, pairs);
  return weights_.HaveChanged() || categorical_ != CategoricalColumns(data.Info());
}

std::unique_ptr<DeviceBins const> TreeBins::Make(CudaContext const& cuda, Context const& ctx, DataMatrix const& data) {
  categorical_ = CategoricalColumns(data.Info());
  other_rows_.clear();
  if (!CanMakeDeviceBins(ctx, data, options_.sketch)) {
    SayOnce("bins of sparse rows, categories and other sketches are made in host memory: hessians are copied there");
    return MakeOnHost(cuda, ctx, data, FetchWeights(cuda));
  }
  if (KeepsOrder(cuda, ctx, data)) return MakeInOrder(cuda, data);
  SayOnce("there is no room to keep the order of the values: columns are sorted for every tree, hessians copied");
  DeviceBinsTask task;
  task.max_bin = options_.max_bin;
  auto weights = FetchWeights(cuda);
  task.weights = weights;
  auto bins = MakeDeviceBins(cuda, ctx, DenseTable::Of(data), task).bins;
  return bins != nullptr ? std::move(bins) : MakeOnHost(cuda, ctx, data, std::move(weights));
}

bool TreeBins::KeepsOrder(CudaContext const& cuda, Context const& ctx, DataMatrix const& data) {
  if (order_ != Order::kNotTried) return order_ == Order::kKept;
  auto const n_devices = std::max<std::size_t>(1, ctx.device.ordinals.size());
  auto const is_kept = Keep(cuda, ctx, data, CutRows(data.NumRows(), n_devices, fewest_rows_)) ||
                       (n_devices > 1 && Keep(cuda, ctx, data, {{0, data.NumRows()}}));
  order_ = is_kept ? Order::kKept : Order::kNoRoom;
  return is_kept;
}

template <typename T>
std::shared_ptr<Kept<T> const> TreeBins::PlaceOf(DataMatrix const& data, ShardRange rows, ShardRange cols,
                                                 int device) const {
  if (options_.budget.IsLimited()) return std::make_shared<Kept<T> const>(device);
  auto const text = [](ShardRange range) { return std::to_string(range.first) + "+" + std::to_string(range.count); };
  auto const kind = std::is_same_v<T, OrderedMatrix> ? "cuda ordered matrix " : "cuda ordered share ";
  // The device is a part of the kind, of which only a few are kept.
  return KeptWith<T>(data, {kind + std::to_string(device), "rows=" + text(rows) + ",columns=" + text(cols)}, device);
}

bool TreeBins::Keep(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                    std::vector<ShardRange> const& rows) {
  auto const cols = CutColumns(data.NumCols(), rows.size());
  auto const place = PlaceOf<OrderedMatrix>(data, rows[0], cols[0], cuda.device);
  Shares others;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    auto const device = ctx.device.ordinals[i];
    others.push_back(
        std::make_unique<ColumnShare>(device, cuda.device, PlaceOf<OrderedShare>(data, rows[i], cols[i], device)));
  }
  matrix_ = place->Hold();
  if (!HaveRoom(cuda, data, rows, cols, others)) {
    matrix_.reset();
    return false;
  }
  reader_ = cuda.stream;
  matrix_ = place->Get([&](CudaContext const& own) {
    auto matrix = std::make_unique<OrderedMatrix>();
    matrix->rows = MatrixRows(own, ctx, data);
    matrix->columns = KeysInRowOrder(own, matrix->rows.All(own, data), cols[0]);
    SortColumns(own, &matrix->columns);
    return matrix;
  });
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i]->Take({cuda, matrix_->rows.All(cuda, data), data.NumCols()}, rows[i + 1], cols[i + 1]);
  }
  others_ = std::move(others);
  n_own_ = rows[0].count;
  return true;
}

bool TreeBins::HaveRoom(CudaContext const& cuda, DataMatrix const& data, std::vector<ShardRange> const& rows,
                        std::vector<ShardRange> const& cols, Shares const& others) const {
  auto const n_rows = data.NumRows();
  auto const n_cols = data.NumCols();
  auto const max_bin = static_cast<std::uint32_t>(options_.max_bin);
  auto needed = MostCodeBytes(n_rows, n_cols) + OrderedCutBytes(n_rows, cols[0].count, max_bin);
  if (matrix_ == nullptr) needed += SumOf(MatrixRows::Memory(data)) + SumOf(OrderedMemory(n_rows, cols[0].count));
  std::size_t on_main = 0;  // for one share after the other
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i]->IsThere()) continue;
    on_main = std::max(on_main, ColumnShare::BytesOnMain(n_rows, n_cols, rows[i + 1], cols[i + 1]));
  }
  needed += on_main;
  if (needed > most_bytes_ || needed > MakeRoom(cuda, needed)) return false;
  for (std::size_t i = 0; i < others.size(); ++i) {
    DeviceScope const scope(others[i]->Cuda().device);
    auto there = MostCodeBytes(rows[i + 1].count, n_cols) + OrderedCutBytes(n_rows, cols[i + 1].count, max_bin);
    there += sizeof(float) * ToSize(n_rows);  // weights
    if (!others[i]->IsThere()) there += ColumnShare::NumBytes(n_rows, n_cols, rows[i + 1], cols[i + 1]);
    if (there > most_bytes_ || there > MakeRoom(others[i]->Cuda(), there)) return false;
  }
  return true;
}

std::unique_ptr<DeviceBins const> TreeBins::MakeInOrder(CudaContext const& cuda, DataMatrix const& data) {
  OrderedCutTask task;
  task.weights = weights_.Values();
  task.largest = weights_.Largest();
  task.max_bin = static_cast<std::uint32_t>(options_.max_bin);
  cutter_.Begin(cuda, matrix_->columns, task);
  for (auto const& other : others_) other->BeginCuts(task, cuda.device);
  std::vector<FeatureCuts> features;
  cutter_.Collect(cuda, &features);
  for (auto const& other : others_) other->CollectCuts(&features);
  auto bins = std::make_unique<DeviceBins>(LayOutDense(features, data.NumRows()));
  AllocateDense(cuda, bins.get());
  WriteCodes(cuda, FirstRows(matrix_->rows.All(cuda, data), n_own_), *bins);
  for (auto const& other : others_) other_rows_.push_back(other->Rows());
  return bins;
}

std::vector<float> TreeBins::FetchWeights(CudaContext const& cuda) const {
  return ToHost(cuda, weights_.Values().data(), weights_.Values().size());
}

std::unique_ptr<DeviceBins const> TreeBins::MakeOnHost(CudaContext const& cuda, Context const& ctx,
                                                       DataMatrix const& data, std::vector<float> weights) const {
  auto const key = BinsKey(data.Info(), options_, std::move(weights));
  auto const may_return = weights_.AreAlike();  // as on the CPU, the next training may need them again
  return UploadBins(cuda, may_return ? DeriveBins(ctx, data, key, options_) : MakeBins(ctx, data, key, options_));
}

void TreeBins::SayOnce(char const* line) {
  if (!std::exchange(has_said_, true)) Log(LogLevel::kWarning, "tree_method=approx on a device: ", line);
}

}  // namespace kauri::cuda
