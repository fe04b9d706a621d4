/// \file Rows of a matrix in device memory, part by part, for kernels that need no row twice.
///
/// Rows that are on the device are one part, where they are, or one for each of several batches. Rows of the host come
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
#include "data/bins/codes_on_device.h"
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
  float const* values = nullptr;           ///< [n_rows, n_cols], NaN = missing; where on_device and batches are null
  DeviceBatches const* batches = nullptr;  ///< several, on a device

  /// data: dense, its values kept.
  static DenseTable Of(DataMatrix const& data);
  static DenseTable Of(DeviceStorage const& rows);
  static DenseTable Of(DeviceBatches const& rows);
  bool IsOfHost() const { return on_device == nullptr && batches == nullptr; }
};

class DeviceRowParts {
 public:
  /// What reads a part, asynchronously on the stream that it is given.
  using Reader = std::function<void(CudaContext const& cuda, RowPart const& part)>;

  /// part_bytes: of a part of rows of the host. \throws Error(kDevice) for rows on another device than that of `cuda`.
  DeviceRowParts(CudaContext const& cuda, Context const& ctx, DenseTable const& table, std::size_t part_bytes);

  /// Device memory that parts of the table take.
  static std::size_t BytesFor(DenseTable const& table, std::size_t part_bytes);

  /// All rows, columns [first_col, first_col + n_cols) of them as the part's first. Readers see what the stream of
  /// `cuda` was given before; what it is given after this call sees what they wrote. \throws Error(kData) for batches
  /// that are not those of the call before.
  void ForEach(std::int64_t first_col, std::int64_t n_cols, Reader const& read);

 private:
  /// A part on its way.
  struct Staging {
    explicit Staging(int ordinal) : stream(ordinal) {}
    StreamOwner stream;  ///< before the buffers, which are freed on it
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
  RowPart on_device_;                    ///< all rows; of other tables nothing
  std::optional<std::uint64_t> digest_;  ///< of the rows of all batches, once they came
  std::vector<std::unique_ptr<Staging>> stagings_;
};

}  // namespace kauri::cuda
