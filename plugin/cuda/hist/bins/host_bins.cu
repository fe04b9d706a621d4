/// Codes of host rows are copied unchanged to a slab of device memory, and from there to their groups. Downloads go the
/// opposite way. Bytes per row and 32 columns: 32 over the bus, 64 on the device.
#include <algorithm>
#include <utility>

#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/bins/device_bins.h"

namespace kauri::cuda {
namespace {

constexpr std::int64_t kSlabCodes = std::int64_t{1} << 26U;

/// Task of copying codes between arrays of rows with different strides.
template <typename Code>
struct Regrouping {
  Code const* from;  ///< [n_rows, from_stride], device
  std::int64_t from_stride;
  Code* to;  ///< [n_rows, to_stride]
  std::int64_t to_stride;
  std::int64_t n_rows;
  std::int64_t n_columns;  ///< columns to copy
  std::int64_t n_written;  ///< codes to write per row; zeros follow the n_columns
};

template <typename Code>
__global__ void RegroupKernel(Regrouping<Code> task) {
  auto const index = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  auto const row = index / task.n_written;
  auto const column = index % task.n_written;
  if (row >= task.n_rows) return;
  task.to[row * task.to_stride + column] =
      column < task.n_columns ? task.from[row * task.from_stride + column] : Code{0};
}

template <typename Code>
void Regroup(CudaContext const& cuda, Regrouping<Code> const& task) {
  Launch(cuda, GridFor(task.n_rows * task.n_written, kBlockThreads), kBlockThreads, RegroupKernel<Code>, task);
}

/// Calls place(slab, first_row, n_rows) with slabs of rows in device memory.
template <typename Code, typename Place>
void ForEachSlab(CudaContext const& cuda, BinCodes<Code> const& codes, std::int64_t n_rows, Place&& place) {
  auto const rows_of_slab = std::max<std::int64_t>(1, kSlabCodes / codes.row_stride);
  Buffer<Code> slab(cuda, ToSize(std::min(rows_of_slab, n_rows) * codes.row_stride));
  for (std::int64_t first = 0; first < n_rows; first += rows_of_slab) {
    auto const n = std::min(rows_of_slab, n_rows - first);
    CopyToDevice(cuda, codes.rows.data() + first * codes.row_stride, ToSize(n * codes.row_stride), slab.data());
    place(slab.data(), first, n);
  }
}

void UploadBytes(CudaContext const& cuda, BinCodes<std::uint8_t> const& codes, CodePlace place, DeviceBins* bins) {
  bins->bytes = {cuda, bins->NumCodeBytes(), place};
  ForEachSlab(cuda, codes, bins->n_rows, [&](std::uint8_t const* slab, std::int64_t first, std::int64_t n) {
    for (auto const& group : bins->groups) {
      auto* const to = bins->bytes.data() + group.offset + first * group.width;
      Regroup<std::uint8_t>(
          cuda, {slab + group.first_column, codes.row_stride, to, group.width, n, group.n_columns, group.width});
    }
  });
}

void UploadWords(CudaContext const& cuda, BinCodes<std::uint16_t> const& codes, CodePlace place, DeviceBins* bins) {
  auto const n_columns = static_cast<std::int64_t>(bins->columns.size());
  bins->words = {cuda, ToSize(bins->n_rows * n_columns), place};
  ForEachSlab(cuda, codes, bins->n_rows, [&](std::uint16_t const* slab, std::int64_t first, std::int64_t n) {
    auto* const to = bins->words.data() + first * n_columns;
    Regroup<std::uint16_t>(cuda, {slab, codes.row_stride, to, n_columns, n, n_columns, n_columns});
  });
}

/// Calls fill(slab, first_row, n_rows) and copies the rows that it wrote to the slab, which is zero before, to the
/// host.
template <typename Code, typename Fill>
void FetchSlabs(CudaContext const& cuda, std::int64_t n_rows, std::int64_t row_stride, Code* to, Fill&& fill) {
  auto const rows_of_slab = std::max<std::int64_t>(1, kSlabCodes / row_stride);
  Buffer<Code> slab(cuda, ToSize(std::min(rows_of_slab, n_rows) * row_stride));
  FillZero(cuda, slab.data(), slab.size());  // for the bytes beyond the columns
  for (std::int64_t first = 0; first < n_rows; first += rows_of_slab) {
    auto const n = std::min(rows_of_slab, n_rows - first);
    fill(slab.data(), first, n);
    CopyToHost(cuda, slab.data(), ToSize(n * row_stride), to + first * row_stride);
  }
  cuda.Synchronize();  // for the codes
}

void DownloadBytes(CudaContext const& cuda, DeviceBins const& bins, std::int64_t row_stride, std::uint8_t* to) {
  FetchSlabs(cuda, bins.n_rows, row_stride, to, [&](std::uint8_t* slab, std::int64_t first, std::int64_t n) {
    for (auto const& group : bins.groups) {
      auto const* const from = bins.bytes.data() + group.offset + first * group.width;
      Regroup<std::uint8_t>(
          cuda, {from, group.width, slab + group.first_column, row_stride, n, group.n_columns, group.n_columns});
    }
  });
}

void DownloadWords(CudaContext const& cuda, DeviceBins const& bins, std::int64_t row_stride, std::uint16_t* to) {
  auto const n_columns = bins.NumCols();
  FetchSlabs(cuda, bins.n_rows, row_stride, to, [&](std::uint16_t* slab, std::int64_t first, std::int64_t n) {
    Regroup<std::uint16_t>(
        cuda, {bins.words.data() + first * n_columns, n_columns, slab, row_stride, n, n_columns, n_columns});
  });
}

std::size_t BytesOfSlab(DeviceBins const& bins) {
  if (bins.form == CodeForm::kCells) return 0;
  auto const width = bins.form == CodeForm::kBytes ? 1 : 2;
  return ToSize(width * std::min(kSlabCodes, bins.n_rows * static_cast<std::int64_t>(bins.columns.size() + 8)));
}

}  // namespace

std::size_t BytesOfCodes(BinMatrix const& from, DeviceBins const& bins) {
  if (bins.form == CodeForm::kBytes) return bins.NumCodeBytes();
  if (bins.form == CodeForm::kWords) return 2 * ToSize(bins.n_rows) * bins.columns.size();
  return 4 * from.Entries().cells.size() + 8 * from.Entries().row_ptr.size();
}

std::unique_ptr<DeviceBins> UploadBins(CudaContext const& cuda, std::shared_ptr<BinMatrix const> const& from,
                                       CodePlace place) {
  auto bins = std::make_unique<DeviceBins>(LayOut(from));
  RequireMemory(cuda, "the bins of " + std::to_string(bins->n_rows) + " rows",
                {{"codes", place == CodePlace::kHost ? 0 : BytesOfCodes(*from, *bins)},
                 {"codes on their way", BytesOfSlab(*bins)}});
  UploadLayout(cuda, bins.get());
  if (bins->form == CodeForm::kBytes) {
    UploadBytes(cuda, from->HasBundles() ? from->Bundled().codes : from->Bytes(), place, bins.get());
  } else if (bins->form == CodeForm::kWords) {
    UploadWords(cuda, from->Words(), place, bins.get());
  } else {
    auto const& entries = from->Entries();
    bins->row_ptr = ToDevice(cuda, entries.row_ptr);
    bins->cells = {cuda, entries.cells.size(), place};
    if (place == CodePlace::kDevice) {
      CopyToDevice(cuda, entries.cells.data(), entries.cells.size(), bins->cells.data());
    } else {
      std::copy(entries.cells.begin(), entries.cells.end(), bins->cells.data());
    }
  }
  if (place == CodePlace::kHost) cuda.Synchronize();  // for the codes, which the host may copy elsewhere
  return bins;
}

void DownloadCodes(CudaContext const& cuda, DeviceBins const& bins, BinMatrix* to) {
  if (bins.n_rows == 0 || bins.NumCols() == 0) return;
  auto* const codes = to->MutableCodes().data();
  if (bins.form == CodeForm::kBytes) {
    DownloadBytes(cuda, bins, to->Bytes().row_stride, reinterpret_cast<std::uint8_t*>(codes));
  } else {
    DownloadWords(cuda, bins, to->Words().row_stride, reinterpret_cast<std::uint16_t*>(codes));
  }
}

}  // namespace kauri::cuda
