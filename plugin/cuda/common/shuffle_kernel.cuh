/// \file The bijective shuffle in one pass over the rows ("Bandwidth-optimal random shuffling for GPUs", section 6:
/// Bijective2). A block's tile:
/// 1. Take the next kItems * kShuffleThreads candidates and evaluate the bijection in registers.
/// 2. Count the images that stay, by ballots, and announce the count to later tiles.
/// 3. Write the images that stay to shared memory, in order, and read their rows.
/// 4. By look-back, find out how many images of earlier tiles stay, and write the rows from that position on,
///    contiguously.
/// Each row is read once, at its image, and written once, in order.
///
/// Three things are parameters: the bijection, the source and destination of rows (a sink), and the way in which a tile
/// learns its place (Places: look-back, or counts that were added up before, for comparisons).
#pragma once

#include <cstdint>
#include <cub/warp/warp_scan.cuh>

#include "common/shuffle/shuffle.h"
#include "cuda/common/launch.h"
#include "cuda/common/look_back.cuh"

namespace kauri::cuda {

constexpr int kShuffleThreads = 256;

/// Candidates of the bijection that one launch evaluates, and the position of the first image that stays.
struct CandidateRange {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t first_position;
};

/// Rows of one word each. Strides in words.
template <typename Word>
struct WordRows {
  Word const* from;
  Word* to;
  std::int64_t from_stride;
  std::int64_t to_stride;

  /// Data that a thread holds between reading and writing its rows.
  template <int kItems>
  struct Held {
    Word words[kItems];
  };
  template <int kItems>
  __device__ void Read(std::uint64_t const* images, int n_kept, Held<kItems>* held) const {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      int const i = item * kShuffleThreads + static_cast<int>(threadIdx.x);
      if (i < n_kept) held->words[item] = __ldg(from + static_cast<std::int64_t>(images[i]) * from_stride);
    }
  }
  template <int kItems>
  __device__ void Write(std::uint64_t const*, int n_kept, std::int64_t position, Held<kItems> const& held) const {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      int const i = item * kShuffleThreads + static_cast<int>(threadIdx.x);
      if (i < n_kept) __stcs(to + (position + i) * to_stride, held.words[item]);
    }
  }
};

/// Rows of several words: 2^log_lanes neighbouring lanes, at most a warp, copy a row.
template <typename Word>
struct WideRows {
  Word const* from;
  Word* to;
  std::int64_t from_stride;
  std::int64_t to_stride;
  std::int64_t n_words;
  int log_lanes;

  template <int kItems>
  struct Held {};
  template <int kItems>
  __device__ void Read(std::uint64_t const*, int, Held<kItems>*) const {}
  template <int kItems>
  __device__ void Write(std::uint64_t const* images, int n_kept, std::int64_t position, Held<kItems> const&) const {
    int const lanes = 1 << log_lanes;
    int const lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    for (int i = static_cast<int>(threadIdx.x) >> log_lanes; i < n_kept; i += kShuffleThreads >> log_lanes) {
      auto const* source = from + static_cast<std::int64_t>(images[i]) * from_stride;
      auto* target = to + (position + i) * to_stride;
      for (std::int64_t word = lane; word < n_words; word += lanes) __stcs(target + word, __ldg(source + word));
    }
  }
};

/// A sink without rows: writes the images themselves, at positions below `count`.
struct ImageList {
  std::int64_t* to;
  std::int64_t count;

  template <int kItems>
  struct Held {};
  template <int kItems>
  __device__ void Read(std::uint64_t const*, int, Held<kItems>*) const {}
  template <int kItems>
  __device__ void Write(std::uint64_t const* images, int n_kept, std::int64_t position, Held<kItems> const&) const {
    for (int i = static_cast<int>(threadIdx.x); i < n_kept && position + i < count; i += kShuffleThreads) {
      to[position + i] = static_cast<std::int64_t>(images[i]);
    }
  }
};

/// The agent: the work of a block.
template <typename Bijection, typename Rows, typename Places, int kItems>
class ShuffleTile {
  static constexpr int kWarps = kShuffleThreads / 32;
  static constexpr int kCounts = kItems * kWarps;
  static constexpr int kCountsPerLane = (kCounts + 31) / 32;
  using WarpScan = cub::WarpScan<int>;

 public:
  static constexpr int kCandidates = kItems * kShuffleThreads;

  struct Storage {
    std::uint64_t images[kCandidates];
    int counts[kCounts];  ///< [kItems, kWarps]: images that stay, then the images before them in the tile
    typename WarpScan::TempStorage scan;
    std::int64_t tile;
    std::int64_t before;
    int n_kept;
  };

  __device__ ShuffleTile(Storage* storage, BijectiveShuffle<Bijection> const& shuffle, Places const& places)
      : storage_(*storage), shuffle_(shuffle), places_(places), warp_(static_cast<int>(threadIdx.x) / 32) {}

