#include "data/text/text_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/text/quoted.h"
#include "data/meta_info.h"
#include "data/text/side_files.h"
#include "data/text/text_reader.h"
#include "data/text/whole_text.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kBlocksAtOnce = 8;

/// Traverses a file, a few blocks at a time. Rows: CsvRows or LibsvmRows.
template <typename Rows>
class BlockWalk {
 public:
  explicit BlockWalk(TextFile const& file) : file_(file) {}
  void Restart() { next_ = n_lines_ = 0; }
  /// Parses the next blocks; returns none at the end. parse(text, block, rows) returns an error.
  template <typename Parse>
  std::vector<Rows> Next(Context const& ctx, Parse&& parse) {
    auto const last = std::min(next_ + kBlocksAtOnce, file_.NumBlocks());
    std::vector<Rows> blocks(last - next_);
    auto const parse_block = [&](Span<char const> text, std::int64_t block, std::int64_t* n_lines) {
      auto& rows = blocks[block - next_];
      auto fault = parse(text, block, &rows);
      *n_lines = rows.n_lines;
      return fault;
    };
    lines_before_ = file_.ParseBlocks(ctx, parse_block, {next_, last, n_lines_});
    n_lines_ = lines_before_.back();
    next_ = last;
    return blocks;
  }
  bool IsAtEnd() const { return next_ == file_.NumBlocks(); }
  /// Returns the number of lines before each block that Next returned last.
  std::vector<std::int64_t> const& LinesBefore() const { return lines_before_; }

 private:
  TextFile const& file_;
  std::int64_t next_ = 0;
  std::int64_t n_lines_ = 0;
  std::vector<std::int64_t> lines_before_;
};

template <typename Rows, typename Vector>
Vector Join(std::vector<Rows> const& blocks, Vector Rows::*member) {
  Vector all;
  for (auto const& block : blocks) all.insert(all.end(), (block.*member).begin(), (block.*member).end());
  return all;
}

/// Names and types of the columns, each [n_cols] or empty.
struct ColumnLabels {
  std::vector<std::string> names;
  std::vector<std::string> types;
  bool may_lack = false;  ///< MetaInfo::may_lack_columns
  bool may_name = false;  ///< MetaInfo::may_name_categories
};

/// Passes a matrix on as a batch. Returns false if it has no rows.
template <typename Rows>
bool Give(std::shared_ptr<DataMatrix> const& matrix, std::vector<Rows> const& blocks, ColumnLabels const& columns,
          RowBatch* batch) {
  if (matrix->NumRows() == 0) return false;
  matrix->MutableInfo()->feature_names = columns.names;
  matrix->MutableInfo()->feature_types = columns.types;
  matrix->MutableInfo()->may_lack_columns = columns.may_lack;
  matrix->MutableInfo()->may_name_categories = columns.may_name;
  matrix->MutableInfo()->labels = Join(blocks, &Rows::labels);
  matrix->MutableInfo()->weights = Join(blocks, &Rows::weights);
  batch->info = matrix->Info();
  batch->rows = matrix->View();
  batch->keep = matrix;
  return true;
}

class CsvSource : public TextSource {
 public:
  CsvSource(std::string const& path, CsvParam const& param)
      : file_(path),
        format_(DetectCsvFormat(file_, param)),
        walk_(file_),
        columns_{format_.feature_names, ReadFeatureTypes(path, format_.NumFeatures(), format_.feature_types), false,
                 true} {
    RefuseTextInFirstLine(file_, format_);
    if (format_.Has(CsvRole::kQuery)) {
      Fail(ErrorKind::kParameter, "qid_column=", param.qid_column, " of ", Quoted(path),
           " needs the whole file; leave out the cache after '#', or give sizes of queries in ", path, ".group.");
    }
  }
  void Restart() override { walk_.Restart(); }
  bool Next(Context const& ctx, RowBatch* batch) override {
    while (!walk_.IsAtEnd()) {
      auto const blocks = walk_.Next(ctx, [this](Span<char const> text, std::int64_t block, CsvRows* rows) {
        return ParseCsvText(text, block, format_, rows);
      });
      std::int64_t n_rows = 0;
      for (auto const& block : blocks) n_rows += block.n_rows;
      auto matrix = DataMatrix::FromDense({Join(blocks, &CsvRows::values)}, n_rows, format_.NumFeatures(), ctx);
      if (Give(std::shared_ptr<DataMatrix>(std::move(matrix)), blocks, columns_, batch)) return true;
    }
    return false;
  }

