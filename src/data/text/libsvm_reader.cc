#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/arrays/value_rules.h"
#include "data/meta_info.h"
#include "data/text/text_reader.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using LibsvmBlocks = std::vector<LibsvmRows>;

/// The places of each block's rows and entries in the result.
struct Layout : LibsvmColumns {
  std::vector<std::int64_t> first_row;    ///< [n_blocks + 1]
  std::vector<std::int64_t> first_entry;  ///< [n_blocks + 1]

  std::int64_t NumRows() const { return first_row.back(); }
  std::int64_t NumEntries() const { return first_entry.back(); }
};

Layout LayOut(LibsvmBlocks const& blocks, LibsvmColumns const& columns) {
  Layout layout{columns, {0}, {0}};
  for (auto const& block : blocks) {
    layout.first_row.push_back(layout.first_row.back() + static_cast<std::int64_t>(block.labels.size()));
    layout.first_entry.push_back(layout.first_entry.back() + static_cast<std::int64_t>(block.values.size()));
  }
  return layout;
}

/// Calls fn(block, index) on all threads.
template <typename Fn>
void ForEachBlock(Context const& ctx, LibsvmBlocks const& blocks, Fn&& fn) {
  ParallelFor(ctx, static_cast<std::int64_t>(blocks.size()),
              [&](std::int64_t index) { fn(blocks[index], static_cast<std::size_t>(index)); });
}

DenseStorage FillDense(Context const& ctx, LibsvmBlocks const& blocks, Layout const& layout) {
  DenseStorage dense;
  dense.values.resize(SizeInMemory(layout.NumRows() * layout.n_cols));
  ForEachBlock(ctx, blocks, [&](LibsvmRows const& block, std::size_t index) {
    auto* row = dense.values.data() + layout.first_row[index] * layout.n_cols - layout.index_base;
    std::size_t entry = 0;
    for (auto const row_end : block.row_ends) {
      std::fill_n(row + layout.index_base, layout.n_cols, kMissingValue);
      for (; entry < static_cast<std::size_t>(row_end); ++entry) row[block.features[entry]] = block.values[entry];
      row += layout.n_cols;
    }
  });
  return dense;
}

CsrStorage FillCsr(Context const& ctx, LibsvmBlocks const& blocks, Layout const& layout) {
  CsrStorage csr;
  csr.row_ptr.resize(static_cast<std::size_t>(layout.NumRows()) + 1);
  csr.features.resize(layout.NumEntries());
  csr.values.resize(csr.features.size());
  auto const base = static_cast<std::uint32_t>(layout.index_base);
  ForEachBlock(ctx, blocks, [&](LibsvmRows const& block, std::size_t index) {
    auto const first_entry = layout.first_entry[index];
    std::transform(block.row_ends.begin(), block.row_ends.end(), csr.row_ptr.begin() + layout.first_row[index] + 1,
                   [&](std::int64_t end) { return first_entry + end; });
    std::transform(block.features.begin(), block.features.end(), csr.features.begin() + first_entry,
                   [&](std::uint32_t feature) { return feature - base; });
    std::copy(block.values.begin(), block.values.end(), csr.values.begin() + first_entry);
  });
  return csr;
}

template <typename T>
std::vector<T> Concatenate(LibsvmBlocks const& blocks, std::vector<T> LibsvmRows::*member) {
  std::vector<T> all;
  for (auto const& block : blocks) all.insert(all.end(), (block.*member).begin(), (block.*member).end());
  return all;
}

}  // namespace

LibsvmFormat DetectLibsvmFormat(TextFile const& file, LibsvmParam const& param) {
  std::optional<LibsvmFormat> format;
  std::vector<char> buffer;
  for (std::int64_t block = 0; block < file.NumBlocks() && !format; ++block) {
    format = DetectLibsvmFormat(file.ReadBlock(block, &buffer));
  }
  if (!format) file.FailWithoutRows();
  format->first_index = std::max(param.indexing_mode, 0);
  return *format;
}

LibsvmColumns LibsvmExtent::Columns(TextFile const& file, LibsvmParam const& param) const {
  if (largest < 0) Fail(ErrorKind::kData, file.Path(), " has rows but no features.");
  LibsvmColumns columns;
  columns.index_base = param.indexing_mode < 0 ? std::min<std::int64_t>(smallest, 1) : std::max(param.indexing_mode, 0);
  columns.n_cols = largest + 1 - columns.index_base;
  return columns;
}

void CheckQueryOrder(TextFile const& file, std::vector<LibsvmRows> const& blocks,
                     std::vector<std::int64_t> const& lines_before, std::int64_t last) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    auto const& ids = blocks[i].query_ids;
    if (ids.empty()) continue;
    if (ids.front() < last) {
      file.FailAtLine(
          lines_before[i] + blocks[i].first_row_line,
          "qid:" + std::to_string(ids.front()) + " follows qid:" + std::to_string(last) + "; sort the lines by qid.");
    }
    last = ids.back();
  }
}

CsrStorage JoinLibsvmRows(Context const& ctx, std::vector<LibsvmRows> const& blocks, LibsvmColumns const& columns) {
  return FillCsr(ctx, blocks, LayOut(blocks, columns));
}

std::unique_ptr<DataMatrix> ReadLibsvm(Context const& ctx, TextFile const& file, LibsvmParam const& param) {
  auto const format = DetectLibsvmFormat(file, param);
  LibsvmBlocks blocks(static_cast<std::size_t>(file.NumBlocks()));
  auto const lines_before =
      file.ParseBlocks(ctx, [&](Span<char const> text, std::int64_t block, std::int64_t* n_lines) {
        auto& rows = blocks[block];
        auto fault = ParseLibsvmText(text, format, &rows);
        *n_lines = rows.n_lines;
        return fault;
      });
  CheckQueryOrder(file, blocks, lines_before, 0);
  LibsvmExtent extent;
  for (auto const& block : blocks) extent.Add(block);
  auto const layout = LayOut(blocks, extent.Columns(file, param));
  auto const cells = static_cast<double>(layout.NumRows()) * static_cast<double>(layout.n_cols);
  auto matrix = 2.0 * static_cast<double>(layout.NumEntries()) >= cells
                    ? DataMatrix::FromDense(FillDense(ctx, blocks, layout), layout.NumRows(), layout.n_cols, ctx)
                    : DataMatrix::FromCsr(FillCsr(ctx, blocks, layout), layout.n_cols, ctx);
  auto* info = matrix->MutableInfo();
  info->may_lack_columns = true;
  info->labels = Concatenate(blocks, &LibsvmRows::labels);
  info->weights = Concatenate(blocks, &LibsvmRows::weights);
  if (format.has_queries) info->group_ptr = GroupsFromQueryIds(Concatenate(blocks, &LibsvmRows::query_ids));
  return matrix;
}

std::unique_ptr<DataMatrix> ReadLibsvm(Context const& ctx, std::string const& path, ParamMap const& params) {
  RefuseUnknownKeys(params, DescribeParameters<LibsvmParam>(), "libsvm");
  return ReadLibsvm(ctx, TextFile(path), ParseParameters<LibsvmParam>(params));
}

}  // namespace kauri
