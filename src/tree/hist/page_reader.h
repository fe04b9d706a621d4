/// \file Reads the pages of a file of bins in order. The next page is read while the current one is used.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "data/bins/bin_store.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

/// A page in memory.
struct Page {
  explicit Page(BinMatrix const& layout) : bins(MakePage(layout, 0)), adder(bins) {}

  std::int64_t number = -1;  ///< number of the page that it holds or is about to hold; -1 if none
  BinMatrix bins;            ///< row numbers start at the first row of the page
  HistogramAdder adder;
};

/// Pages are read cyclically: 0, 1, .. n - 1, 0, 1, .. Two pages are in memory; if there is only one page, it is read
/// once.
class PageReader {
 public:
  /// starts: [n_pages + 1], first row of each page.
  PageReader(std::shared_ptr<BinStore const> store, std::vector<std::int64_t> starts);
  ~PageReader() { ForgetAfterFork(); }
  PageReader(PageReader const&) = delete;
  PageReader& operator=(PageReader const&) = delete;

  std::int64_t NumPages() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::int64_t FirstRow(std::int64_t page) const { return starts_[page]; }
  std::int64_t NumRows(std::int64_t page) const { return FirstRow(page + 1) - FirstRow(page); }

  /// Returns a page, valid until the next call. Cheap for the successor of the last page returned. \throws Error(kIo).
  Page const& Get(std::int64_t number);

 private:
  void Read(Page* page, std::int64_t number) const;
  void ReadAhead(std::int64_t number);
  void ForgetAfterFork();

  std::shared_ptr<BinStore const> store_;
  std::vector<std::int64_t> starts_;
  std::unique_ptr<Page> present_;
  std::unique_ptr<Page> next_;
  std::future<void> reading_;  ///< fills next_; declared after the pages, so that it ends before they are destroyed
  pid_t process_ = 0;          ///< the process in which `reading_` runs
};

}  // namespace kauri