 private:
  TextFile file_;
  CsvFormat format_;
  BlockWalk<CsvRows> walk_;
  ColumnLabels columns_;
};

class LibsvmSource : public TextSource {
 public:
  LibsvmSource(Context const& ctx, std::string const& path, LibsvmParam const& param)
      : file_(path), format_(DetectLibsvmFormat(file_, param)), walk_(file_) {
    LibsvmExtent extent;
    while (!walk_.IsAtEnd()) {
      auto const blocks = Parse(ctx);
      CheckQueryOrder(file_, blocks, walk_.LinesBefore(), query_ids_.empty() ? 0 : query_ids_.back());
      for (auto const& block : blocks) {
        extent.Add(block);
        query_ids_.insert(query_ids_.end(), block.query_ids.begin(), block.query_ids.end());
      }
    }
    columns_ = extent.Columns(file_, param);
    types_ = ReadFeatureTypes(path, columns_.n_cols, {});
  }
  void Restart() override { walk_.Restart(); }
  bool Next(Context const& ctx, RowBatch* batch) override {
    while (!walk_.IsAtEnd()) {
      auto const blocks = Parse(ctx);
      auto matrix = DataMatrix::FromCsr(JoinLibsvmRows(ctx, blocks, columns_), columns_.n_cols, ctx);
      if (Give(std::shared_ptr<DataMatrix>(std::move(matrix)), blocks, {{}, types_, true}, batch)) return true;
    }
    return false;
  }
  std::vector<std::int64_t> GroupPtr() const override {
    return format_.has_queries ? GroupsFromQueryIds(query_ids_) : std::vector<std::int64_t>();
  }

 private:
  std::vector<LibsvmRows> Parse(Context const& ctx) {
    return walk_.Next(ctx, [this](Span<char const> text, std::int64_t, LibsvmRows* rows) {
      return ParseLibsvmText(text, format_, rows);
    });
  }

  TextFile file_;
  LibsvmFormat format_;
  BlockWalk<LibsvmRows> walk_;
  LibsvmColumns columns_;
  std::vector<std::string> types_;
  std::vector<std::int64_t> query_ids_;
};

}  // namespace

std::unique_ptr<TextSource> MakeTextSource(Context const& ctx, std::string const& format, std::string const& path,
                                           ParamMap const& params) {
  if (IsReadWhole(path)) {
    Fail(ErrorKind::kParameter, IsStandardInput(path) ? "standard input" : Quoted(path) + ", which is gzip,",
         " cannot be read part by part; unpack it into a file, or leave out the cache after '#'.");
  }
  if (format == "csv") {
    RefuseUnknownKeys(params, DescribeParameters<CsvParam>(), "csv");
    return std::make_unique<CsvSource>(path, ParseParameters<CsvParam>(params));
  }
  if (format == "libsvm") {
    RefuseUnknownKeys(params, DescribeParameters<LibsvmParam>(), "libsvm");
    return std::make_unique<LibsvmSource>(ctx, path, ParseParameters<LibsvmParam>(params));
  }
  Fail(ErrorKind::kParameter, Quoted(path), " has the format ", Quoted(format),
       ", which is not read part by part; with a cache name after '#' it must be csv or libsvm.");
}

}  // namespace kauri
