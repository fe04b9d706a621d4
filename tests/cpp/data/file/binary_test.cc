#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/files/checksum.h"
#include "data/file/binary_format.h"
#include "data/meta_info.h"
#include "kauri/error.h"
#include "support/error.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MatrixSpec;

std::string PathOf(char const* name) { return ::testing::TempDir() + name; }

std::unique_ptr<DataMatrix> ReadBack(std::string const& path) { return ReadBinary(Context{}, path, {}); }

std::vector<char> BytesOfFile(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Returns the error message of reading a file of these bytes.
std::string ReadMessage(std::vector<char> const& bytes) {
  ByteSource const source{"some.bin", bytes.size(), [&](std::uint64_t offset, Span<char> out) {
                            ASSERT_LE(offset + out.size(), bytes.size());
                            std::memcpy(out.data(), bytes.data() + offset, out.size());
                          }};
  return MessageOf([&] { ReadBinary(Context{}, source); });
}

/// Returns a matrix with every field set.
std::unique_ptr<DataMatrix> FullMatrix(bool sparse) {
  MatrixSpec spec;
  spec.n_rows = 6;
  spec.n_cols = 3;
  spec.missing = 0.6;
  spec.sparse = sparse;
  auto matrix = MakeMatrix(spec);
  auto* info = matrix->MutableInfo();
  info->n_targets = 2;
  info->labels = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  info->weights = {1, 2};
  info->group_ptr = {0, 4, 6};
  info->base_margin = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  info->label_lower_bound = {0, 0, 0, 0, 0, 0};
  info->label_upper_bound = {1, 1, 1, 1, 1, INFINITY};
  info->feature_weights = {1, 0, 2};
  info->feature_names = {"a", "", "c d"};
  info->feature_types = {"c", "c", "int"};
  info->category_names.resize(3);
  info->category_names[0].texts = {"red", "", "grün"};
  info->category_names[1].numbers = {-7, 1LL << 40};
  return matrix;
}

/// Expects equal bits; NaN equals NaN.
void ExpectSameBits(Span<float const> a, Span<float const> b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

Span<float const> ValuesOf(DataMatrix const& data) {
  if (data.IsDense()) return data.Dense().values;
  return data.Csr().values;
}

void ExpectSame(DataMatrix const& a, DataMatrix const& b) {
  ASSERT_EQ(a.IsDense(), b.IsDense());
  EXPECT_EQ(a.NumRows(), b.NumRows());
  EXPECT_EQ(a.NumCols(), b.NumCols());
  EXPECT_EQ(a.NumEntries(), b.NumEntries());
  ExpectSameBits(ValuesOf(a), ValuesOf(b));
  EXPECT_EQ(a.Csr().row_ptr, b.Csr().row_ptr);
  EXPECT_EQ(a.Csr().features, b.Csr().features);
  EXPECT_EQ(a.Info().n_targets, b.Info().n_targets);
  EXPECT_EQ(a.Info().group_ptr, b.Info().group_ptr);
  EXPECT_EQ(a.Info().feature_names, b.Info().feature_names);
  EXPECT_EQ(a.Info().feature_types, b.Info().feature_types);
  EXPECT_EQ(a.Info().category_names, b.Info().category_names);
  for (auto const* field :
       {"label", "weight", "base_margin", "label_lower_bound", "label_upper_bound", "feature_weights"}) {
    EXPECT_EQ(GetFloatInfo(a.Info(), field), GetFloatInfo(b.Info(), field)) << field;
  }
}

TEST(Binary, RoundTrip) {
  auto const path = PathOf("round_trip.bin");
  std::vector<std::unique_ptr<DataMatrix>> matrices;
  matrices.push_back(FullMatrix(false));
  matrices.push_back(FullMatrix(true));
  MatrixSpec spec;
  for (std::int64_t const n_rows : {1, 63, 2000}) {
    spec.n_rows = n_rows;
    matrices.push_back(MakeMatrix(spec));
  }
  matrices.push_back(DataMatrix::FromDense({}, 0, 3));
  matrices.push_back(DataMatrix::FromCsr({{0, 0, 0}, {}, {}}, 100));
  for (auto const& matrix : matrices) {
    WriteBinary(*matrix, path);
    EXPECT_TRUE(IsBinary(path));
    ExpectSame(*ReadBack(path), *matrix);
  }
}

TEST(Binary, OtherFilesAreNotTakenForOne) {
  auto const path = PathOf("text.csv");
  std::ofstream(path, std::ios::binary) << "1,2,3\n";
  EXPECT_FALSE(IsBinary(path));
  EXPECT_FALSE(IsBinary(PathOf("absent")));
  EXPECT_FALSE(IsBinary(::testing::TempDir()));
  EXPECT_NE(ReadMessage(BytesOfFile(path)).find("the file ends at byte 6, before the end of the header"),
            std::string::npos);
  EXPECT_NE(ReadMessage(std::vector<char>(100, 'x')).find("not a binary matrix of this library"), std::string::npos);
}

TEST(Binary, EveryTruncationIsFound) {
  auto const path = PathOf("whole.bin");
  WriteBinary(*FullMatrix(true), path);
  auto const bytes = BytesOfFile(path);
  ASSERT_EQ(ReadMessage(bytes), "no error");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(ReadMessage({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}), "no error") << size;
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_NE(ReadMessage(longer).find("but was written with"), std::string::npos);
}

TEST(Binary, EveryFlippedBitOfWhatIsReadIsFound) {
  auto const path = PathOf("flipped.bin");
  for (bool const sparse : {false, true}) {
    WriteBinary(*FullMatrix(sparse), path);
    auto bytes = BytesOfFile(path);
    std::vector<std::uint8_t> is_read(bytes.size(), 0);
    ByteSource const source{path, bytes.size(), [&](std::uint64_t offset, Span<char> out) {
                              std::memcpy(out.data(), bytes.data() + offset, out.size());
                              for (std::size_t i = 0; i < out.size(); ++i) is_read[offset + i] = 1;
                            }};
    ReadBinary(Context{}, source);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (unsigned bit = 0; bit < 8; bit += 3) {
        bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
        EXPECT_EQ(ReadMessage(bytes) != "no error", is_read[i] != 0) << i;
        bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      }
    }
  }
}

/// A file whose checksums are updated after changes.
class Forged {
 public:
  explicit Forged(bool sparse) {
    auto const path = PathOf("forged.bin");
    WriteBinary(*FullMatrix(sparse), path);
    bytes_ = BytesOfFile(path);
    Load(0, &header);
    table.resize(header.n_sections);
    for (std::size_t i = 0; i < table.size(); ++i) Load(sizeof(header) + i * sizeof(table[0]), &table[i]);
  }
  binary::Section& Of(binary::SectionId id) {
    for (auto& section : table) {
      if (section.id == id) return section;
    }
    ADD_FAILURE() << id;
    return table[0];
  }
  template <typename T>
  void Set(binary::SectionId id, std::size_t element, T value) {
    auto& section = Of(id);
    std::memcpy(bytes_.data() + section.offset + element * sizeof(T), &value, sizeof(T));
    section.checksum = Crc32c({bytes_.data() + section.offset, section.n_bytes});
  }
  std::string Message() {
    header.n_sections = static_cast<std::uint32_t>(table.size());
    std::memcpy(bytes_.data(), &header, sizeof(header));
    std::memcpy(bytes_.data() + sizeof(header), table.data(), table.size() * sizeof(table[0]));
    auto const n = sizeof(header) + table.size() * sizeof(table[0]);
    auto const checksum = Crc32c({bytes_.data(), n});
    std::memcpy(bytes_.data() + n, &checksum, sizeof(checksum));
    return ReadMessage(bytes_);
  }

  binary::Header header;
  std::vector<binary::Section> table;

 private:
  template <typename T>
  void Load(std::size_t offset, T* value) const {
    std::memcpy(value, bytes_.data() + offset, sizeof(T));
  }
  std::vector<char> bytes_;
};

template <typename Fn>
void ExpectRefused(bool sparse, char const* message, Fn&& change) {
  Forged file(sparse);
  ASSERT_EQ(file.Message(), "no error");
  change(&file);
  auto const found = file.Message();
  EXPECT_NE(found.find(message), std::string::npos) << found;
}

TEST(Binary, WhatChecksumsLetThroughIsStillChecked) {
  ExpectRefused(false, "byte order", [](Forged* file) { file->header.byte_order = 0x04030201; });
  ExpectRefused(false, "version 2 of the format", [](Forged* file) { file->header.version = 2; });
  ExpectRefused(false, "storage 7 is unknown", [](Forged* file) { file->header.storage = 7; });
  ExpectRefused(false, "more than can be", [](Forged* file) { file->header.n_rows = ~std::uint64_t{0}; });
  ExpectRefused(false, "more than can be", [](Forged* file) { file->header.n_cols = std::uint64_t{1} << 40; });
  ExpectRefused(false, "which are not", [](Forged* file) { file->header.n_rows = 7; });
  ExpectRefused(true, "which are not", [](Forged* file) { file->header.n_entries = std::uint64_t{1} << 62; });
  ExpectRefused(true, "labels are not", [](Forged* file) { file->header.n_targets = 3; });
  ExpectRefused(true, "labels are not", [](Forged* file) { file->header.n_targets = 0; });
  ExpectRefused(true, "not in the file", [](Forged* file) { file->Of(binary::kValues).offset = ~std::uint64_t{0}; });
  ExpectRefused(true, "not in the file", [](Forged* file) { file->Of(binary::kLabels).n_bytes = 1 << 20; });
  ExpectRefused(true, "repeated", [](Forged* file) { file->table[1].id = file->table[0].id; });
  ExpectRefused(true, "unknown", [](Forged* file) { file->table[1].id = 99; });
  ExpectRefused(true, "which are not", [](Forged* file) { file->Of(binary::kLabels).n_bytes = 7; });
  ExpectRefused(true, "CSR arrays disagree", [](Forged* file) { file->Set(binary::kRowPtr, 1, std::int64_t{-5}); });
  ExpectRefused(true, "there are 3 columns",
                [](Forged* file) { file->Set(binary::kFeatures, 0, std::uint32_t{1000}); });
  ExpectRefused(true, "NaN", [](Forged* file) { file->Set(binary::kValues, 0, NAN); });
  ExpectRefused(false, "inf", [](Forged* file) { file->Set(binary::kValues, 0, INFINITY); });
  ExpectRefused(false, "label", [](Forged* file) { file->Set(binary::kLabels, 3, INFINITY); });
  ExpectRefused(false, "weight", [](Forged* file) { file->Set(binary::kWeights, 0, -1.0F); });
  ExpectRefused(false, "query 0 ends at row", [](Forged* file) { file->Set(binary::kGroupPtr, 1, std::int64_t{-3}); });
  ExpectRefused(false, "ends beyond its section",
                [](Forged* file) { file->Set(binary::kFeatureNames, 0, std::uint32_t{500}); });
  ExpectRefused(false, "unknown type", [](Forged* file) { file->Set(binary::kFeatureTypes, 4, 'z'); });
}

TEST(Binary, WritingReplacesOnlyWithACompleteFile) {
  auto const matrix = FullMatrix(false);
  auto const folder = std::filesystem::path(::testing::TempDir()) / "kauri_binary";
  std::filesystem::create_directories(folder);
  auto const path = (folder / "a.bin").string();
  WriteBinary(*matrix, path);
  WriteBinary(*FullMatrix(true), path);
  EXPECT_FALSE(ReadBack(path)->IsDense());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_THROW(WriteBinary(*matrix, (folder / "absent" / "a.bin").string()), Error);
}

TEST(Checksum, KnownValues) {
  EXPECT_EQ(Crc32c({"123456789", 9}), 0xE3069283U);  // the check value of CRC-32C (RFC 3720, B.4 has others)
  EXPECT_EQ(Crc32c({}), 0U);
  std::vector<char> const zeros(32, 0);
  EXPECT_EQ(Crc32c(zeros), 0x8A9136AAU);
  EXPECT_EQ(Crc32c({"56789", 5}, Crc32c({"1234", 4})), 0xE3069283U);
}

}  // namespace
}  // namespace kauri
