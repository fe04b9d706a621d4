/// \file Text files into matrices. Each reads blocks of lines on all threads; the result depends on the file alone.
///
/// Cost: one pass over the bytes and two over the entries. All blocks are held until the last is parsed, so the peak is
/// the matrix twice.
#pragma once

#include <memory>
#include <string>

#include "data/csv_parser.h"
#include "data/libsvm_parser.h"
#include "data/text_lines.h"
#include "kauri/data_matrix.h"
#include "kauri/parameter.h"

namespace kauri {

/// Readers for the registry: the names of `params` are those of LibsvmParam and CsvParam.
/// \throws Error(kIo) when the file cannot be read; Error(kData) with file, line and text for what is malformed, and
/// for a file
///         without rows; Error(kParameter) for an unknown parameter.
std::unique_ptr<DataMatrix> ReadLibsvm(Context const& ctx, std::string const& path, ParamMap const& params);
std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, std::string const& path, ParamMap const& params);

/// The same from an open file.
std::unique_ptr<DataMatrix> ReadLibsvm(Context const& ctx, TextFile const& file, LibsvmParam const& param);
std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, TextFile const& file, CsvParam const& param);

}  // namespace kauri
