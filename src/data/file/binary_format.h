/// \file The binary form of a matrix: what DMatrix.save_binary writes.
///
/// Little-endian. The file has a header, a table of sections, and the sections. Each section begins at a multiple of 64
/// bytes and has the size that follows from the counts in the header. The content is untrusted: sizes are checked
/// against the file before memory is allocated, checksums find accidents, and the contents must pass the same checks as
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
  std::uint64_t n_entries = 0;  ///< number of entries of compressed rows; 0 for dense rows
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
  kFeatureTypes,       ///< as kFeatureNames
  kCategoryNames,      ///< n_cols tables: a byte, the type of numbers or 0 of texts; a uint32 count; strings or int64s
  kMayLackColumns,     ///< a byte that is 1; absent if there are no columns beyond n_cols
  kMayNameCategories,  ///< a byte that is 1; absent unless the rows were text whose categories may be names
  kNumSectionIds
};

struct Section {
  std::uint32_t id = 0;
  std::uint32_t checksum = 0;  ///< CRC-32C of its bytes
  std::uint64_t offset = 0;
  std::uint64_t n_bytes = 0;
};

/// Follows the table: the CRC-32C of the header and the table.
using Checksum = std::uint32_t;

}  // namespace binary

/// Bytes with random access.
struct ByteSource {
  std::string name;  ///< for messages
  std::uint64_t n_bytes = 0;
  std::function<void(std::uint64_t offset, Span<char> bytes)> read;  ///< the range must lie within n_bytes
};

/// Reads a matrix. \throws Error(kData) for another kind of file, and for a file that is cut off, damaged, or breaks a
/// rule of matrices: the message gives the place, the value found and the value expected; Error(kIo).
std::unique_ptr<DataMatrix> ReadBinary(Context const& ctx, ByteSource const& source);
/// The same for a file, for the registry; there are no parameters.
std::unique_ptr<DataMatrix> ReadBinary(Context const& ctx, std::string const& path, ParamMap const& params);
/// Returns whether a file begins with the magic number; false if it cannot be read.
bool IsBinary(std::string const& path);

/// Writes a matrix to `path`, replacing it as WriteFileAtomically does. Does not store the global row numbers of a
/// group's ranks, which the next group assigns. \throws Error(kIo); Error(kData) for a matrix that does not store
/// values.
void WriteBinary(DataMatrix const& matrix, std::string const& path);

}  // namespace kauri
