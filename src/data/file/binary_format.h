/// \file The binary form of a matrix: what DMatrix.save_binary writes.
///
/// Little-endian. A header, a table of sections, the sections; each section begins at a multiple of 64 bytes and has
/// the size that the counts of the header give it. All is read as data of a stranger: sizes are checked against the
/// file before memory is taken, checksums find accidents, and what the checksums let through passes the same rules as
/// arrays of a caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/parameter.h"

namespace kauri {

namespace binary {

constexpr std::uint64_t kMagic = 0x0A786D6972'75616BULL;  // "kaurimx\n"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kByteOrder = 0x01020304U;
constexpr std::uint64_t kAlignment = 64;

enum Storage : std::uint32_t { kDense = 0, kCompressedRows = 1 };

struct Header {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t byte_order = kByteOrder;
  std::uint64_t file_bytes = 0;
  std::uint64_t n_rows = 0;
  std::uint64_t n_cols = 0;
  std::uint64_t n_entries = 0;  ///< of compressed rows; 0 of dense ones
  std::uint64_t n_targets = 1;
  std::uint32_t storage = kDense;
  std::uint32_t n_sections = 0;
};

enum SectionId : std::uint32_t {
  kValues = 1,         ///< float32 [n_rows, n_cols], NaN = missing, or [n_entries]
  kRowPtr,             ///< int64 [n_rows + 1]
  kFeatures,           ///< uint32 [n_entries]
  kLabels,             ///< float32 [n_rows, n_targets]
  kWeights,            ///< float32 [n_rows] or [n_groups]
  kGroupPtr,           ///< int64 [n_groups + 1]
  kBaseMargin,         ///< float32 [n_rows, n_outputs]
  kLabelLowerBound,    ///< float32 [n_rows]
  kLabelUpperBound,    ///< float32 [n_rows]
  kFeatureWeights,     ///< float32 [n_cols]
  kFeatureNames,       ///< n_cols strings, each a uint32 length and its bytes
  kFeatureTypes,       ///< the same
  kCategoryNames,      ///< n_cols tables: a byte, the type of numbers or 0 of texts; a uint32 count; strings or int64s
  kMayLackColumns,     ///< a byte that is 1; absent where there are no columns beyond n_cols
  kMayNameCategories,  ///< a byte that is 1; absent unless the rows were text in which categories may be names
  kNumSectionIds
};

struct Section {
  std::uint32_t id = 0;
  std::uint32_t checksum = 0;  ///< CRC-32C of its bytes
  std::uint64_t offset = 0;
  std::uint64_t n_bytes = 0;
};

/// After the table: the CRC-32C of the header and the table.
using Checksum = std::uint32_t;

}  // namespace binary

/// Bytes at any place.
struct ByteSource {
  std::string name;  ///< for messages
  std::uint64_t n_bytes = 0;
  std::function<void(std::uint64_t offset, Span<char> bytes)> read;  ///< never asked for what is beyond n_bytes
};

/// \throws Error(kData) for what is not such a file, cut off, damaged, or breaks a rule of matrices: the place, what is
/// found and what is expected; Error(kIo).
std::unique_ptr<DataMatrix> ReadBinary(Context const& ctx, ByteSource const& source);
/// The same from a file, for the registry; there are no parameters.
std::unique_ptr<DataMatrix> ReadBinary(Context const& ctx, std::string const& path, ParamMap const& params);
/// Whether a file begins as such files do; false when it cannot be read.
bool IsBinary(std::string const& path);

/// Replaces `path` as WriteFileAtomically does. Which rows of a group's ranks they are is not kept: that is for the
/// next group to say. \throws Error(kIo); Error(kData) for a matrix whose values are not kept.
void WriteBinary(DataMatrix const& matrix, std::string const& path);

}  // namespace kauri
