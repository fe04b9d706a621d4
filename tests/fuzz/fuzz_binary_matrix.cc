/// \file A binary matrix of any bytes. The result must be a consistent matrix, or an error. The first byte decides
/// whether the checksums are corrected, so that the code behind them is reached as well.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/files/checksum.h"
#include "data/file/binary_format.h"
#include "kauri/error.h"

namespace {

namespace binary = kauri::binary;

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

/// Sets the size of the file and all checksums to the correct values.
void MakeFit(std::vector<char>* bytes) {
  binary::Header header;
  if (bytes->size() < sizeof(header)) return;
  std::memcpy(&header, bytes->data(), sizeof(header));
  header.file_bytes = bytes->size();
  std::memcpy(bytes->data(), &header, sizeof(header));
  auto const table_end = sizeof(header) + std::uint64_t{header.n_sections} * sizeof(binary::Section);
  if (table_end + sizeof(binary::Checksum) > bytes->size()) return;
  for (auto at = sizeof(header); at < table_end; at += sizeof(binary::Section)) {
    binary::Section section;
    std::memcpy(&section, bytes->data() + at, sizeof(section));
    if (section.offset > bytes->size() || section.n_bytes > bytes->size() - section.offset) continue;
    section.checksum = kauri::Crc32c({bytes->data() + section.offset, section.n_bytes});
    std::memcpy(bytes->data() + at, &section, sizeof(section));
  }
  auto const checksum = kauri::Crc32c({bytes->data(), table_end});
  std::memcpy(bytes->data() + table_end, &checksum, sizeof(checksum));
}

void RequireMatrix(kauri::DataMatrix const& matrix) {
  auto const& csr = matrix.Csr();
  for (std::size_t row = 0; row + 1 < csr.row_ptr.size(); ++row) {
    for (auto i = csr.row_ptr[row]; i < csr.row_ptr[row + 1]; ++i) {
      auto const at = static_cast<std::size_t>(i);
      Require(csr.features[at] < matrix.NumCols() && std::isfinite(csr.values[at]));
      Require(i == csr.row_ptr[row] || csr.features[at - 1] < csr.features[at]);
    }
  }
  for (auto const value : matrix.Dense().values) Require(!std::isinf(value));
  auto const& info = matrix.Info();
  Require(info.labels.empty() || static_cast<std::int64_t>(info.labels.size()) == info.n_rows * info.n_targets);
  Require(info.group_ptr.empty() || info.group_ptr.back() == info.n_rows);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<char> bytes(data + 1, data + size);
  if (data[0] % 2 == 1) MakeFit(&bytes);
  kauri::ByteSource const source{"fuzz", bytes.size(), [&](std::uint64_t offset, kauri::Span<char> out) {
                                   Require(offset <= bytes.size() && out.size() <= bytes.size() - offset);
                                   std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(),
                                               out.begin());
                                 }};
  try {
    RequireMatrix(*kauri::ReadBinary(kauri::Context{}, source));
  } catch (kauri::Error const& error) {
    Require(error.what()[0] != '\0');
  }
  return 0;
}
