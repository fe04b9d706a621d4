/// \file Rows of a matrix in device memory, part by part, for kernels that need no row twice.
///
/// Rows on the device are one part, without a copy, or one part for each of several batches. Rows of the host pass
/// through page-locked buffers, each with a stream of its own: host threads fill one while the others cross the bus and
/// are read by kernels. If the device has plenty of room, the rows stay there after the first pass (HostRows::kStay).
/// Floor of a pass, 10 M rows of 28 floats: 1.12 GB out of pageable memory, into and out of page-locked memory: 22 ms
/// of a bus of 50 GB/s, beside 3.4 GB of host memory, 34 ms at 100 GB/s.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "data/bins/bin_store.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Rows [first_row, first_row + n_rows) in device memory; not owning.
struct RowPart {
  std::int64_t first_row = 0;
  std::int64_t n_rows = 0;
  float const* values = nullptr;  ///< element (row, col) at row * row_stride + col * col_stride; NaN = missing
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 1;
};

/// Dense rows in host memory or on a device; not owning.
struct DenseTable {
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  DeviceStorage const* on_device = nullptr;
  float const* values = nullptr;           ///< [n_rows, n_cols], NaN = missing; used if on_device and batches are null
  DeviceBatches const* batches = nullptr;  ///< several batches, on a device

  /// data: dense, its values kept.
  static DenseTable Of(DataMatrix const& data);
  static DenseTable Of(DeviceStorage const& rows);
  static DenseTable Of(DeviceBatches const& rows);
  std::size_t NumBytes() const;
  bool IsOfHost() const { return on_device == nullptr && batches == nullptr; }
};

/// Fate of host rows after a pass over them.
enum class HostRows {
  kPass,              ///< each pass copies them again
  kStay,              ///< they stay until the object is destroyed
  kStayIfThereIsRoom  ///< they stay if they take a small share of the free memory
};

class DeviceRowParts {
 public:
  /// Reads a part, asynchronously on the given stream.
  using Reader = std::function<void(CudaContext const& cuda, RowPart const& part)>;

  /// part_bytes: size of a part of host rows. \throws Error(kDevice) for rows on a device other than the one of `cuda`.
  DeviceRowParts(CudaContext const& cuda, Context const& ctx, DenseTable const& table, std::size_t part_bytes,
                 HostRows host_rows = HostRows::kPass);
  ~DeviceRowParts();
  DeviceRowParts(DeviceRowParts const&) = delete;
  DeviceRowParts& operator=(DeviceRowParts const&) = delete;

  /// Returns the device memory that parts of the table take when they pass.
  static std::size_t BytesFor(DenseTable const& table, std::size_t part_bytes);
  /// Returns the device memory that the rows take.
  std::size_t NumBytes() const { return stays_ ? table_.NumBytes() : BytesFor(table_, part_bytes_); }

  /// Calls `read` for parts of all rows, in which columns [first_col, first_col + n_cols) come first. Readers see the
  /// effects of work queued on the stream of `cuda` before; work queued after this call sees the readers' writes.
  /// \throws Error(kData) if batches differ from the previous call's.
  void ForEach(std::int64_t first_col, std::int64_t n_cols, Reader const& read);

 private:
  /// Buffers of a part that is being transferred.
  struct Staging {
    explicit Staging(int ordinal) : stream(ordinal) {}
    StreamOwner stream;  ///< declared before the buffers, which are freed on it
    PinnedBuffer<float> page_locked;
    Buffer<float> values;
  };

  void ForEachOfHost(std::int64_t first_col, std::int64_t n_cols, Reader const& read);
  void ForEachBatch(std::int64_t first_col, Reader const& read);
  /// Copies the columns of a part to the device, and sets where they are. to: their place, or null for `staging`.
  void Stage(std::int64_t first_col, std::int64_t n_cols, RowPart* part, Staging* staging, float* to) const;

  CudaContext cuda_;
  Context const& ctx_;
  DenseTable table_;
  std::size_t part_bytes_;
  bool stays_ = false;                   ///< host rows stay on the device
  Buffer<float> kept_;                   ///< [n_rows, n_cols], host rows that stay, once they were read
  RowPart on_device_;                    ///< all rows, if they are on the device and not in batches
  std::optional<std::uint64_t> digest_;  ///< digest of all batches, after the first pass
  std::vector<std::unique_ptr<Staging>> stagings_;
};

/// Copies a long list of values to the device through page-locked buffers that all threads fill, 40 MB in 2 ms; a plain
/// copy of pageable memory takes 7. Uses of the list are ordered after it on the stream of `cuda`.
Buffer<float> UploadRows(CudaContext const& cuda, Context const& ctx, std::vector<float> const& values);

}  // namespace kauri::cuda
