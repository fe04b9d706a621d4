// Measures shuffles of 64-bit keys in host memory, Kauri's and others; in millions of keys a second.
//
//   shuffle_bench [LOW 8] [HIGH 26] [STEP 3] [MORE 1] [THREADS 2] [REPEATS 5] [ENTRANT, all]
//
// For w = LOW, LOW + STEP, .. HIGH: 2^w + MORE keys. Prints "n,entrant,millions of keys a second", the mean of the
// repeats after a warm-up. Keys are 0, 1, 2, ..; a result that lacks one ends the program with 1.
//
//   gather     out[i] = in[j], j by a linear congruence: the upper bound of a shuffle's speed
//   bijective  the library's shuffle
//   lcg        the same by a linear congruence
//   in_place   swap-or-not, without a second array
//   dart       atomic exchanges into 2 n slots, then compaction
//   std        std::shuffle by std::mt19937_64, one thread
//   rs         Rao & Sandelius: parts by random bits, on all threads
//   merge      MergeShuffle (Bacher and others, 2015)
//   sort       std::sort by random keys of 64 bits, one thread
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/shuffle/shuffle_rows.h"
#include "common/shuffle/shuffle_walk.h"
#include "common/threads/parallel_for.h"

namespace {

using kauri::Context;
using Key = std::uint64_t;
using Keys = std::vector<Key>;

constexpr std::int64_t kPerBlock = 1 << 14;

struct Task {
  Context ctx;
  Keys const& in;
  Keys& out;
  std::uint64_t seed;
  std::int64_t Size() const { return static_cast<std::int64_t>(in.size()); }
};

void Gather(Task const& task) {
  int bits = 1;
  while ((std::int64_t{2} << bits) <= task.Size()) ++bits;
  kauri::LinearCongruential const order(bits, task.seed);
  kauri::ParallelForBlocks(task.ctx, task.Size(), kPerBlock, [&](auto begin, auto end, auto) {
    for (auto i = static_cast<Key>(begin); i < static_cast<Key>(end); ++i) {
      task.out[i] = task.in[i < order.DomainSize() ? order.Forward(i) : i];
    }
  });
}

kauri::RowMove MoveOf(Task const& task) {
  auto const* from = reinterpret_cast<char const*>(task.in.data());
  return {from, reinterpret_cast<char*>(task.out.data()), 8, 8, task.Size(), 8};
}

void Bijective(Task const& task) { kauri::ShuffleRows(task.ctx, MoveOf(task), task.seed); }

void Congruential(Task const& task) {
  kauri::BijectiveShuffle<kauri::LinearCongruential> const shuffle(task.Size(), task.seed);
  kauri::WalkShuffle(task.ctx, shuffle, task.Size(), [&](auto position, auto const* elements, auto n) {
    for (std::int64_t i = 0; i < n; ++i) task.out[position + i] = task.in[elements[i]];
  });
}

void InPlace(Task const& task) {
  auto move = MoveOf(task);
  move.from = move.to;
  kauri::ShuffleRowsInPlace(task.ctx, move, task.seed);
}

void Dart(Task const& task) {
  constexpr Key kEmpty = ~Key{0};
  std::vector<std::atomic<Key>> slots(2 * task.in.size());
  auto const n_slots = static_cast<std::int64_t>(slots.size());
  kauri::ParallelForBlocks(task.ctx, n_slots, kPerBlock, [&](auto begin, auto end, auto) {
    for (auto i = begin; i < end; ++i) slots[i].store(kEmpty, std::memory_order_relaxed);
  });
  kauri::ParallelForBlocks(task.ctx, task.Size(), kPerBlock, [&](auto begin, auto end, auto) {
    for (auto i = begin; i < end; ++i) {
      auto thrown = static_cast<Key>(i);
      for (Key turn = 0; thrown != kEmpty; ++turn) {
        auto const slot = kauri::RandomBits(kauri::CombineKeys(task.seed, thrown), turn) % slots.size();
        thrown = slots[slot].exchange(thrown, std::memory_order_relaxed);
      }
    }
  });
  std::size_t n = 0;
  for (auto const& slot : slots) {
    if (auto const index = slot.load(std::memory_order_relaxed); index != kEmpty) task.out[n++] = task.in[index];
  }
}

void ByStandardLibrary(Task const& task) {
  task.out = task.in;
  std::mt19937_64 random(task.seed);
  std::shuffle(task.out.begin(), task.out.end(), random);
}

/// Shuffles [begin, end) by the method of Fisher & Yates with its own generator.
void ShufflePart(Key* begin, Key* end, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::shuffle(begin, end, random);
}

/// Shuffles by the method of Rao & Sandelius with eight random bits at a time: keys go to one of 256 parts, and parts
/// that fit into a cache are shuffled.
void RaoSandelius(Context const& ctx, Key const* in, Key* out, Key* spare, std::int64_t n, std::uint64_t seed) {
  constexpr std::int64_t kFitsCache = 1 << 15;
  constexpr std::size_t kParts = 256;
  if (n <= kFitsCache) {
    std::copy(in, in + n, out);
    return ShufflePart(out, out + n, seed);
  }
  auto const part_of = [=](std::int64_t i) {
    auto const bits = kauri::RandomBits(seed, static_cast<std::uint64_t>(i / 8));
    return static_cast<std::size_t>((bits >> static_cast<unsigned>(i % 8 * 8)) % kParts);
  };
  auto const n_blocks = kauri::NumBlocks(n, kPerBlock);
  std::vector<std::array<std::int64_t, kParts>> places(static_cast<std::size_t>(n_blocks));
  kauri::ParallelForBlocks(ctx, n, kPerBlock, [&](auto begin, auto end, auto block) {
    places[block].fill(0);
    for (auto i = begin; i < end; ++i) ++places[block][part_of(i)];
  });
  std::array<std::int64_t, kParts + 1> parts{};
  std::int64_t before = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    parts[part] = before;
    for (auto& of_block : places) before += std::exchange(of_block[part], before);
  }
  parts[kParts] = before;
  kauri::ParallelForBlocks(ctx, n, kPerBlock, [&](auto begin, auto end, auto block) {
    for (auto i = begin; i < end; ++i) spare[places[block][part_of(i)]++] = in[i];
  });
  kauri::ParallelFor(ctx, kParts, [&](std::int64_t part) {
    auto const begin = parts[part];
    auto* rest = const_cast<Key*>(in) + begin;  // the next level may reuse memory that this one has read
    Context one;
    auto const size = parts[part + 1] - begin;
    RaoSandelius(one, spare + begin, out + begin, rest, size, kauri::CombineKeys(seed, static_cast<Key>(part)));
  });
}

