/// \file Measures shuffles of keys in device memory, Kauri's and others, as separate passes; in millions of keys a
/// second.
///
///   gpu_shuffle_bench [bytes of a key 8] [low 8] [high 29] [step 3] [more 1] [repeats 5] [entrant, all]
///
/// For w = low, low + step, .. high: 2^w + more keys. Prints "n,entrant,millions of keys a second", the mean of the
/// repeats after a warm-up, by events of the stream. Keys are 0, 1, 2, ..; a result that does not contain each once
/// ends the program with 1. Scratch memory is allocated before the clock starts, thrust's in its first run.
///
///   copy        a copy, in order: the upper bound of memory
///   gather      out[i] = in[j], j by a linear congruence: the upper bound of a shuffle
///   bijective0  images, DeviceSelect, gather          bijective1  counts, DeviceScan, images a second time
///   bijective2  in one pass, the library's shuffle    lcg         the same by a linear congruence
///   thrust      thrust::shuffle_copy                  in_place    swap-or-not, without a second array
///   dart        atomic exchanges into 2 n slots       sort        DeviceRadixSort by random keys of 64 bits
#include <thrust/execution_policy.h>
#include <thrust/random.h>
#include <thrust/shuffle.h>

#include <cstdio>
#include <cstdlib>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <functional>
#include <map>
#include <string>

#include "cuda/common/shuffle.h"
#include "cuda/common/shuffle_kernel.cuh"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
using Index = unsigned long long;

struct Options {
  int bytes = 8;
  int low = 8;
  int high = 29;
  int step = 3;
  std::int64_t more = 1;
  int repeats = 5;
  std::string entrant;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  if (argc > 1) options.bytes = std::atoi(argv[1]);
  if (argc > 2) options.low = std::atoi(argv[2]);
  if (argc > 3) options.high = std::atoi(argv[3]);
  if (argc > 4) options.step = std::atoi(argv[4]);
  if (argc > 5) options.more = std::atoll(argv[5]);
  if (argc > 6) options.repeats = std::atoi(argv[6]);
  if (argc > 7) options.entrant = argv[7];
  return options;
}

__device__ std::int64_t ThisThread() { return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; }

template <typename Key>
__global__ void CountUpKernel(Key* keys, std::int64_t n) {
  if (auto const i = ThisThread(); i < n) keys[i] = static_cast<Key>(i);
}

/// Marks keys as seen; counts repeated and invalid keys.
template <typename Key>
__global__ void MarkKernel(Key const* keys, std::int64_t n, unsigned* seen, unsigned* n_wrong) {
  auto const i = ThisThread();
  if (i >= n) return;
  auto const key = static_cast<std::int64_t>(keys[i]);
  bool const exists = key >= 0 && key < n;
  unsigned const bit = 1U << static_cast<unsigned>(key % 32);
  if (!exists || (atomicOr(seen + key / 32, bit) & bit) != 0) atomicAdd(n_wrong, 1U);
}

/// Gathers keys. The keys of the largest power of two below n are permuted; the others stay.
template <typename Key>
__global__ void GatherKernel(Key const* in, Key* out, std::int64_t n, LinearCongruential order) {
  auto const i = ThisThread();
  if (i >= n) return;
  auto const from = static_cast<Index>(i) < order.DomainSize() ? order.Forward(static_cast<Index>(i)) : i;
  __stcs(out + i, __ldg(in + from));
}

template <typename Key>
__global__ void GatherListKernel(Key const* in, Key* out, std::int64_t n, Index const* list) {
  if (auto const i = ThisThread(); i < n) out[i] = in[list[i]];
}

__global__ void ImagesKernel(__grid_constant__ Shuffle const shuffle, Index* images) {
  auto const i = ThisThread();
  if (i < shuffle.NumCandidates()) images[i] = static_cast<Index>(shuffle.Image(i));
}

struct IsBelow {
  Index n;
  __device__ bool operator()(Index image) const { return image < n; }
};

/// Sets counts[tile] to the number of the tile's images that are kept.
__global__ void __launch_bounds__(kShuffleThreads)
    CountTilesKernel(__grid_constant__ Shuffle const shuffle, std::int64_t* counts) {
  std::int64_t const first = static_cast<std::int64_t>(blockIdx.x) * kManyItems * kShuffleThreads + threadIdx.x;
  std::uint64_t images[kManyItems];
#pragma unroll
  for (int item = 0; item < kManyItems; ++item) {
    images[item] = static_cast<std::uint64_t>(first + item * kShuffleThreads);
  }
  shuffle.Keyed().ForwardMany(images);
  int n_kept = 0;
  for (int item = 0; item < kManyItems; ++item) {
    bool const exists = first + item * kShuffleThreads < shuffle.NumCandidates();
    n_kept += __syncthreads_count(exists && images[item] < static_cast<std::uint64_t>(shuffle.Size()) ? 1 : 0);
  }
  if (threadIdx.x == 0) counts[blockIdx.x] = n_kept;
}

