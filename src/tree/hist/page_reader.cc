#include "tree/hist/page_reader.h"

#include <utility>

namespace kauri {
namespace {

constexpr std::size_t kBytesReadAhead = std::size_t{1} << 14U;  // reading fewer takes less time than starting a thread

}  // namespace

PageReader::PageReader(std::shared_ptr<BinStore const> store, std::vector<std::int64_t> starts)
    : store_(std::move(store)), starts_(std::move(starts)) {
  present_ = std::make_unique<Page>(store_->Layout());
  if (NumPages() > 1) next_ = std::make_unique<Page>(store_->Layout());
}

void PageReader::Read(Page* page, std::int64_t number) const {
  page->number = -1;  // for as long as it is incomplete
  store_->ReadPage(FirstRow(number), FirstRow(number + 1), &page->bins);
  page->number = number;
}

Page const& PageReader::Get(std::int64_t number) {
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
    reading_ = std::async(std::launch::async, [this, after, page = next_.get()] { Read(page, after); });
  }
  return *present_;
}

}  // namespace kauri
