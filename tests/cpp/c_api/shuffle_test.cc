/// KauriShuffle: what it writes and what it refuses.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

TEST(ShuffleCall, WritesTheFirstElements) {
  std::vector<bst_ulong> out(4, 99);
  ASSERT_EQ(KauriShuffle(10, 0, 3, out.data()), 0);
  EXPECT_EQ(out, (std::vector<bst_ulong>{3, 0, 5, 99}));
  EXPECT_EQ(KauriShuffle(0, 0, 0, nullptr), 0);
}

TEST(ShuffleCall, Refusals) {
  bst_ulong out = 0;
  auto const refusal = [&](bst_ulong n, bst_ulong count, bst_ulong* to) {
    EXPECT_EQ(KauriShuffle(n, 0, count, to), -1);
    EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_PARAMETER);
    return std::string(XGBGetLastError());
  };
  EXPECT_NE(refusal(3, 4, &out).find("first 4 elements of a permutation of 3"), std::string::npos);
  EXPECT_NE(refusal(bst_ulong{1} << 62U, 1, &out).find("cannot shuffle 4611686018427387904"), std::string::npos);
  EXPECT_NE(refusal(3, 1, nullptr).find("'out'"), std::string::npos);
}

}  // namespace
}  // namespace kauri::testing
