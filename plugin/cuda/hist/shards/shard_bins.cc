#include "cuda/hist/shards/shard_bins.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "common/text/log.h"
#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/bins/write_codes.h"

namespace kauri::cuda {
namespace {

/// Returns a host-side copy of the layout for n_rows rows.
DeviceBins LayoutOf(DeviceBins const& from, std::int64_t n_rows) {
  DeviceBins bins;
  bins.n_rows = n_rows;
  bins.cuts = from.cuts;
  bins.form = from.form;
  bins.n_cells = from.n_cells;
  bins.n_sums = from.n_sums;
  bins.features = from.features;
  bins.columns = from.columns;
  bins.groups = from.groups;
  PlaceGroupsInBytes(&bins);
  return bins;
}

class BinsCopy {
 public:
  BinsCopy(CudaContext const& cuda, int device, DeviceBins const& from, ShardRange rows)
      : cuda_(cuda), device_(device), from_(from), rows_(rows), bins_(LayoutOf(from, rows.count)) {}

  DeviceBins Make() {
    if (from_.form == CodeForm::kCells) {
      ReadRowPtr();
    } else {
      Require("codes", from_.form == CodeForm::kBytes ? bins_.NumCodeBytes() : 2 * NumWords(rows_.count));
    }
    UploadLayout(cuda_, &bins_);
    if (from_.form == CodeForm::kBytes) CopyGroups();
    if (from_.form == CodeForm::kWords) CopyWords();
    if (from_.form == CodeForm::kCells) CopyCells();
    cuda_.Synchronize();  // for the codes, and for the layout, whose sources are destroyed
    return std::move(bins_);
  }

 private:
  void Require(char const* name, std::size_t bytes) const {
    RequireMemory(cuda_, "a share of " + std::to_string(rows_.count) + " rows", {{name, bytes}});
  }

  std::size_t NumWords(std::int64_t n_rows) const { return ToSize(n_rows) * from_.columns.size(); }

  void CopyGroups() {
    bins_.bytes = {cuda_, bins_.NumCodeBytes(), CodePlace::kDevice};
    for (std::size_t i = 0; i < bins_.groups.size(); ++i) {
      auto const width = from_.groups[i].width;
      auto const* const first = from_.bytes.data() + from_.groups[i].offset + ToSize(rows_.first) * width;
      CopyFromDevice(cuda_, device_, first, ToSize(rows_.count) * width, bins_.bytes.data() + bins_.groups[i].offset);
    }
  }

  void CopyWords() {
    bins_.words = {cuda_, NumWords(rows_.count), CodePlace::kDevice};
    CopyFromDevice(cuda_, device_, from_.words.data() + NumWords(rows_.first), bins_.words.size(), bins_.words.data());
  }

  /// Reads where the rows' entries begin and converts the values to places within the shard.
  void ReadRowPtr() {
    Buffer<std::int64_t> here(cuda_, ToSize(rows_.count) + 1);
    CopyFromDevice(cuda_, device_, from_.row_ptr.data() + rows_.first, here.size(), here.data());
    row_ptr_ = ToHost(cuda_, here.data(), here.size());
    first_entry_ = row_ptr_.front();
    for (auto& place : row_ptr_) place -= first_entry_;
    Require("cells and rows", 4 * ToSize(row_ptr_.back()) + 8 * row_ptr_.size());
  }

  void CopyCells() {
    bins_.row_ptr = ToDevice(cuda_, row_ptr_);
    bins_.cells = {cuda_, ToSize(row_ptr_.back()), CodePlace::kDevice};
    CopyFromDevice(cuda_, device_, from_.cells.data() + first_entry_, bins_.cells.size(), bins_.cells.data());
  }

