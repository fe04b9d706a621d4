/// \file Tables that arrive through the Arrow C data interface
/// (https://arrow.apache.org/docs/format/CDataInterface.html): read in place, not copied.
///
/// The interface gives addresses without lengths of buffers. Counts, offsets and formats are checked against each
/// other, but the producer has to guarantee that a buffer is as long as the array says.
///
/// Dictionaries of Arrow columns have the names that the codes of a categorical column stand for. A column of text is
/// categorical, too: its different texts are the names, sorted by their bytes, whatever the order of the rows.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/adapters/columnar.h"
#include "kauri/categories.h"
#include "kauri/data_matrix.h"

// The structs of the interface, under the guards that it prescribes.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

extern "C" {

struct ArrowSchema {
  char const* format;
  char const* name;
  char const* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  void const** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

extern "C" struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  char const* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif

namespace kauri {

/// Returns whether a format is one of texts: utf8, large_utf8, utf8_view.
bool IsArrowText(std::string const& format);

/// The texts of an array. They stay in the producer's memory.
class ArrowTexts {
 public:
  /// `values` needs three buffers and must outlive this object. where: a part of messages, "of its dictionary " or "".
  ArrowTexts(std::string const& format, ArrowArray const& values, char const* where)
      : form_(format == "u"   ? Form::kShort
              : format == "U" ? Form::kLong
                              : Form::kViews),
        values_(values),
        where_(where) {}

  /// Returns the text of an element of the buffers. shown: its number in messages. \throws Error(kData) for an
  /// impossible place of its bytes.
  std::string_view At(std::int64_t element, std::int64_t shown) const;

 private:
  enum class Form : std::uint8_t { kShort, kLong, kViews };

  template <typename Offset>
  std::string_view TextAt(std::int64_t element, std::int64_t shown) const;
  std::string_view ViewAt(std::int64_t element, std::int64_t shown) const;

  Form form_;
  ArrowArray const& values_;
  char const* where_;
};

/// The different texts of a column, over all batches.
class ArrowTextColumn {
 public:
  /// Sets the codes of a batch's rows, in the order of the first appearance of their texts; null rows keep their code.
  /// first: the element of the first row. \throws Error(kData) as ArrowTexts::At, and for too many texts.
  void Add(ArrowTexts const& texts, PackedBits const& valid, std::int64_t first, std::vector<float>* codes);
  /// Returns the names of the categories, sorted by their bytes. Sets the category of each code. n_rows: of the table.
  CategoryNames Names(std::int64_t n_rows, std::vector<float>* sorted_code) const;

 private:
  std::unordered_map<std::string_view, std::int32_t> numbers_;
};

/// The record batches of a table of numbers, categories (dictionaries) and texts, and its columns' names and types.
class ArrowTable {
 public:
  /// Takes over the stream and reads it to its end. The stream is released in any case. \throws Error(kData) for a
  /// stream that fails, rows that are not structs, a column that does not hold numbers, booleans, categories or text
  /// (named), and an array that contradicts itself or the schema.
  static std::shared_ptr<ArrowTable const> FromStream(ArrowArrayStream* stream);
  /// The same for a single batch.
  static std::shared_ptr<ArrowTable const> FromArray(ArrowSchema* schema, ArrowArray* array);

  std::int64_t NumRows() const { return n_rows_; }
  std::int64_t NumCols() const { return static_cast<std::int64_t>(dtypes_.size()); }
  std::vector<std::string> const& Names() const { return names_; }
  std::vector<std::string> const& Types() const { return types_; }
  /// Returns the rows; null, NaN and `missing` are missing. Categories are numbered by the joined dictionary of all
  /// batches, in the order of their first appearance, texts in the order of their bytes. The table must outlive the
  /// view.
  std::unique_ptr<DataView> View(float missing) const;

 private:
  struct Release {
    void operator()(ArrowArray* array) const;
  };
  using Batch = std::unique_ptr<ArrowArray, Release>;

  void ReadSchema(ArrowSchema const& schema);
  void AddBatch(Batch batch);
  /// Numbers the texts of all batches, after the last one.
  void FinishTexts();
  Column ReadColumn(ArrowArray const& rows, std::size_t col) const;
  Column ReadTextColumn(ArrowArray const& rows, std::size_t col);
  /// Takes the names of a batch's categories.
  void ReadCategories(ArrowArray const& array, std::size_t col, Column* column);

  std::vector<std::string> names_;
  std::vector<std::string> types_;               ///< int, float, i, c
  std::vector<DType> dtypes_;                    ///< kBool: packed
  std::vector<std::uint8_t> is_null_;            ///< whether a column's type is null, so all its values are missing
  std::vector<std::string> dictionary_formats_;  ///< formats of the names of each column's categories
  std::vector<std::string> text_formats_;        ///< [n_cols], empty unless a column holds text
  std::vector<ArrowTextColumn> texts_;           ///< [n_cols]
  std::deque<std::vector<float>> text_codes_;    ///< codes of the rows of each batch and text column
  CategoryNameTable categories_;
  std::vector<Batch> batches_;
  std::vector<std::vector<Column>> columns_;  ///< [n_batches]
  std::int64_t n_rows_ = 0;
};

/// Sets the names and types of the columns. \throws Error(kData) for duplicate names.
void SetArrowNames(ArrowTable const& table, MetaInfo* info);

/// Reads texts (utf8, large_utf8, utf8_view) and integers. format: the format of the values, as in a schema. \throws
/// Error(kData) for other values, including nulls, and for arrays that contradict themselves. The producer has to
/// guarantee that buffers are as long as the offsets say.
CategoryNames ReadDictionary(std::string const& format, ArrowArray const& values);

/// Adds the names of one batch's dictionary to the names of the column. Returns the new code of each of the batch's
/// codes.
std::shared_ptr<std::vector<float> const> JoinDictionary(CategoryNames batch, CategoryNames* column);

}  // namespace kauri
