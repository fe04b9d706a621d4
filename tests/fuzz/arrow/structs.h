/// \file Makes structs of the Arrow C data interface from the input's bytes: correct, contradictory or incomplete ones.
///
/// The memory that they point to is always as large as their own counts, offsets and formats say, so any read beyond it
/// is the reader's fault. The factory counts how often they are released.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "data/adapters/arrow.h"
#include "support/bytes.h"

namespace kauri::fuzz {

/// Makes schemas and batches of one table, and owns their memory.
class ArrowFactory {
 public:
  explicit ArrowFactory(Bytes* bytes);
  ArrowFactory(ArrowFactory const&) = delete;
  ArrowFactory& operator=(ArrowFactory const&) = delete;

  ArrowSchema MakeSchema();
  ArrowArray MakeBatch();
  /// Requires that every struct handed out with a release function was released exactly once.
  void RequireReleased() const;

 private:
  struct Column {
    char const* format;
    char const* name;
    char const* dictionary;  ///< null: no dictionary
  };

  template <typename T>
  void SetRelease(T* object);
  std::uint8_t* Memory(std::size_t n_bytes);
  /// Returns true for one in `rarity` calls: a fault of this kind.
  bool IsFault(unsigned rarity) { return bytes_.Next() % rarity == rarity - 1; }
  ArrowSchema* SchemaOf(Column const& column);
  ArrowArray* Array(std::int64_t length, std::int64_t n_buffers);
  ArrowArray* NumbersOf(char const* format, std::int64_t length);
  ArrowArray* TextsOf(char const* format, std::int64_t length);
  void FillOffsets(ArrowArray* array, bool wide);
  void FillViews(ArrowArray* array);
  ArrowArray* DictionaryOf(char const* format);

  Bytes& bytes_;
  std::vector<Column> columns_;
  std::vector<std::unique_ptr<std::uint8_t[]>> memory_;
  std::deque<ArrowSchema> schemas_;
  std::deque<ArrowArray> arrays_;
  std::deque<int> releases_;  ///< number of releases of each struct handed out
};

}  // namespace kauri::fuzz
