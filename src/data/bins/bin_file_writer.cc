#include "data/bins/bin_file_writer.h"

#include <utility>
#include <vector>

#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kPointerBytes = sizeof(std::int64_t);
constexpr std::int64_t kCellBytes = sizeof(std::uint32_t);

[[noreturn]] void FailOtherSize(std::int64_t n_rows, std::int64_t n_entries, std::int64_t rows, std::int64_t entries) {
  Fail(ErrorKind::kData, "the second pass over the batches gave ", rows, " rows with ", entries,
       " values, the first one ", n_rows, " with ", n_entries, "; an iterator must give the same rows each time.");
}

}  // namespace

BinFileWriter::BinFileWriter(BinMatrix layout, std::int64_t n_rows, std::int64_t n_entries, std::string const& prefix)
    : layout_(std::move(layout)),
      n_rows_(n_rows),
      n_entries_(n_entries),
      file_(std::make_unique<PageFile const>(prefix)) {
  file_->Reserve(layout_.IsDense() ? n_rows * layout_.CodeBytesOfRow()
                                   : (n_rows + 1) * kPointerBytes + n_entries * kCellBytes);
}

void BinFileWriter::Write(Context const& ctx, DataMatrix const& part) {
  auto page = MakePage(layout_, part.NumRows());
  page.Append(ctx, *part.View());
  auto const rows = rows_written_ + part.NumRows();
  if (rows > n_rows_) FailOtherSize(n_rows_, n_entries_, rows, entries_written_ + part.NumEntries());
  if (layout_.IsDense()) {
    file_->Write(rows_written_ * layout_.CodeBytesOfRow(), page.MutableCodes());
  } else {
    WriteEntries(&page);
  }
  rows_written_ = rows;
  entries_written_ += part.NumEntries();
}

void BinFileWriter::WriteEntries(BinMatrix* page) {
  auto const row_ptr = page->MutableRowPtr();
  auto const n_entries = entries_written_ + row_ptr[row_ptr.size() - 1];
  if (n_entries > n_entries_) FailOtherSize(n_rows_, n_entries_, rows_written_, n_entries);
  for (auto& pointer : row_ptr) pointer += entries_written_;
  file_->Write(rows_written_ * kPointerBytes,
               {reinterpret_cast<char const*>(row_ptr.data()), row_ptr.size() * sizeof(row_ptr[0])});
  file_->Write((n_rows_ + 1) * kPointerBytes + entries_written_ * kCellBytes, page->MutableCodes());
}

std::shared_ptr<BinStore const> BinFileWriter::Finish(BinStoreOptions const& options, int max_bin) {
  if (rows_written_ != n_rows_ || entries_written_ != n_entries_) {
    FailOtherSize(n_rows_, n_entries_, rows_written_, entries_written_);
  }
  if (!layout_.IsDense() && n_rows_ == 0) {
    std::int64_t const zero = 0;
    file_->Write(0, {reinterpret_cast<char const*>(&zero), sizeof(zero)});
  }
  return std::make_shared<BinStore const>(
      std::move(layout_), BinFile{std::move(file_), n_rows_, n_entries_, options.budget, options.for_approx}, max_bin);
}

}  // namespace kauri