  CudaContext const& cuda_;
  int device_;
  DeviceBins const& from_;
  ShardRange rows_;
  DeviceBins bins_;
  std::vector<std::int64_t> row_ptr_;  ///< kCells only
  std::int64_t first_entry_ = 0;
};

/// Device memory of a row besides its codes: its number in two lists, a copied gradient and a leaf.
constexpr double kBytesOfRow = 24.0;
/// Memory of histograms and of everything else that does not grow with the rows.
constexpr double kBytesOfTrees = 512.0 * 1024 * 1024;
/// Fraction of the free memory to use; the rest is left to others.
constexpr double kUsable = 0.9;

}  // namespace

DeviceBins CopyBins(CudaContext const& cuda, int device, DeviceBins const& from, ShardRange rows) {
  return BinsCopy(cuda, device, from, rows).Make();
}

DeviceBins CodeBins(CudaContext const& cuda, DeviceBins const& layout, RowPart const& rows) {
  auto bins = LayoutOf(layout, rows.n_rows);
  auto const n_words = ToSize(rows.n_rows) * bins.columns.size();
  RequireMemory(cuda, "a share of " + std::to_string(rows.n_rows) + " rows",
                {{"codes", bins.form == CodeForm::kBytes ? bins.NumCodeBytes() : 2 * n_words}});
  AllocateDense(cuda, &bins);
  WriteCodes(cuda, rows, bins);
  cuda.Synchronize();  // for the codes, and for the layout, whose sources are destroyed
  return bins;
}

DeviceBins BorrowBins(CudaContext const& cuda, DeviceBins const& from, ShardRange rows) {
  auto bins = LayoutOf(from, rows.count);
  // The first group begins at byte 0, as if the shard owned its codes.
  auto const skipped_bytes = from.groups.empty() ? 0 : ToSize(rows.first) * from.groups[0].width;
  for (std::size_t i = 0; i < bins.groups.size(); ++i) {
    bins.groups[i].offset = from.groups[i].offset + ToSize(rows.first) * from.groups[i].width - skipped_bytes;
  }
  UploadLayout(cuda, &bins);
  auto const skipped = ToSize(rows.first) * from.columns.size();
  if (from.form == CodeForm::kBytes) {
    bins.bytes =
        CodeArray<std::uint8_t>::Borrowed(from.bytes.data() + skipped_bytes, from.bytes.size() - skipped_bytes);
  }
  if (from.form == CodeForm::kWords) {
    bins.words = CodeArray<std::uint16_t>::Borrowed(from.words.data() + skipped, from.words.size() - skipped);
  }
  if (from.form == CodeForm::kCells) {
    bins.cells = CodeArray<std::uint32_t>::Borrowed(from.cells.data(), from.cells.size());
    bins.row_ptr = Buffer<std::int64_t>(cuda, ToSize(rows.count) + 1);
    CopyOnDevice(cuda, from.row_ptr.data() + rows.first, bins.row_ptr.size(), bins.row_ptr.data());
  }
  cuda.Synchronize();  // for the layout, whose sources are destroyed
  return bins;
}

std::int64_t NumHostRows(HostCodesTask const& task, std::size_t free_bytes) {
  auto const n_rows = static_cast<double>(task.n_rows);
  auto n_host = static_cast<std::int64_t>(std::ceil(n_rows * std::max(0.0, static_cast<double>(task.ratio))));
  if (task.ratio < 0.0F) {
    auto const all = static_cast<double>(task.code_bytes);
    auto const room = kUsable * static_cast<double>(free_bytes) - kBytesOfRow * n_rows - kBytesOfTrees;
    if (all <= room) return 0;
    n_host = task.n_rows - static_cast<std::int64_t>(n_rows * std::max(0.0, room) / all);
  }
  n_host = std::min(n_host, task.n_rows);
  if (n_host == 0) return 0;
  auto const level = task.ratio < 0.0F ? LogLevel::kWarning : LogLevel::kInfo;
  Log(level, "the codes of ", n_host, " of ", task.n_rows, " rows stay in host memory (", task.code_bytes >> 20U,
      " MiB for all rows, ", free_bytes >> 20U, " MiB free on the device): each level of a tree ",
      "reads them over the bus. cache_host_ratio says how many; several devices share the rows instead.");
  return n_host;
}

}  // namespace kauri::cuda