/// Places of tiles from counts that were summed beforehand.
struct KnownPlaces {
  std::int64_t const* before;
  __device__ std::int64_t TakeTile() const { return blockIdx.x; }
  __device__ void Announce(std::int64_t, std::int64_t) const {}
  __device__ std::int64_t CountBefore(std::int64_t tile, std::int64_t) const { return before[tile]; }
};

constexpr Index kEmpty = ~Index{0};

/// Throws each index into a random slot; an index that it displaces is thrown again.
__global__ void ThrowKernel(Index* slots, std::int64_t n, Index n_slots, std::uint64_t seed) {
  auto const i = ThisThread();
  if (i >= n) return;
  auto thrown = static_cast<Index>(i);
  for (std::uint64_t turn = 0; thrown != kEmpty; ++turn) {
    auto const slot = RandomBits(CombineKeys(seed, thrown), turn) % n_slots;
    thrown = atomicExch(slots + slot, thrown);
  }
}

struct IsTaken {
  __device__ bool operator()(Index index) const { return index != kEmpty; }
};

__global__ void RandomKeysKernel(Index* keys, std::int64_t n, std::uint64_t seed) {
  if (auto const i = ThisThread(); i < n) keys[i] = RandomBits(seed, static_cast<std::uint64_t>(i));
}

/// An allocator that gives thrust the memory of its previous call.
class KeptMemory {
 public:
  using value_type = char;
  explicit KeptMemory(CudaContext const& cuda) : cuda_(cuda) {}
  char* allocate(std::ptrdiff_t n) {
    auto& kept = idle_[n];
    if (kept.empty()) return (owned_.emplace_back(cuda_, static_cast<std::size_t>(n)), owned_.back().data());
    auto* const address = kept.back();
    kept.pop_back();
    return address;
  }
  void deallocate(char* address, std::size_t n) { idle_[static_cast<std::ptrdiff_t>(n)].push_back(address); }

 private:
  CudaContext cuda_;
  std::map<std::ptrdiff_t, std::vector<char*>> idle_;
  std::vector<Buffer<char>> owned_;
};

/// The work of one entrant, which owns its scratch memory.
using Run = std::function<void(std::uint64_t seed)>;

template <typename Key>
struct Keys {
  CudaContext cuda;
  Key* in;
  Key* out;
  std::int64_t n;

  RowMove Move() const {
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Key));
    return {reinterpret_cast<char const*>(in), reinterpret_cast<char*>(out), kBytes, kBytes, n, kBytes};
  }
  WordRows<Key> Rows() const { return {in, out, 1, 1}; }
  unsigned Blocks(std::int64_t count) const { return GridFor(count, kThreads); }
};

template <typename Key>
Run Copy(Keys<Key> const& keys) {
  return [=](std::uint64_t) { CopyOnDevice(keys.cuda, keys.in, static_cast<std::size_t>(keys.n), keys.out); };
}

template <typename Key>
Run Gather(Keys<Key> const& keys) {
  int bits = 1;
  while ((std::int64_t{2} << bits) <= keys.n) ++bits;
  return [=](std::uint64_t seed) {
    Launch(keys.cuda, keys.Blocks(keys.n), kThreads, GatherKernel<Key>, static_cast<Key const*>(keys.in), keys.out,
           keys.n, LinearCongruential(bits, seed));
  };
}

template <typename Key>
Run Bijective0(Keys<Key> const& keys) {
  auto const n_candidates = Shuffle(keys.n, 0).NumCandidates();
  auto const images = std::make_shared<Buffer<Index>>(keys.cuda, static_cast<std::size_t>(n_candidates));
  auto const list = std::make_shared<Buffer<Index>>(keys.cuda, static_cast<std::size_t>(n_candidates));
  auto const count = std::make_shared<Buffer<std::int64_t>>(keys.cuda, 1);
  auto const scratch = std::make_shared<CubScratch>();
  return [=](std::uint64_t seed) {
    Shuffle const shuffle(keys.n, seed);
    Launch(keys.cuda, keys.Blocks(n_candidates), kThreads, ImagesKernel, shuffle, images->data());
    scratch->Run(keys.cuda, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::If(storage, bytes, images->data(), list->data(), count->data(), n_candidates,
                                   IsBelow{static_cast<Index>(keys.n)}, keys.cuda.stream);
    });
    Launch(keys.cuda, keys.Blocks(keys.n), kThreads, GatherListKernel<Key>, static_cast<Key const*>(keys.in), keys.out,
           keys.n, static_cast<Index const*>(list->data()));
  };
}

