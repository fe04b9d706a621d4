#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/bins/bin_store_maker.h"
#include "support/row_batches.h"
#include "tree/hist/naive_hist_tree.h"
#include "tree/hist/paged_hist.h"

namespace kauri {
namespace {

constexpr std::int64_t kRows = 200000;
constexpr std::int64_t kCols = 4;

std::shared_ptr<BinStore const> MakeStore() {
  Random random(5);
  std::vector<float> values;
  for (std::int64_t i = 0; i < kRows * kCols; ++i) values.push_back(static_cast<float>(random.Below(50)));
  auto const matrix = MakeMatrix(values, kCols, false);
  testing::RowBatches batches(*matrix, kRows / 2);
  BinStoreOptions options;
  options.in_file = true;
  return BinsOf(*MakeBinnedMatrix(Context{}, &batches, options));
}

/// The process forks while the next page is being read; the reading thread does not exist in the child.
TEST(PageReader, GoesOnInTheChildOfAFork) {
  constexpr unsigned kSecondsToHang = 10;
  auto const store = MakeStore();
  for (int repeat = 0; repeat < 10; ++repeat) {
    PageReader reader(store, {0, kRows / 2, kRows});
    reader.Get(0);
    auto const child = fork();
    if (child == 0) {
      alarm(kSecondsToHang);
      _exit(reader.Get(1).number == 1 && reader.Get(0).number == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << repeat;
    ASSERT_EQ(reader.Get(1).number, 1);
  }
}

}  // namespace
}  // namespace kauri
