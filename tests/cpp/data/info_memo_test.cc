/// Facts about labels that stay with a matrix.
#include "data/info_memo.h"

#include <gtest/gtest.h>

#include "kauri/error.h"

namespace kauri::testing {
namespace {

TEST(InfoMemo, ComputesAFactOncePerRevision) {
  InfoMemo memo;
  int n_computed = 0;
  auto const compute = [&] {
    ++n_computed;
    return std::vector<float>{static_cast<float>(n_computed)};
  };
  EXPECT_EQ(memo.Get(1, "a", compute), std::vector<float>{1.0F});
  EXPECT_EQ(memo.Get(1, "a", compute), std::vector<float>{1.0F});
  EXPECT_EQ(memo.Get(1, "b", compute), std::vector<float>{2.0F});
  EXPECT_EQ(memo.Get(2, "a", compute), std::vector<float>{3.0F});
  EXPECT_EQ(memo.Get(1, "a", compute), std::vector<float>{4.0F});
}

TEST(InfoMemo, KeepsNothingOfAFailure) {
  InfoMemo memo;
  int n_calls = 0;
  auto const fail = [&]() -> std::vector<float> {
    ++n_calls;
    Fail(ErrorKind::kData, "no");
  };
  EXPECT_THROW(memo.Get(1, "a", fail), Error);
  EXPECT_THROW(memo.Get(1, "a", fail), Error);
  EXPECT_EQ(n_calls, 2);
}

TEST(InfoMemo, HoldsFewFacts) {
  InfoMemo memo;
  int n_computed = 0;
  for (int key = 0; key < 100; ++key) {
    memo.Get(1, std::to_string(key), [&] {
      ++n_computed;
      return std::vector<float>();
    });
  }
  memo.Get(1, "0", [&] {
    ++n_computed;
    return std::vector<float>();
  });
  EXPECT_EQ(n_computed, 101);
}

}  // namespace
}  // namespace kauri::testing
