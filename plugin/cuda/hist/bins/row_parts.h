/// \file Rows of a matrix in device memory, part by part, for kernels that need no row twice.
///
/// Rows on the device are one part, without a copy, or one part for each of several batches. Rows of the host pass
/// through two page-locked buffers, each with a stream of its own: host threads fill one while the other crosses the
/// bus and is read by kernels. Floor, 10 M rows of 28 floats: 1.12 GB out of pageable memory, into and out of
/// page-locked memory: 22 ms of a bus of 50 GB/s, beside 3.4 GB of host memory, 34 ms at 100 GB/s.
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
  bool IsOfHost() const { return on_device == nullptr && batches == nullptr; }
};

class DeviceRowParts {
 public:
  /// Reads a part, asynchronously on the given stream.
  using Reader = std::function<void(CudaContext const& cuda, RowPart const& part)>;

  /// part_bytes: size of a part of host rows. \throws Error(kDevice) for rows on a device other than the one of `cuda`.
  DeviceRowParts(CudaContext const& cuda, Context const& ctx, DenseTable const& table, std::size_t part_bytes);

  /// Returns the device memory that parts of the table take.
  static std::size_t BytesFor(DenseTable const& table, std::size_t part_bytes);

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
  void Stage(std::int64_t first_col, std::int64_t n_cols, RowPart* part, Staging* staging) const;

  CudaContext cuda_;
  Context const& ctx_;
  DenseTable table_;
  std::size_t part_bytes_;
  RowPart on_device_;                    ///< all rows, if the table is on the device and has no batches
  std::optional<std::uint64_t> digest_;  ///< digest of all batches, after the first pass
  std::vector<std::unique_ptr<Staging>> stagings_;
};

}  // namespace kauri::cuda
