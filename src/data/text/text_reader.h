/// \file Text files into matrices. Each reads blocks of lines on all threads; the result depends on the file alone.
///
/// Cost: one pass over the bytes and two over the entries. All blocks are held until the last is parsed, so the peak is
/// the matrix twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "data/text/csv_parser.h"
#include "data/text/libsvm_parser.h"
#include "data/text/text_lines.h"
#include "data/text/text_names.h"
#include "kauri/data_matrix.h"
#include "kauri/parameter.h"

namespace kauri {

/// Readers for the registry: the names of `params` are those of LibsvmParam and CsvParam.
/// \throws Error(kIo) when the file cannot be read; Error(kData) with file, line and text for what is malformed, and
/// for a file
///         without rows; Error(kParameter) for an unknown parameter.
std::unique_ptr<DataMatrix> ReadLibsvm(Context const& ctx, std::string const& path, ParamMap const& params);
std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, std::string const& path, ParamMap const& params);

/// As ReadCsv, with `names` for labels and categories of text.
std::unique_ptr<DataMatrix> ReadNamedCsv(Context const& ctx, std::string const& path, ParamMap const& params,
                                         TextNames* names);

/// The same from an open file. Texts in columns of categories are their names, sorted by their bytes.
std::unique_ptr<DataMatrix> ReadLibsvm(Context const& ctx, TextFile const& file, LibsvmParam const& param);
std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, TextFile const& file, CsvParam const& param,
                                    TextNames* names = nullptr);

/// What the first row of a file decides for all. \throws Error(kData) for a file without rows.
CsvFormat DetectCsvFormat(TextFile const& file, CsvParam const& param);
LibsvmFormat DetectLibsvmFormat(TextFile const& file, LibsvmParam const& param);

/// Which features the columns are.
struct LibsvmColumns {
  std::int64_t index_base = 0;  ///< number of the first feature
  std::int64_t n_cols = 0;
};

/// The features that occur in a file.
struct LibsvmExtent {
  std::int64_t smallest = INT64_MAX;
  std::int64_t largest = -1;

  void Add(LibsvmRows const& rows) {
    smallest = std::min(smallest, rows.smallest_feature);
    largest = std::max(largest, rows.largest_feature);
  }
  /// \throws Error(kData) for none.
  LibsvmColumns Columns(TextFile const& file, LibsvmParam const& param) const;
};

/// Queries ascend within a block; this checks it from block to block. `last`: of the rows before.
void CheckQueryOrder(TextFile const& file, std::vector<LibsvmRows> const& blocks,
                     std::vector<std::int64_t> const& lines_before, std::int64_t last);

/// The rows of all blocks.
CsrStorage JoinLibsvmRows(Context const& ctx, std::vector<LibsvmRows> const& blocks, LibsvmColumns const& columns);

}  // namespace kauri
