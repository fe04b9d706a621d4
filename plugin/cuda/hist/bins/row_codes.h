/// \file Looking up the code of one feature in one row.
#pragma once

#include <cstdint>

#include "cuda/hist/bins/device_bins.h"
#include "kauri/host_device.h"

namespace kauri::cuda {

/// View of the codes for kernels. Not owning.
struct CodeView {
  CodeForm form;
  std::uint8_t const* bytes;
  std::uint16_t const* words;
  std::int64_t const* row_ptr;
  std::uint32_t const* cells;
};

inline CodeView ViewOf(DeviceBins const& bins) {
  return {bins.form, bins.bytes.data(), bins.words.data(), bins.row_ptr.data(), bins.cells.data()};
}

/// Bytes of codes that stay in the second-level cache while rows are read in any order.
constexpr std::uint64_t kBytesInCache = std::uint64_t{32} << 20U;

/// Returns whether the codes of a row take at most eight bytes, and all codes are on the device and take at least
/// least_bytes. Such codes are also kept in the orders of column_copy.h and row_records.h.
inline bool HasNarrowRows(DeviceBins const& bins, std::uint64_t least_bytes = kBytesInCache) {
  constexpr std::uint32_t kNarrow = 8;
  auto const are_bytes = bins.form == CodeForm::kBytes && bins.bytes.IsOnDevice() && bins.groups.size() == 1;
  return are_bytes && bins.groups[0].width <= kNarrow && bins.NumCodeBytes() >= least_bytes;
}

/// Place of the codes of a feature. The code of row r is at `first` + r * `stride`; for kCells, `first` is the
/// feature's first cell.
struct FeaturePlace {
  std::uint64_t first;
  std::uint32_t stride;
  std::uint32_t first_code;
  std::uint32_t n_codes;
  std::uint32_t most_frequent;
};

inline FeaturePlace PlaceOf(DeviceBins const& bins, std::uint32_t feature) {
  auto const& codes = bins.features[feature];
  FeaturePlace place{codes.first_cell, 0, codes.first_code, codes.n_codes, codes.most_frequent};
  if (bins.form == CodeForm::kWords) {
    place.first = codes.column;
    place.stride = static_cast<std::uint32_t>(bins.columns.size());
  } else if (bins.form == CodeForm::kBytes) {
    auto const& group = bins.groups[codes.column / bins.groups[0].n_columns];
    place.first = group.offset + codes.column - group.first_column;
    place.stride = group.width;
  }
  return place;
}

/// Returns the first of the cells of a row that is not below `cell`, or `end`.
KAURI_HD std::int64_t FindCell(std::uint32_t const* cells, std::int64_t begin, std::int64_t end, std::uint32_t cell) {
  while (begin < end) {
    std::int64_t const middle = begin + (end - begin) / 2;
    if (cells[middle] < cell) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Returns the code of a feature, given the code stored in its column. If that belongs to another feature, returns the
/// most frequent bin (`most_frequent`).
KAURI_HD std::uint32_t CodeOfStored(FeaturePlace const& place, std::uint32_t stored) {
  std::uint32_t const code = stored - place.first_code;
  return code < place.n_codes ? code : place.most_frequent;
}

/// Returns the code of a feature in a row. If the row has none, returns the most frequent bin (`most_frequent`), or
/// kNoCode if there is none.
KAURI_HD std::uint32_t CodeOf(CodeView const& view, FeaturePlace const& place, std::int64_t row) {
  if (view.form == CodeForm::kCells) {
    std::int64_t const end = view.row_ptr[row + 1];
    std::int64_t const found = FindCell(view.cells, view.row_ptr[row], end, static_cast<std::uint32_t>(place.first));
    std::uint32_t const code = found < end ? view.cells[found] - static_cast<std::uint32_t>(place.first) : kNoCode;
    return code < place.n_codes ? code : kNoCode;
  }
  std::uint64_t const at = place.first + static_cast<std::uint64_t>(row) * place.stride;
  return CodeOfStored(place, view.form == CodeForm::kBytes ? view.bytes[at] : view.words[at]);
}

}  // namespace kauri::cuda