template <typename Key>
Run Bijective1(Keys<Key> const& keys) {
  auto const n_candidates = Shuffle(keys.n, 0).NumCandidates();
  auto const n_tiles = NumTiles(n_candidates, kManyItems);
  auto const counts = std::make_shared<Buffer<std::int64_t>>(keys.cuda, static_cast<std::size_t>(n_tiles));
  auto const scratch = std::make_shared<CubScratch>();
  return [=](std::uint64_t seed) {
    Shuffle const shuffle(keys.n, seed);
    auto const grid = static_cast<unsigned>(n_tiles);
    Launch(keys.cuda, grid, kShuffleThreads, CountTilesKernel, shuffle, counts->data());
    scratch->Run(keys.cuda, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(storage, bytes, counts->data(), counts->data(), n_tiles, keys.cuda.stream);
    });
    Launch(keys.cuda, grid, kShuffleThreads, ShuffleKernel<VariablePhilox, WordRows<Key>, KnownPlaces, kManyItems>,
           shuffle, CandidateRange{0, n_candidates, 0}, keys.Rows(), KnownPlaces{counts->data()});
  };
}

template <typename Bijection, typename Key>
Run InOnePass(Keys<Key> const& keys) {
  auto const look_back = std::make_shared<LookBack>();
  return [=](std::uint64_t seed) {
    BijectiveShuffle<Bijection> const shuffle(keys.n, seed);
    LaunchShuffle(keys.cuda, shuffle, {0, shuffle.NumCandidates(), 0}, keys.Rows(), look_back.get());
  };
}

template <typename Key>
Run InPlace(Keys<Key> const& keys) {
  return [=](std::uint64_t seed) {
    auto move = keys.Move();
    move.from = move.to;
    ShuffleDeviceRowsInPlace(keys.cuda, move, seed);
  };
}

template <typename Key>
Run Thrust(Keys<Key> const& keys) {
  auto const memory = std::make_shared<KeptMemory>(keys.cuda);
  return [=](std::uint64_t seed) {
    thrust::default_random_engine random(static_cast<unsigned>(seed));
    thrust::shuffle_copy(thrust::cuda::par_nosync(*memory).on(keys.cuda.stream), keys.in, keys.in + keys.n, keys.out,
                         random);
  };
}

template <typename Key>
Run Dart(Keys<Key> const& keys) {
  auto const n_slots = 2 * keys.n;
  auto const slots = std::make_shared<Buffer<Index>>(keys.cuda, static_cast<std::size_t>(n_slots));
  auto const list = std::make_shared<Buffer<Index>>(keys.cuda, static_cast<std::size_t>(keys.n));
  auto const count = std::make_shared<Buffer<std::int64_t>>(keys.cuda, 1);
  auto const scratch = std::make_shared<CubScratch>();
  return [=](std::uint64_t seed) {
    KAURI_CUDA_CHECK(cudaMemsetAsync(slots->data(), 0xFF, slots->size() * sizeof(Index), keys.cuda.stream));
    Launch(keys.cuda, keys.Blocks(keys.n), kThreads, ThrowKernel, slots->data(), keys.n, static_cast<Index>(n_slots),
           seed);
    scratch->Run(keys.cuda, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::If(storage, bytes, slots->data(), list->data(), count->data(), n_slots, IsTaken{},
                                   keys.cuda.stream);
    });
    Launch(keys.cuda, keys.Blocks(keys.n), kThreads, GatherListKernel<Key>, static_cast<Key const*>(keys.in), keys.out,
           keys.n, static_cast<Index const*>(list->data()));
  };
}

