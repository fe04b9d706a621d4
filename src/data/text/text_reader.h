/// \file Readers of text files into matrices. They read blocks of lines on all threads; the result depends on the file
/// alone.
///
/// Cost: one pass over the bytes and two over the entries. All blocks are held until the last is parsed, so the peak
/// memory is twice the matrix.
///
/// TextNames are names of classes and categories that the texts of a file are matched with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/text/csv_parser.h"
#include "data/text/libsvm_parser.h"
#include "data/text/text_lines.h"
#include "kauri/categories.h"
#include "kauri/data_matrix.h"
#include "kauri/parameter.h"

namespace kauri {

/// The names that are known before a file is read, extended by the names that the file adds.
struct TextNames {
  /// Names of the classes, by number. If not empty, every label of a file must be among them. Otherwise a file whose
  /// labels are not all numbers fills them, sorted by their bytes.
  std::vector<std::string> classes{};
  /// Categories that a model knows, by the column's name, or by its index if either side has no names. A column of
  /// numbers is read as names if the model's categories are texts.
  CategoryNameTable categories{};
  std::vector<std::string> features{};
};

/// Readers for the registry: `params` has the names of LibsvmParam and CsvParam.
/// \throws Error(kIo) if the file cannot be read; Error(kData) with file, line and text for malformed input, and for a
/// file without rows; Error(kParameter) for an unknown parameter.
std::unique_ptr<DataMatrix> ReadLibsvm(Context const& ctx, std::string const& path, ParamMap const& params);
std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, std::string const& path, ParamMap const& params);

/// Reads like ReadCsv, with `names` for labels and categories of text.
std::unique_ptr<DataMatrix> ReadNamedCsv(Context const& ctx, std::string const& path, ParamMap const& params,
                                         TextNames* names);

/// The same for an open file. The texts in columns of categories, and in columns of texts alone, are the names of
/// categories, sorted by their bytes. \throws Error(kData) for a text among the numbers of a column.
std::unique_ptr<DataMatrix> ReadLibsvm(Context const& ctx, TextFile const& file, LibsvmParam const& param);
std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, TextFile const& file, CsvParam const& param,
                                    TextNames* names = nullptr);

/// Detects the format of all rows from the first row. \throws Error(kData) for a file without rows.
CsvFormat DetectCsvFormat(TextFile const& file, CsvParam const& param);
/// Gives the features among the fields, [n_fields], the type of categories.
void SetCategorical(std::vector<bool> const& fields, CsvFormat* format);
/// Refuses text in the first line of a file without a header, for a reader that takes numbers alone. \throws
/// Error(kData).
void RefuseTextInFirstLine(TextFile const& file, CsvFormat const& format);
LibsvmFormat DetectLibsvmFormat(TextFile const& file, LibsvmParam const& param);

/// The mapping of columns to features.
struct LibsvmColumns {
  std::int64_t index_base = 0;  ///< number of the first feature
  std::int64_t n_cols = 0;
};

/// The range of features that occur in a file.
struct LibsvmExtent {
  std::int64_t smallest = INT64_MAX;
  std::int64_t largest = -1;

  void Add(LibsvmRows const& rows) {
    smallest = std::min(smallest, rows.smallest_feature);
    largest = std::max(largest, rows.largest_feature);
  }
  /// Returns the columns. \throws Error(kData) if there are none.
  LibsvmColumns Columns(TextFile const& file, LibsvmParam const& param) const;
};

/// Checks that queries ascend from block to block; the parser checks it within a block. `last`: the last query of the
/// rows before.
void CheckQueryOrder(TextFile const& file, std::vector<LibsvmRows> const& blocks,
                     std::vector<std::int64_t> const& lines_before, std::int64_t last);

/// Returns the rows of all blocks.
CsrStorage JoinLibsvmRows(Context const& ctx, std::vector<LibsvmRows> const& blocks, LibsvmColumns const& columns);

}  // namespace kauri
