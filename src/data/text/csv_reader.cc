#include <algorithm>
#include <utility>

#include "common/parallel_for.h"
#include "data/text/text_reader.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using Blocks = std::vector<CsvRows>;

void CheckColumn(TextFile const& file, char const* name, std::int64_t column, std::int64_t n_fields) {
  if (column < n_fields) return;
  Fail(ErrorKind::kParameter, name, "=", column, " is past the last column of ", file.Path(), ", which has ", n_fields,
       "; columns count from 0.");
}

}  // namespace

CsvFormat DetectCsvFormat(TextFile const& file, CsvParam const& param) {
  std::optional<CsvFirstLine> first;
  std::vector<char> buffer;
  std::int64_t lines_before = 0;
  for (std::int64_t block = 0; block < file.NumBlocks() && !first; ++block) {
    std::int64_t n_lines = 0;
    first = FindCsvFirstLine(file.ReadBlock(block, &buffer), param.Delimiter(), &n_lines);
    lines_before += first ? 0 : n_lines;
  }
  if (!first) file.FailWithoutRows();
  if (!first->not_a_number.empty()) {
    file.FailAtLine(lines_before + first->line,
                    "field " + std::to_string(first->field) + ", " + first->not_a_number +
                        ", is not a number. If this line is a header, remove it; if fields are not separated by '" +
                        param.delimiter + "', set delimiter.");
  }
  CheckColumn(file, "label_column", param.label_column, first->n_fields);
  CheckColumn(file, "weight_column", param.weight_column, first->n_fields);
  CsvFormat const format{first->n_fields, param.label_column, param.weight_column, param.Delimiter()};
  if (format.NumFeatures() == 0) Fail(ErrorKind::kData, file.Path(), " has rows but no features.");
  return format;
}

namespace {

std::vector<float> Concatenate(Context const& ctx, Blocks const& blocks, std::vector<float> CsvRows::*member) {
  std::vector<std::size_t> first{0};
  for (auto const& block : blocks) first.push_back(first.back() + (block.*member).size());
  std::vector<float> all(first.back());
  ParallelFor(ctx, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t block) {
    auto const index = static_cast<std::size_t>(block);
    auto const& part = blocks[index].*member;
    std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first[index]));
  });
  return all;
}

}  // namespace

std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, TextFile const& file, CsvParam const& param) {
  auto const format = DetectCsvFormat(file, param);
  Blocks blocks(static_cast<std::size_t>(file.NumBlocks()));
  file.ParseBlocks(ctx, [&](Span<char const> text, std::int64_t block, std::int64_t* n_lines) {
    auto& rows = blocks[block];
    auto fault = ParseCsvText(text, format, &rows);
    *n_lines = rows.n_lines;
    return fault;
  });
  std::int64_t n_rows = 0;
  for (auto const& block : blocks) n_rows += block.n_rows;
  auto matrix = DataMatrix::FromDense({Concatenate(ctx, blocks, &CsvRows::values)}, n_rows, format.NumFeatures(), ctx);
  matrix->MutableInfo()->labels = Concatenate(ctx, blocks, &CsvRows::labels);
  matrix->MutableInfo()->weights = Concatenate(ctx, blocks, &CsvRows::weights);
  return matrix;
}

std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, std::string const& path, ParamMap const& params) {
  RefuseUnknownKeys(params, DescribeParameters<CsvParam>(), "csv");
  return ReadCsv(ctx, TextFile(path), ParseParameters<CsvParam>(params));
}

}  // namespace kauri
