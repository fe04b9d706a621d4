/// Computes random permutations, and puts rows into a random order.
#include "common/shuffle/shuffle.h"

#include <algorithm>
#include <string>

#include "booster/boosters/device.h"
#include "c_api/arrays.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "common/shuffle/shuffle_rows.h"
#include "common/shuffle/shuffle_walk.h"
#include "data/arrays/row_move.h"

namespace kauri::c_api {
namespace {

void CheckShuffle(bst_ulong n, bst_ulong count) {
  if (n > static_cast<bst_ulong>(Shuffle::kMaxSize)) {
    Fail(ErrorKind::kParameter, "cannot shuffle ", n, " elements; at most ", Shuffle::kMaxSize, " are possible.");
  }
  if (count > n) {
    Fail(ErrorKind::kParameter, "asked for the first ", count, " elements of a permutation of ", n,
         "; ask for no more than it has.");
  }
}

void WriteShuffle(bst_ulong n, bst_ulong seed, bst_ulong count, bst_ulong* out) {
  CheckShuffle(n, count);
  if (count == 0) return;
  NotNull(out, "out");
  WalkShuffle(MakeContext(0), Shuffle(static_cast<std::int64_t>(n), seed), static_cast<std::int64_t>(count),
              [&](std::int64_t position, std::uint64_t const* elements, std::int64_t size) {
                std::copy(elements, elements + size, out + position);
              });
}

/// Returns the ordinal of the single CUDA device that `text` names.
int DeviceNamed(std::string const& text) {
  auto const device = FindDevice({{"device", text}});
  if (device.kind != DeviceKind::kCuda || device.ordinals.size() > 1) {
    Fail(ErrorKind::kParameter, "device is '", text, "'; a list in device memory needs one device, cuda or cuda:N. ",
         "KauriShuffle writes to host memory.");
  }
  return device.ordinal;
}

void ShuffleArrays(AnyArray const& from, AnyArray const& to, std::uint64_t seed) {
  if (from.array.view.Size() > 0 && from.on_device != to.on_device) {
    Fail(ErrorKind::kData, (from.on_device ? "in" : "out"), " is in device memory, ", (from.on_device ? "out" : "in"),
         " is in host memory; move both to the same memory.");
  }
  if (from.on_device) return RequireDeviceMemory()->ShuffleRows(from.array, to.array, seed);
  auto const move = RowMoveOf(from.array.view, to.array.view);
  if (move.n_rows == 0 || move.row_bytes == 0) return;
  if (move.from == move.to) {
    ShuffleRowsInPlace(MakeContext(0), move, seed);
  } else {
    ShuffleRows(MakeContext(0), move, seed);
  }
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriShuffle(bst_ulong n, bst_ulong seed, bst_ulong count, bst_ulong* out) {
  return Guard([&] { WriteShuffle(n, seed, count, out); });
}

int KauriShuffleRows(char const* in, char const* out, bst_ulong seed) {
  return Guard([&] { ShuffleArrays(AnyArrayOf(in, "in"), AnyArrayOf(out, "out"), seed); });
}

int KauriShuffleOnDevice(bst_ulong n, bst_ulong seed, bst_ulong count, char const* device,
                         KauriDeviceArrayHandle* out) {
  return Guard([&] {
    CheckShuffle(n, count);
    NotNull(out, "out");
    auto const ordinal = DeviceNamed(NotNull(device, "device"));
    *out = new DeviceArrayHandle(kauri::RequireDeviceMemory()->ListShuffle(static_cast<std::int64_t>(n), seed,
                                                                           static_cast<std::int64_t>(count), ordinal));
  });
}
