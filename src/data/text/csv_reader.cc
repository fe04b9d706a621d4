#include <algorithm>
#include <utility>

#include "common/parallel_for.h"
#include "data/meta_info.h"
#include "data/text/text_reader.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using Blocks = std::vector<CsvRows>;

template <typename T>
std::vector<T> Concatenate(Context const& ctx, Blocks const& blocks, std::vector<T> CsvRows::*member) {
  std::vector<std::size_t> first{0};
  for (auto const& block : blocks) first.push_back(first.back() + (block.*member).size());
  std::vector<T> all(first.back());
  ParallelFor(ctx, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t block) {
    auto const index = static_cast<std::size_t>(block);
    auto const& part = blocks[index].*member;
    std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first[index]));
  });
  return all;
}

void SetQueries(TextFile const& file, std::vector<std::int64_t> const& query_ids, MetaInfo* info) {
  try {
    info->group_ptr = GroupsFromQueryIds(query_ids);
  } catch (Error const& error) {
    Fail(error.Kind(), file.Path(), ": ", error.what());
  }
}

}  // namespace

std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, TextFile const& file, CsvParam const& param) {
  auto const format = DetectCsvFormat(file, param);
  Blocks blocks(static_cast<std::size_t>(file.NumBlocks()));
  file.ParseBlocks(ctx, [&](Span<char const> text, std::int64_t block, std::int64_t* n_lines) {
    auto& rows = blocks[block];
    auto fault = ParseCsvText(text, block, format, &rows);
    *n_lines = rows.n_lines;
    return fault;
  });
  std::int64_t n_rows = 0;
  for (auto const& block : blocks) n_rows += block.n_rows;
  if (n_rows == 0) file.FailWithoutRows();  // but for a header
  auto matrix = DataMatrix::FromDense({Concatenate(ctx, blocks, &CsvRows::values)}, n_rows, format.NumFeatures(), ctx);
  auto* const info = matrix->MutableInfo();
  info->labels = Concatenate(ctx, blocks, &CsvRows::labels);
  info->weights = Concatenate(ctx, blocks, &CsvRows::weights);
  info->feature_names = format.feature_names;
  info->feature_types = format.feature_types;
  if (format.Has(CsvRole::kQuery)) SetQueries(file, Concatenate(ctx, blocks, &CsvRows::query_ids), info);
  return matrix;
}

std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, std::string const& path, ParamMap const& params) {
  RefuseUnknownKeys(params, DescribeParameters<CsvParam>(), "csv");
  return ReadCsv(ctx, TextFile(path), ParseParameters<CsvParam>(params));
}

}  // namespace kauri