  __device__ void Process(CandidateRange const& range, Rows const& rows) {
    if (threadIdx.x == 0) storage_.tile = places_.TakeTile();
    __syncthreads();
    KeepImages(range);
    typename Rows::template Held<kItems> held;
    rows.template Read<kItems>(storage_.images, storage_.n_kept, &held);
    if (warp_ == 0) {
      auto const before = places_.CountBefore(storage_.tile, storage_.n_kept);
      if (threadIdx.x == 0) storage_.before = before;
    }
    __syncthreads();
    rows.template Write<kItems>(storage_.images, storage_.n_kept, range.first_position + storage_.before, held);
  }

 private:
  /// Sets storage.images[0 .. n_kept) to the tile's images that stay. Ends with a barrier.
  __device__ void KeepImages(CandidateRange const& range) {
    auto const first = range.begin + storage_.tile * kCandidates + threadIdx.x;
    std::uint64_t images[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      images[item] = static_cast<std::uint64_t>(first + item * kShuffleThreads);
    }
    shuffle_.Keyed().ForwardMany(images);
    unsigned stay[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      bool const exists = first + item * kShuffleThreads < range.end;
      bool const stays = exists && images[item] < static_cast<std::uint64_t>(shuffle_.Size());
      stay[item] = __ballot_sync(LookBackView::kWholeWarp, stays);
      if (threadIdx.x % 32U == 0) storage_.counts[item * kWarps + warp_] = __popc(stay[item]);
    }
    __syncthreads();
    if (warp_ == 0) AddUpCounts();
    __syncthreads();
    unsigned const lane = threadIdx.x % 32U;
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      if (((stay[item] >> lane) & 1U) == 0) continue;
      int const place = storage_.counts[item * kWarps + warp_] + __popc(stay[item] & ((1U << lane) - 1U));
      storage_.images[place] = images[item];
    }
    __syncthreads();
  }

  /// Replaces each count by the sum of the counts before it, and announces the sum of all. Called by the first warp.
  __device__ void AddUpCounts() {
    int const begin = static_cast<int>(threadIdx.x) * kCountsPerLane;
    int sum = 0;
    for (int i = 0; i < kCountsPerLane; ++i) sum += begin + i < kCounts ? storage_.counts[begin + i] : 0;
    int before = 0;
    int all = 0;
    WarpScan(storage_.scan).ExclusiveSum(sum, before, all);
    for (int i = 0; i < kCountsPerLane && begin + i < kCounts; ++i) {
      int const count = storage_.counts[begin + i];
      storage_.counts[begin + i] = before;
      before += count;
    }
    if (threadIdx.x == 0) {
      storage_.n_kept = all;
      places_.Announce(storage_.tile, all);
    }
  }

  Storage& storage_;
  BijectiveShuffle<Bijection> const& shuffle_;
  Places const& places_;
  int warp_;
};

template <typename Bijection, typename Rows, typename Places, int kItems>
__global__ void __launch_bounds__(kShuffleThreads)
    ShuffleKernel(__grid_constant__ BijectiveShuffle<Bijection> const shuffle, CandidateRange range, Rows rows,
                  Places places) {
  using Tile = ShuffleTile<Bijection, Rows, Places, kItems>;
  __shared__ typename Tile::Storage storage;
  Tile(&storage, shuffle, places).Process(range, rows);
}

/// Candidates per thread of a tile: with many candidates, and with too few to keep a device busy with such tiles.
constexpr int kManyItems = 8;
constexpr int kFewItems = 2;
constexpr std::int64_t kFewCandidates = std::int64_t{1} << 20U;

/// Returns the number of tiles for n candidates.
inline std::int64_t NumTiles(std::int64_t n, int items) {
  auto const candidates = std::int64_t{items} * kShuffleThreads;
  return (n + candidates - 1) / candidates;
}

/// Launches the kernel over the range; returns its number of tiles.
template <typename Bijection, typename Rows>
std::int64_t LaunchShuffle(CudaContext const& cuda, BijectiveShuffle<Bijection> const& shuffle,
                           CandidateRange const& range, Rows const& rows, LookBack* look_back) {
  auto const n = range.end - range.begin;
  auto const launch = [&](auto* kernel, int items) {
    auto const n_tiles = NumTiles(n, items);
    Launch(cuda, static_cast<unsigned>(n_tiles), kShuffleThreads, kernel, shuffle, range, rows,
           LookBackView(look_back->Prepare(cuda, n_tiles)));
    return n_tiles;
  };
  if (n < kFewCandidates) return launch(ShuffleKernel<Bijection, Rows, LookBackView, kFewItems>, kFewItems);
  return launch(ShuffleKernel<Bijection, Rows, LookBackView, kManyItems>, kManyItems);
}

}  // namespace kauri::cuda
