#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "common/files/checksum.h"
#include "common/platform/file.h"
#include "common/text/quoted.h"
#include "data/file/binary_format.h"
#include "data/meta_info.h"
#include "data/text/text_lines.h"
#include "kauri/array_interface.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using binary::Header;
using binary::Section;

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 48U;
constexpr std::uint64_t kMostCols = std::numeric_limits<std::int32_t>::max();

template <typename T, typename Allocator>
Span<char> MutableBytesOf(std::vector<T, Allocator>* values) {
  return {reinterpret_cast<char*>(values->data()), values->size() * sizeof(T)};
}

template <typename T>
Span<char> MutableBytesOf(T* value) {
  return {reinterpret_cast<char*>(value), sizeof(T)};
}

class BinaryReader {
 public:
  explicit BinaryReader(ByteSource const& source) : source_(source) {
    ReadHeader();
    ReadTable();
  }

  std::unique_ptr<DataMatrix> Read(Context const& ctx) {
    auto matrix = ReadFeatures(ctx);
    auto* info = matrix->MutableInfo();
    ReadLabels(info);
    // before the groups; whether both fit together is checked before training
    ReadFloats(binary::kWeights, "weight", info);
    ReadGroups(info);
    ReadFloats(binary::kBaseMargin, "base_margin", info);
    ReadFloats(binary::kLabelLowerBound, "label_lower_bound", info);
    ReadFloats(binary::kLabelUpperBound, "label_upper_bound", info);
    ReadFloats(binary::kFeatureWeights, "feature_weights", info);
    ReadStrings(binary::kFeatureNames, "feature_name", info);
    ReadStrings(binary::kFeatureTypes, "feature_type", info);
    ReadCategoryNames(info);
    info->may_lack_columns = ReadVector<char>(binary::kMayLackColumns, nullptr) == std::vector<char>{'\1'};
    info->may_name_categories = ReadVector<char>(binary::kMayNameCategories, nullptr) == std::vector<char>{'\1'};
    return matrix;
  }

 private:
  template <typename... Parts>
  [[noreturn]] void FailFile(Parts const&... parts) const {
    Fail(ErrorKind::kData, Quoted(source_.name), ": ", parts..., " Save the matrix again.");
  }

  void ReadAt(std::uint64_t offset, Span<char> bytes, char const* what) const {
    if (offset > source_.n_bytes || bytes.size() > source_.n_bytes - offset) {
      FailFile("the file ends at byte ", source_.n_bytes, ", before the end of ", what, "; it was cut off.");
    }
    source_.read(offset, bytes);
  }

  void ReadHeader() {
    ReadAt(0, MutableBytesOf(&header_), "the header");
    if (header_.magic != binary::kMagic) FailFile("it is not a binary matrix of this library.");
    if (header_.byte_order != binary::kByteOrder) FailFile("it was written on a machine of another byte order.");
    if (header_.version != binary::kVersion) {
      FailFile("it has version ", header_.version, " of the format; this library reads version ", binary::kVersion,
               ".");
    }
    if (header_.n_sections >= binary::kNumSectionIds)
      FailFile(header_.n_sections, " sections are more than there are.");
    if (header_.file_bytes != source_.n_bytes) {
      FailFile("it has ", source_.n_bytes, " bytes, but was written with ", header_.file_bytes, "; it was cut off.");
    }
  }

  void ReadTable() {
    table_.resize(header_.n_sections);
    auto const at = sizeof(header_) + table_.size() * sizeof(Section);
    ReadAt(sizeof(header_), MutableBytesOf(&table_), "the table of sections");
    binary::Checksum written = 0;
    ReadAt(at, MutableBytesOf(&written), "the table of sections");
    auto const found = Crc32c(MutableBytesOf(&table_), Crc32c(MutableBytesOf(&header_)));
    if (written != found) FailFile("the header is damaged: its checksum is ", found, ", not ", written, ".");
    if (header_.n_rows > kMostRows || header_.n_cols > kMostCols || header_.n_targets > kMostCols) {
      FailFile(header_.n_rows, " rows, ", header_.n_cols, " columns and ", header_.n_targets,
               " targets are more than can be.");
    }
    if (header_.storage > binary::kCompressedRows) FailFile("storage ", header_.storage, " is unknown.");
    for (std::size_t i = 0; i < table_.size(); ++i) {
      auto const& section = table_[i];
      auto const is_known = section.id != 0 && section.id < binary::kNumSectionIds;
      auto const is_in_file = section.offset <= source_.n_bytes && section.n_bytes <= source_.n_bytes - section.offset;
      auto const is_new = std::none_of(table_.begin(), table_.begin() + static_cast<std::ptrdiff_t>(i),
                                       [&](Section const& other) { return other.id == section.id; });
      if (!is_known || !is_in_file || !is_new) {
        FailFile("section ", i, " (id ", section.id, ", ", section.n_bytes, " bytes at ", section.offset,
                 ") is unknown, repeated, or not in the file.");
      }
    }
  }

