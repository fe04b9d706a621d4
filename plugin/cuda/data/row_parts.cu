#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/random/random.h"
#include "common/threads/parallel_for.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/data/row_parts.h"
#include "data/bins/row_digest.h"

namespace kauri::cuda {
namespace {

/// Enough to fill a device, and few enough for one atomic per warp.
constexpr unsigned kMostBlocks = 2048;

/// The digest of a row sums the bits of its present values, each times a number of its column. It is then mixed with
/// the row's place.
__global__ void __launch_bounds__(kBlockThreads)
    DigestKernel(RowPart part, std::int64_t n_cols, unsigned long long* sum) {
  auto const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  std::uint64_t own = 0;
  for (auto row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; row < part.n_rows;
       row += stride) {
    std::uint64_t of_row = 0;
    for (std::int64_t col = 0; col < n_cols; ++col) {
      float const value = part.values[row * part.row_stride + col * part.col_stride];
      std::uint64_t const factor = static_cast<std::uint32_t>(MixBits(static_cast<std::uint64_t>(col))) | 1U;
      if (value == value) of_row += __float_as_uint(value) * factor + factor;
    }
    own += RandomBits(of_row, static_cast<std::uint64_t>(part.first_row + row));
  }
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(0xFFFFFFFFU, own, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, static_cast<unsigned long long>(own));
}

/// Adds the rows of the part, of n_cols columns, at their places, to a digest that detects whether two passes over
/// batches saw the same rows; like data/bins/row_digest.h, for rows in device memory. sum (in, out): device.
/// Asynchronous. Reads each element once.
void AddDigest(CudaContext const& cuda, RowPart const& part, std::int64_t n_cols, std::uint64_t* sum) {
  static_assert(sizeof(std::uint64_t) == sizeof(unsigned long long), "the sum is one of CUDA's atomics");
  Launch(cuda, std::min(GridFor(part.n_rows, kBlockThreads), kMostBlocks), kBlockThreads, DigestKernel, part, n_cols,
         reinterpret_cast<unsigned long long*>(sum));
}

constexpr std::size_t kStagings = 3;
/// Size of a part of a list of values.
constexpr std::size_t kUploadBytes = std::size_t{8} << 20U;
/// Fewer values are copied sooner than buffers and streams are made.
constexpr std::size_t kFewUploaded = std::size_t{1} << 18U;
/// Largest page-locked buffer that stays when a pass has ended, in floats.
constexpr std::size_t kMostIdle = std::size_t{4} << 20U;
/// Rows of the host stay on the device if they take at most this share of its free memory: nothing else gets tight.
constexpr std::size_t kShareThatStays = 8;
/// Number of floats that a host thread copies at a time.
constexpr std::int64_t kFloatsPerBlock = 1 << 15;

/// Returns the buffers of passes that have ended: as many as one pass uses, 48 MiB at most, for each device.
IdlePinned<float>& IdlePageLocked() {
  static auto* const idle = new IdlePinned<float>(kStagings, kMostIdle);
  return *idle;
}

std::int64_t RowsThatFit(std::int64_t n_cols, std::size_t part_bytes) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(part_bytes / sizeof(float)) / n_cols);
}

}  // namespace

DenseTable DenseTable::Of(DataMatrix const& data) {
  if (auto const* const rows = data.OnDevice()) return Of(*rows);
  return {data.NumRows(), data.NumCols(), nullptr, data.Dense().values.data()};
}

DenseTable DenseTable::Of(DeviceStorage const& rows) {
  return {rows.Layout().n_rows, rows.Layout().n_cols, &rows, nullptr};
}

DenseTable DenseTable::Of(DeviceBatches const& rows) {
  if (rows.only != nullptr) return Of(*rows.only);
  if (rows.host_rows != nullptr) return {rows.n_rows, rows.n_cols, nullptr, rows.host_rows};
  return {rows.n_rows, rows.n_cols, nullptr, nullptr, &rows};
}

std::size_t DenseTable::NumBytes() const { return sizeof(float) * static_cast<std::size_t>(n_rows * n_cols); }

DeviceRowParts::DeviceRowParts(CudaContext const& cuda, Context const& ctx, DenseTable const& table,
                               std::size_t part_bytes, HostRows host_rows)
    : cuda_(cuda), ctx_(ctx), table_(table), part_bytes_(part_bytes) {
  if (table.on_device != nullptr) {
    auto const& layout = LayoutOn(cuda, *table.on_device);
    on_device_ = {0, layout.n_rows, layout.values, layout.row_stride, layout.col_stride};
    return;
  }
  if (!table.IsOfHost()) return;
  stays_ = host_rows == HostRows::kStay ||
           (host_rows == HostRows::kStayIfThereIsRoom && table.NumBytes() <= FreeBytes(cuda) / kShareThatStays);
  for (std::size_t i = 0; i < kStagings; ++i) {
    stagings_.push_back(std::make_unique<Staging>(cuda.device));
    stagings_.back()->page_locked = IdlePageLocked().Take();
  }
}

DeviceRowParts::~DeviceRowParts() {
  for (auto const& staging : stagings_) {
    cudaStreamSynchronize(staging->stream.Context().stream);  // for copies out of the buffer
    IdlePageLocked().GiveBack(std::move(staging->page_locked));
  }
}