template <typename Key>
Run Sort(Keys<Key> const& keys) {
  auto const random = std::make_shared<Buffer<Index>>(keys.cuda, static_cast<std::size_t>(keys.n));
  auto const sorted = std::make_shared<Buffer<Index>>(keys.cuda, static_cast<std::size_t>(keys.n));
  auto const scratch = std::make_shared<CubScratch>();
  return [=](std::uint64_t seed) {
    Launch(keys.cuda, keys.Blocks(keys.n), kThreads, RandomKeysKernel, random->data(), keys.n, seed);
    scratch->Run(keys.cuda, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, random->data(), sorted->data(), keys.in, keys.out, keys.n,
                                             0, 64, keys.cuda.stream);
    });
  };
}

/// Returns whether each key occurs exactly once.
template <typename Key>
bool IsPermutation(Keys<Key> const& keys) {
  Buffer<unsigned> const seen(keys.cuda, static_cast<std::size_t>(keys.n / 32 + 1));
  Buffer<unsigned> const n_wrong(keys.cuda, 1);
  FillZero(keys.cuda, seen.data(), seen.size());
  FillZero(keys.cuda, n_wrong.data(), 1);
  Launch(keys.cuda, keys.Blocks(keys.n), kThreads, MarkKernel<Key>, static_cast<Key const*>(keys.out), keys.n,
         seen.data(), n_wrong.data());
  return ToHost(keys.cuda, n_wrong.data(), 1)[0] == 0;
}

/// Returns the seconds per run, by the stream's clock.
double Measure(CudaContext const& cuda, Run const& run, int repeats) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  KAURI_CUDA_CHECK(cudaEventCreate(&begin));
  KAURI_CUDA_CHECK(cudaEventCreate(&end));
  run(1);
  cuda.Synchronize();  // waits for the allocations of the first run
  KAURI_CUDA_CHECK(cudaEventRecord(begin, cuda.stream));
  for (int repeat = 0; repeat < repeats; ++repeat) run(static_cast<std::uint64_t>(repeat) + 2);
  KAURI_CUDA_CHECK(cudaEventRecord(end, cuda.stream));
  KAURI_CUDA_CHECK(cudaEventSynchronize(end));
  float milliseconds = 0.0F;
  KAURI_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  KAURI_CUDA_CHECK(cudaEventDestroy(begin));
  KAURI_CUDA_CHECK(cudaEventDestroy(end));
  return static_cast<double>(milliseconds) * 1e-3 / repeats;
}

template <typename Key>
bool RunAll(CudaContext const& cuda, Options const& options, std::int64_t n) {
  Buffer<Key> const in(cuda, static_cast<std::size_t>(n));
  Buffer<Key> const out(cuda, static_cast<std::size_t>(n));
  Keys<Key> const keys{cuda, in.data(), out.data(), n};
  std::pair<char const*, std::function<Run()>> const entrants[] = {
      {"copy", [&] { return Copy(keys); }},
      {"gather", [&] { return Gather(keys); }},
      {"bijective0", [&] { return Bijective0(keys); }},
      {"bijective1", [&] { return Bijective1(keys); }},
      {"bijective2", [&] { return InOnePass<VariablePhilox>(keys); }},
      {"lcg", [&] { return InOnePass<LinearCongruential>(keys); }},
      {"thrust", [&] { return Thrust(keys); }},
      {"in_place", [&] { return InPlace(keys); }},
      {"dart", [&] { return Dart(keys); }},
      {"sort", [&] { return Sort(keys); }}};
  bool is_right = true;
  for (auto const& [name, make] : entrants) {
    if (!options.entrant.empty() && options.entrant != name) continue;
    Launch(cuda, keys.Blocks(n), kThreads, CountUpKernel<Key>, keys.in, n);
    CopyOnDevice(cuda, keys.in, static_cast<std::size_t>(n), keys.out);
    auto const seconds = Measure(cuda, make(), n < (1 << 20) ? 4 * options.repeats : options.repeats);
    bool const is_permutation = IsPermutation(keys);
    is_right &= is_permutation;
    std::printf("%lld,%s,%.2f%s\n", static_cast<long long>(n), name, static_cast<double>(n) / seconds * 1e-6,
                is_permutation ? "" : ",WRONG");
    std::fflush(stdout);
  }
  return is_right;
}

int Main(Options const& options) {
  StreamOwner const stream(0);
  bool is_right = true;
  for (int power = options.low; power <= options.high; power += options.step) {
    auto const n = (std::int64_t{1} << power) + options.more;
    is_right &= options.bytes == 4 ? RunAll<unsigned>(stream.Context(), options, n)
                                   : RunAll<Index>(stream.Context(), options, n);
  }
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace kauri::cuda

int main(int argc, char** argv) { return kauri::cuda::Main(kauri::cuda::ParseOptions(argc, argv)); }
