/// Random permutations.
#include "common/shuffle.h"

#include <algorithm>

#include "c_api/global.h"
#include "c_api/guard.h"

namespace kauri::c_api {
namespace {

void WriteShuffle(bst_ulong n, bst_ulong seed, bst_ulong count, bst_ulong* out) {
  if (n > static_cast<bst_ulong>(Shuffle::kMaxSize)) {
    Fail(ErrorKind::kParameter, "cannot shuffle ", n, " elements; at most ", Shuffle::kMaxSize, " are possible.");
  }
  if (count > n) {
    Fail(ErrorKind::kParameter, "asked for the first ", count, " elements of a permutation of ", n,
         "; ask for no more than it has.");
  }
  if (count == 0) return;
  NotNull(out, "out");
  auto const shuffle = Shuffle(static_cast<std::int64_t>(n), seed);
  auto const first = shuffle.First(MakeContext(0), static_cast<std::int64_t>(count));
  std::copy(first.begin(), first.end(), out);
}

}  // namespace
}  // namespace kauri::c_api

int KauriShuffle(bst_ulong n, bst_ulong seed, bst_ulong count, bst_ulong* out) {
  return kauri::c_api::Guard([&] { kauri::c_api::WriteShuffle(n, seed, count, out); });
}