std::size_t DeviceRowParts::BytesFor(DenseTable const& table, std::size_t part_bytes) {
  if (!table.IsOfHost()) return 0;
  auto const row_bytes = sizeof(float) * static_cast<std::size_t>(table.n_cols);
  return kStagings * std::min(std::max(part_bytes, row_bytes), row_bytes * static_cast<std::size_t>(table.n_rows));
}

void DeviceRowParts::ForEach(std::int64_t first_col, std::int64_t n_cols, Reader const& read) {
  if (n_cols == 0 || table_.n_rows == 0) return;
  if (table_.IsOfHost() && on_device_.values == nullptr) return ForEachOfHost(first_col, n_cols, read);
  if (table_.batches != nullptr) return ForEachBatch(first_col, read);
  auto part = on_device_;
  part.values += first_col * part.col_stride;
  read(cuda_, part);
}

void DeviceRowParts::ForEachBatch(std::int64_t first_col, Reader const& read) {
  Buffer<std::uint64_t> const sum(cuda_, 1);
  FillZero(cuda_, sum.data(), 1);
  std::int64_t first_row = 0;
  table_.batches->for_each([&](DeviceStorage const& rows) {
    auto const& layout = LayoutOn(cuda_, rows);
    if (layout.n_cols != table_.n_cols || layout.n_rows > table_.n_rows - first_row) FailOtherRows();
    RowPart part{first_row, layout.n_rows, layout.values, layout.row_stride, layout.col_stride};
    AddDigest(cuda_, part, table_.n_cols, sum.data());
    part.values += first_col * part.col_stride;
    if (part.n_rows > 0) read(cuda_, part);
    first_row += part.n_rows;
    cuda_.Synchronize();  // for the rows, which the caller may free
  });
  auto const digest = ToHost(cuda_, sum.data(), 1)[0];
  if (first_row != table_.n_rows || digest_.value_or(digest) != digest) FailOtherRows();
  digest_ = digest;
}

void DeviceRowParts::ForEachOfHost(std::int64_t first_col, std::int64_t n_cols, Reader const& read) {
  auto const all_cols = table_.n_cols;
  if (stays_) kept_ = Buffer<float>(cuda_, static_cast<std::size_t>(table_.n_rows * all_cols));
  for (auto const& staging : stagings_) WaitFor(staging->stream.Context(), cuda_.stream);
  auto const rows_per_part = RowsThatFit(stays_ ? all_cols : n_cols, part_bytes_);
  std::size_t next = 0;
  try {
    for (std::int64_t row = 0; row < table_.n_rows; row += rows_per_part) {
      RowPart part;
      part.first_row = row;
      part.n_rows = std::min(rows_per_part, table_.n_rows - row);
      auto* const staging = stagings_[next].get();
      if (stays_) {
        Stage(0, all_cols, &part, staging, kept_.data() + row * all_cols);
        part.values += first_col;
      } else {
        Stage(first_col, n_cols, &part, staging, nullptr);
      }
      read(staging->stream.Context(), part);
      next = (next + 1) % kStagings;
    }
  } catch (...) {  // nothing may still be writing when the reader's buffers are freed
    for (auto const& staging : stagings_) cudaStreamSynchronize(staging->stream.Context().stream);
    throw;
  }
  for (auto const& staging : stagings_) WaitFor(cuda_, staging->stream.Context().stream);
  if (stays_) on_device_ = {0, table_.n_rows, kept_.data(), all_cols, 1};
}

void DeviceRowParts::Stage(std::int64_t first_col, std::int64_t n_cols, RowPart* part, Staging* staging,
                           float* to) const {
  auto const& cuda = staging->stream.Context();
  auto const size = static_cast<std::size_t>(part->n_rows * n_cols);
  cuda.Synchronize();  // for the last part that used these buffers
  staging->page_locked.Reserve(size);
  if (to == nullptr) {
    staging->values.Reserve(cuda, size);
    to = staging->values.data();
  }
  auto const all_cols = table_.n_cols;
  auto const* const from = table_.values + part->first_row * all_cols + first_col;
  auto* const staged = staging->page_locked.data();
  auto const block = std::max<std::int64_t>(1, kFloatsPerBlock / n_cols);
  ParallelForBlocks(ctx_, part->n_rows, block, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    if (n_cols == all_cols) {
      std::copy(from + begin * n_cols, from + end * n_cols, staged + begin * n_cols);
      return;
    }
    for (auto row = begin; row < end; ++row) std::copy_n(from + row * all_cols, n_cols, staged + row * n_cols);
  });
  CopyToDevice(cuda, staged, size, to);
  part->values = to;
  part->row_stride = n_cols;
}

Buffer<float> UploadRows(CudaContext const& cuda, Context const& ctx, std::vector<float> const& values) {
  if (values.size() < kFewUploaded) return ToDevice(cuda, values);
  Buffer<float> uploaded(cuda, values.size());
  DenseTable const table{static_cast<std::int64_t>(values.size()), 1, nullptr, values.data()};
  DeviceRowParts rows(cuda, ctx, table, kUploadBytes);
  rows.ForEach(0, 1, [&](CudaContext const& stream, RowPart const& part) {
    CopyOnDevice(stream, part.values, static_cast<std::size_t>(part.n_rows), uploaded.data() + part.first_row);
  });
  return uploaded;
}

}  // namespace kauri::cuda
