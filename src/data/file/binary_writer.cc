#include <array>
#include <cstring>
#include <vector>

#include "common/files/atomic_file.h"
#include "common/files/checksum.h"
#include "data/file/binary_format.h"

namespace kauri {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "sections are written as they lie in memory");

using Bytes = Span<char const>;

template <typename T, typename Allocator>
Bytes BytesOf(std::vector<T, Allocator> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
Bytes BytesOf(T const& value) {
  return {reinterpret_cast<char const*>(&value), sizeof(value)};
}

std::vector<char> Pack(std::vector<std::string> const& strings) {
  std::vector<char> packed;
  for (auto const& string : strings) {
    auto const length = static_cast<std::uint32_t>(string.size());
    auto const bytes = BytesOf(length);
    packed.insert(packed.end(), bytes.begin(), bytes.end());
    packed.insert(packed.end(), string.begin(), string.end());
  }
  return packed;
}

std::vector<char> Pack(CategoryNameTable const& table) {
  std::vector<char> packed;
  auto const add = [&](Bytes bytes) { packed.insert(packed.end(), bytes.begin(), bytes.end()); };
  for (auto const& names : table) {
    packed.push_back(names.numbers.empty() ? '\0' : static_cast<char>(names.number_type));
    auto const count = static_cast<std::uint32_t>(names.Size());
    add(BytesOf(count));
    add(BytesOf(names.numbers));
    auto const texts = Pack(names.texts);
    add(BytesOf(texts));
  }
  return packed;
}

/// The contents of the file, section by section. Empty sections are left out.
class Sections {
 public:
  void Add(binary::SectionId id, Bytes bytes) {
    if (bytes.empty()) return;
    table_.push_back({id, Crc32c(bytes), 0, bytes.size()});
    contents_.push_back(bytes);
  }

  void Write(binary::Header header, std::string const& path) {
    header.n_sections = static_cast<std::uint32_t>(table_.size());
    auto end = sizeof(header) + table_.size() * sizeof(binary::Section) + sizeof(binary::Checksum);
    std::vector<std::uint64_t> gaps;
    for (auto& section : table_) {
      section.offset = (end + binary::kAlignment - 1) / binary::kAlignment * binary::kAlignment;
      gaps.push_back(section.offset - end);
      end = section.offset + section.n_bytes;
    }
    header.file_bytes = end;
    auto const checksum = Crc32c(BytesOf(table_), Crc32c(BytesOf(header)));
    std::array<char, binary::kAlignment> const zeros{};
    std::vector<Bytes> pieces{BytesOf(header), BytesOf(table_), BytesOf(checksum)};
    for (std::size_t i = 0; i < table_.size(); ++i) {
      pieces.push_back({zeros.data(), gaps[i]});
      pieces.push_back(contents_[i]);
    }
    WriteFileAtomically(path, Span<Bytes const>(pieces));
  }

 private:
  std::vector<binary::Section> table_;
  std::vector<Bytes> contents_;
};

}  // namespace

void WriteBinary(DataMatrix const& matrix, std::string const& path) {
  matrix.RequireValues("saving a matrix");
  auto const& info = matrix.Info();
  binary::Header header;
  header.n_rows = static_cast<std::uint64_t>(matrix.NumRows());
  header.n_cols = static_cast<std::uint64_t>(matrix.NumCols());
  header.n_targets = static_cast<std::uint64_t>(info.n_targets);
  Sections sections;
  if (matrix.IsDense()) {
    sections.Add(binary::kValues, BytesOf(matrix.Dense().values));
  } else {
    auto const& csr = matrix.Csr();
    header.storage = binary::kCompressedRows;
    header.n_entries = csr.values.size();
    sections.Add(binary::kRowPtr, BytesOf(csr.row_ptr));
    sections.Add(binary::kFeatures, BytesOf(csr.features));
    sections.Add(binary::kValues, BytesOf(csr.values));
  }
  auto const names = Pack(info.feature_names);
  auto const types = Pack(info.feature_types);
  auto const category_names = Pack(info.category_names);
  sections.Add(binary::kLabels, BytesOf(info.labels));
  sections.Add(binary::kWeights, BytesOf(info.weights));
  sections.Add(binary::kGroupPtr, BytesOf(info.group_ptr));
  sections.Add(binary::kBaseMargin, BytesOf(info.base_margin));
  sections.Add(binary::kLabelLowerBound, BytesOf(info.label_lower_bound));
  sections.Add(binary::kLabelUpperBound, BytesOf(info.label_upper_bound));
  sections.Add(binary::kFeatureWeights, BytesOf(info.feature_weights));
  sections.Add(binary::kFeatureNames, BytesOf(names));
  sections.Add(binary::kFeatureTypes, BytesOf(types));
  sections.Add(binary::kCategoryNames, BytesOf(category_names));
  std::vector<char> const may_lack(info.may_lack_columns ? 1 : 0, '\1');
  sections.Add(binary::kMayLackColumns, BytesOf(may_lack));
  std::vector<char> const may_name(info.may_name_categories ? 1 : 0, '\1');
  sections.Add(binary::kMayNameCategories, BytesOf(may_name));
  sections.Write(header, path);
}

}  // namespace kauri