/// Merges two shuffled halves: a coin decides from which half the next key comes; when one half is used up, the
/// remaining keys are inserted one by one.
void MergeHalves(Key* keys, std::int64_t middle, std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::int64_t i = 0;
  Key bits = 0;
  for (int left = 0;; ++i) {
    if (left == 0) {
      bits = random();
      left = 64;
    }
    bool const from_second = (bits & 1U) != 0;
    bits >>= 1U;
    --left;
    if (from_second) {
      if (middle == n) break;
      std::swap(keys[i], keys[middle++]);
    } else if (i == middle) {
      break;
    }
  }
  for (; i < n; ++i) std::swap(keys[i], keys[random() % static_cast<Key>(i + 1)]);
}

void Merge(Task const& task) {
  constexpr std::int64_t kFitsCache = 1 << 16;
  auto const n = task.Size();
  std::int64_t n_parts = 1;
  while (n / n_parts > kFitsCache) n_parts *= 2;
  auto const begin_of = [=](std::int64_t part) { return n / n_parts * part + std::min(part, n % n_parts); };
  std::copy(task.in.begin(), task.in.end(), task.out.begin());
  kauri::ParallelFor(task.ctx, n_parts, [&](std::int64_t part) {
    ShufflePart(task.out.data() + begin_of(part), task.out.data() + begin_of(part + 1),
                kauri::CombineKeys(task.seed, static_cast<Key>(part)));
  });
  for (std::int64_t width = 1; width < n_parts; width *= 2) {
    kauri::ParallelFor(task.ctx, n_parts / (2 * width), [&](std::int64_t pair) {
      auto const begin = begin_of(2 * width * pair);
      MergeHalves(task.out.data() + begin, begin_of(2 * width * pair + width) - begin,
                  begin_of(2 * width * (pair + 1)) - begin,
                  kauri::CombineKeys(task.seed + static_cast<Key>(width), static_cast<Key>(pair)));
    });
  }
}

void Sort(Task const& task) {
  std::vector<std::pair<Key, Key>> pairs(task.in.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kauri::RandomBits(task.seed, i), task.in[i]};
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) task.out[i] = pairs[i].second;
}

bool IsPermutation(Keys const& keys) {
  std::vector<bool> seen(keys.size());
  for (auto const key : keys) {
    if (key >= keys.size() || seen[key]) return false;
    seen[key] = true;
  }
  return true;
}

using Entrant = std::pair<char const*, std::function<void(Task const&)>>;

std::vector<Entrant> Entrants(Keys* spare, Keys* input) {
  auto const rs = [=](Task const& task) {
    *input = task.in;  // its input is destroyed; the other methods leave theirs, so the copy is part of its time
    spare->resize(task.in.size());
    RaoSandelius(task.ctx, input->data(), task.out.data(), spare->data(), task.Size(), task.seed);
  };
  return {{"gather", Gather},
          {"bijective", Bijective},
          {"lcg", Congruential},
          {"in_place", InPlace},
          {"dart", Dart},
          {"std", ByStandardLibrary},
          {"rs", rs},
          {"merge", Merge},
          {"sort", Sort}};
}

bool RunAll(Context const& ctx, std::int64_t n, int repeats, std::string const& only) {
  Keys in(static_cast<std::size_t>(n));
  std::iota(in.begin(), in.end(), 0);
  Keys out = in;
  Keys spare;
  Keys input;
  bool is_right = true;
  auto const turns = n < (1 << 16) ? 20 * repeats : repeats;  // otherwise the clock is too coarse
  for (auto const& [name, run] : Entrants(&spare, &input)) {
    if (!only.empty() && only != name) continue;
    std::copy(in.begin(), in.end(), out.begin());
    run({ctx, in, out, 1});
    auto const begin = std::chrono::steady_clock::now();
    for (int turn = 0; turn < turns; ++turn) run({ctx, in, out, static_cast<std::uint64_t>(turn) + 2});
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / turns;
    bool const is_permutation = IsPermutation(out);
    is_right &= is_permutation;
    std::printf("%lld,%s,%.2f%s\n", static_cast<long long>(n), name, static_cast<double>(n) / seconds * 1e-6,
                is_permutation ? "" : ",WRONG");
    std::fflush(stdout);
  }
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  auto const number = [&](int place, long long otherwise) {
    return argc > place ? std::atoll(argv[place]) : otherwise;
  };
  Context ctx;
  ctx.threads = static_cast<int>(number(5, 2));
  bool is_right = true;
  for (auto power = number(1, 8); power <= number(2, 26); power += number(3, 3)) {
    is_right &=
        RunAll(ctx, (std::int64_t{1} << power) + number(4, 1), static_cast<int>(number(6, 5)), argc > 7 ? argv[7] : "");
  }
  return is_right ? 0 : 1;
}