  Section const* Find(binary::SectionId id) const {
    for (auto const& section : table_) {
      if (section.id == id) return &section;
    }
    return nullptr;
  }

  /// Returns the elements of a section, or none if it is absent. expected: the required number; nullptr: any number.
  template <typename T, typename Allocator = std::allocator<T>>
  std::vector<T, Allocator> ReadVector(binary::SectionId id, std::uint64_t const* expected) const {
    std::vector<T, Allocator> values;
    auto const* section = Find(id);
    auto const n_bytes = section == nullptr ? 0 : section->n_bytes;
    auto const n = n_bytes / sizeof(T);
    if (n_bytes % sizeof(T) != 0 || (expected != nullptr && n != *expected)) {
      FailFile("section ", id, " has ", n_bytes, " bytes, which are not ", expected == nullptr ? n : *expected,
               " values of ", sizeof(T), ".");
    }
    if (n == 0) return values;
    values.resize(n);
    source_.read(section->offset, MutableBytesOf(&values));
    auto const found = Crc32c(MutableBytesOf(&values));
    if (found != section->checksum) {
      FailFile("section ", id, " is damaged: its checksum is ", found, ", not ", section->checksum, ".");
    }
    return values;
  }

  std::unique_ptr<DataMatrix> ReadFeatures(Context const& ctx) const {
    auto const n_rows = static_cast<std::int64_t>(header_.n_rows);
    auto const n_cols = static_cast<std::int64_t>(header_.n_cols);
    if (header_.storage == binary::kDense) {
      std::uint64_t n_cells = 0;
      if (__builtin_mul_overflow(header_.n_rows, header_.n_cols, &n_cells)) FailFile("there are too many cells.");
      return DataMatrix::FromDense({ReadVector<float, Uninitialised<float>>(binary::kValues, &n_cells)}, n_rows, n_cols,
                                   ctx);
    }
    auto const n_pointers = header_.n_rows + 1;
    CsrStorage csr;
    csr.row_ptr = ReadVector<std::int64_t>(binary::kRowPtr, &n_pointers);
    csr.features = ReadVector<std::uint32_t>(binary::kFeatures, &header_.n_entries);
    csr.values = ReadVector<float>(binary::kValues, &header_.n_entries);
    return DataMatrix::FromCsr(std::move(csr), n_cols, ctx);
  }

  static ArrayView ViewOf(void const* data, DType dtype, std::int64_t item_size, std::int64_t n_rows,
                          std::int64_t width) {
    ArrayView view;
    view.data = data;
    view.dtype = dtype;
    view.shape = {n_rows, width};
    view.strides = {item_size * width, item_size};
    view.n_dims = width == 1 ? 1 : 2;
    return view;
  }

  void ReadLabels(MetaInfo* info) const {
    auto const labels = ReadVector<float>(binary::kLabels, nullptr);
    if (labels.empty()) return;
    std::uint64_t expected = 0;
    if (header_.n_targets == 0 || __builtin_mul_overflow(header_.n_rows, header_.n_targets, &expected) ||
        labels.size() != expected) {
      FailFile(labels.size(), " labels are not ", header_.n_rows, " rows of ", header_.n_targets, ".");
    }
    SetInfo(info, "label",
            ViewOf(labels.data(), DType::kF32, 4, info->n_rows, static_cast<std::int64_t>(header_.n_targets)));
  }

  void ReadGroups(MetaInfo* info) const {
    auto const group_ptr = ReadVector<std::int64_t>(binary::kGroupPtr, nullptr);
    if (group_ptr.empty()) return;
    std::vector<std::int64_t> sizes;
    for (std::size_t group = 0; group + 1 < group_ptr.size(); ++group) {
      if (group_ptr[group] < 0 || group_ptr[group + 1] < group_ptr[group]) {
        FailFile("query ", group, " ends at row ", group_ptr[group + 1], " and begins at ", group_ptr[group], ".");
      }
      sizes.push_back(group_ptr[group + 1] - group_ptr[group]);
    }
    SetInfo(info, "group", ViewOf(sizes.data(), DType::kI64, 8, static_cast<std::int64_t>(sizes.size()), 1));
  }

  void ReadFloats(binary::SectionId id, char const* field, MetaInfo* info) const {
    auto const values = ReadVector<float>(id, nullptr);
    if (values.empty()) return;
    auto const n = static_cast<std::int64_t>(values.size());
    auto const is_table = id == binary::kBaseMargin && info->n_rows > 0 && n > info->n_rows && n % info->n_rows == 0;
    auto const width = is_table ? n / info->n_rows : 1;
    SetInfo(info, field, ViewOf(values.data(), DType::kF32, 4, n / width, width));
  }

  /// Reads a number and advances *at.
  template <typename T>
  T TakeNumber(std::vector<char> const& bytes, char const* field, std::size_t* at) const {
    T number{};
    if (bytes.size() - *at < sizeof(number)) FailFile("the strings of ", field, " end within a length.");
    std::copy_n(bytes.data() + *at, sizeof(number), MutableBytesOf(&number).data());
    *at += sizeof(number);
    return number;
  }

