#include "tree/hist/page_reader.h"

#include <unistd.h>

#include <system_error>
#include <utility>

namespace kauri {
namespace {

constexpr std::size_t kBytesReadAhead = std::size_t{1} << 14U;  // reading less is faster than starting a thread

}  // namespace

PageReader::PageReader(std::shared_ptr<BinStore const> store, std::vector<std::int64_t> starts)
    : store_(std::move(store)), starts_(std::move(starts)) {
  present_ = std::make_unique<Page>(store_->Layout());
  if (NumPages() > 1) next_ = std::make_unique<Page>(store_->Layout());
}

void PageReader::Read(Page* page, std::int64_t number) const {
  page->number = -1;  // while it is incomplete
  store_->ReadPage(FirstRow(number), FirstRow(number + 1), &page->bins);
  page->number = number;
}

/// Starts reading a page. If no thread can be started, Get reads the page itself.
void PageReader::ReadAhead(std::int64_t number) {
  process_ = getpid();
  try {
    reading_ = std::async(std::launch::async, [this, number, page = next_.get()] { Read(page, number); });
  } catch (std::system_error const&) {
    reading_ = {};
  }
}

/// Abandons the read after a fork: the child has no reading thread, so the next page is incomplete and waiting would
/// never end.
void PageReader::ForgetAfterFork() {
  if (!reading_.valid() || process_ == getpid()) return;
  static_cast<void>(std::make_unique<std::future<void>>(std::move(reading_)).release());  // its destructor would wait
  next_->number = -1;
}

Page const& PageReader::Get(std::int64_t number) {
  ForgetAfterFork();
  if (reading_.valid()) reading_.get();
  if (present_->number != number) {
    if (next_ != nullptr && next_->number == number) {
      std::swap(present_, next_);
    } else {
      Read(present_.get(), number);
    }
  }
  auto const after = (number + 1) % NumPages();
  auto const is_worth_a_thread = present_->bins.MutableCodes().size() >= kBytesReadAhead;
  if (next_ != nullptr && next_->number != after && is_worth_a_thread) {
    ReadAhead(after);
  }
  return *present_;
}

}  // namespace kauri
