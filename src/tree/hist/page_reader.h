/// \file The pages of a file of bins, one after the other, the next one read while the present one is used.
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

  std::int64_t number = -1;  ///< which page it is, or is about to be; -1: none
  BinMatrix bins;            ///< rows count from the first of the page
  HistogramAdder adder;
};

/// Pages come in circles: 0, 1, .. n - 1, 0, 1, .. Two are in memory, or the only one, which is read once.
class PageReader {
 public:
  /// starts: [n_pages + 1], the first rows of the pages.
  PageReader(std::shared_ptr<BinStore const> store, std::vector<std::int64_t> starts);
  ~PageReader() { ForgetAfterFork(); }
  PageReader(PageReader const&) = delete;
  PageReader& operator=(PageReader const&) = delete;

  std::int64_t NumPages() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::int64_t FirstRow(std::int64_t page) const { return starts_[page]; }
  std::int64_t NumRows(std::int64_t page) const { return FirstRow(page + 1) - FirstRow(page); }

  /// Valid until the next call. Cheap for the page after the last one asked for. \throws Error(kIo).
  Page const& Get(std::int64_t number);

 private:
  void Read(Page* page, std::int64_t number) const;
  void ReadAhead(std::int64_t number);
  void ForgetAfterFork();

  std::shared_ptr<BinStore const> store_;
  std::vector<std::int64_t> starts_;
  std::unique_ptr<Page> present_;
  std::unique_ptr<Page> next_;
  std::future<void> reading_;  ///< fills next_; after the pages, so that it ends before they do
  pid_t process_ = 0;          ///< which `reading_` reads in
};

}  // namespace kauri