  /// Reads the `index`-th string and advances *at.
  std::string TakeString(std::vector<char> const& bytes, char const* field, std::size_t index, std::size_t* at) const {
    auto const length = TakeNumber<std::uint32_t>(bytes, field, at);
    if (length > bytes.size() - *at) FailFile("string ", index, " of ", field, " ends beyond its section.");
    std::string text(bytes.data() + *at, length);
    *at += length;
    return text;
  }

  void ReadStrings(binary::SectionId id, char const* field, MetaInfo* info) const {
    auto const bytes = ReadVector<char>(id, nullptr);
    std::vector<std::string> strings;
    for (std::size_t at = 0; at < bytes.size();) strings.push_back(TakeString(bytes, field, strings.size(), &at));
    if (!strings.empty()) SetFeatureStrings(info, field, std::move(strings));
  }

  void ReadCategoryNames(MetaInfo* info) const {
    constexpr char const* kField = "category names";
    auto const bytes = ReadVector<char>(binary::kCategoryNames, nullptr);
    for (std::size_t at = 0; at < bytes.size();) {
      CategoryNames names;
      auto const type = TakeNumber<std::uint8_t>(bytes, kField, &at);
      auto const count = TakeNumber<std::uint32_t>(bytes, kField, &at);
      auto const is_number = type >= static_cast<std::uint8_t>(CategoryNames::Type::kI8) &&
                             type <= static_cast<std::uint8_t>(CategoryNames::Type::kU64);
      if (type != 0 && !is_number) FailFile("categories are named by values of the unknown type ", int{type}, ".");
      if (is_number) names.number_type = static_cast<CategoryNames::Type>(type);
      for (std::uint32_t i = 0; i < count; ++i) {
        if (is_number) {
          names.numbers.push_back(TakeNumber<std::int64_t>(bytes, kField, &at));
        } else {
          names.texts.push_back(TakeString(bytes, kField, i, &at));
        }
      }
      info->category_names.push_back(std::move(names));
    }
    if (!info->category_names.empty() && info->category_names.size() != header_.n_cols) {
      FailFile("there are names of categories for ", info->category_names.size(), " columns of ", header_.n_cols, ".");
    }
  }

  ByteSource const& source_;
  Header header_;
  std::vector<Section> table_;
};

/// A file opened for reading.
class InputFile {
 public:
  explicit InputFile(std::string const& path)
      : path_(path), file_(platform::OpenFile(path, platform::OpenMode::kRead)) {
    platform::FileStatus status;
    if (!file_.IsOpen() || !platform::GetStatus(file_.Get(), &status)) FailToRead(errno);
    if (status.kind != platform::FileKind::kRegular)
      Fail(ErrorKind::kIo, "cannot read ", Quoted(path), ": it is not a regular file.");
    n_bytes_ = status.n_bytes;
  }

  std::uint64_t NumBytes() const { return n_bytes_; }
  void Read(std::uint64_t offset, Span<char> bytes) const {
    while (!bytes.empty()) {
      auto const got = platform::ReadAt(file_.Get(), bytes.data(), bytes.size(), static_cast<std::int64_t>(offset));
      if (got < 0) FailToRead(errno);
      if (got == 0) Fail(ErrorKind::kIo, "cannot read ", Quoted(path_), ": it became shorter meanwhile.");
      auto const done = static_cast<std::size_t>(got);
      offset += done;
      bytes = bytes.subspan(done, bytes.size() - done);
    }
  }

 private:
  [[noreturn]] void FailToRead(int error) const {
    Fail(ErrorKind::kIo, "cannot read ", Quoted(path_), ": ", ReasonOf(error), ". Check the path and its permissions.");
  }

  std::string path_;
  Descriptor file_;
  std::uint64_t n_bytes_ = 0;
};

}  // namespace

std::unique_ptr<DataMatrix> ReadBinary(Context const& ctx, ByteSource const& source) {
  return BinaryReader(source).Read(ctx);
}

std::unique_ptr<DataMatrix> ReadBinary(Context const& ctx, std::string const& path, ParamMap const& params) {
  RefuseUnknownKeys(params, {}, "binary");
  InputFile const file(path);
  ByteSource const source{path, file.NumBytes(),
                          [&](std::uint64_t offset, Span<char> bytes) { file.Read(offset, bytes); }};
  return ReadBinary(ctx, source);
}

bool IsBinary(std::string const& path) {
  platform::FileStatus status;
  if (!platform::GetStatus(path, &status) || status.kind != platform::FileKind::kRegular) return false;
  Descriptor const file(platform::OpenFile(path, platform::OpenMode::kRead));
  if (!file.IsOpen()) return false;
  std::uint64_t magic = 0;
  auto const bytes = MutableBytesOf(&magic);
  auto const got = platform::ReadAt(file.Get(), bytes.data(), bytes.size(), 0);
  return got == static_cast<std::ptrdiff_t>(bytes.size()) && magic == binary::kMagic;
}

}  // namespace kauri
