// Measures how uniform shuffles are: the two tests of "Bandwidth-optimal random shuffling for GPUs", section 5, at its
// sizes.
//
//   shuffle_quality_bench chi N N_PERMUTATIONS SHUFFLER [FIRST_SEED 1] [SETS 1]
//   shuffle_quality_bench mmd N N_PERMUTATIONS SHUFFLER [FIRST_SEED 1] [SETS 1]
//
// SHUFFLER: philox or philox:ROUNDS, swap or swap:ROUNDS (swap-or-not), lcg, and std: std::shuffle by std::mt19937_64.
// Prints a line for each set of permutations; each permutation has its own key.
//   chi: the chi-square over all N! outcomes, its degrees of freedom.
//   mmd: the estimate of the squared mean discrepancy of the Mallows kernel (lambda = 5) over disjoint pairs; the bound
//        on its absolute value in 95 of 100 sets, by the central limit theorem and by Hoeffding's inequality.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/shuffle/shuffle.h"
#include "common/threads/parallel_for.h"
#include "shapley/mallows.h"

namespace {

using kauri::BijectiveShuffle;
using Elements = std::vector<std::int64_t>;
using Shuffler = std::function<Elements(std::int64_t n, std::uint64_t seed)>;

constexpr double kLambda = 5.0;
constexpr std::int64_t kPermutationsPerBlock = 100;

Elements ByStandardLibrary(std::int64_t n, std::uint64_t seed) {
  Elements elements(static_cast<std::size_t>(n));
  std::iota(elements.begin(), elements.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(elements.begin(), elements.end(), random);
  return elements;
}

int BitsAbove(std::int64_t n) {
  int bits = kauri::VariablePhilox::kMinBits;
  while ((std::int64_t{1} << bits) <= n) ++bits;
  return bits;
}

Shuffler ShufflerNamed(std::string const& text) {
  auto const colon = text.find(':');
  auto const name = text.substr(0, colon);
  auto const rounds = colon == std::string::npos ? 0 : std::atoi(text.c_str() + colon + 1);
  if (name == "std") return ByStandardLibrary;
  if (name == "lcg") {
    return [](auto n, auto seed) { return BijectiveShuffle<kauri::LinearCongruential>(n, seed).List({}); };
  }
  if (name == "swap") {
    return [=](auto n, auto seed) {
      kauri::SwapOrNot const swaps(n, seed, rounds == 0 ? kauri::SwapOrNot::DefaultRounds(n) : rounds);
      return BijectiveShuffle<kauri::SwapOrNot>(n, swaps).List({});
    };
  }
  if (name != "philox" || rounds > kauri::VariablePhilox::kMaxRounds) {
    std::fprintf(stderr, "no shuffler %s\n", text.c_str());
    std::exit(2);
  }
  return [=](auto n, auto seed) {
    auto const bits = BitsAbove(n);
    kauri::VariablePhilox const bijection(bits, seed,
                                          rounds == 0 ? kauri::VariablePhilox::DefaultRounds(bits) : rounds);
    return kauri::Shuffle(n, bijection).List({});
  };
}

kauri::Context AllThreads() {
  kauri::Context ctx;
  ctx.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return ctx;
}

/// Returns the number of a permutation among all, in lexicographic order.
std::size_t Rank(Elements const& list) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::size_t n_smaller = 0;
    for (auto j = i + 1; j < list.size(); ++j) n_smaller += list[j] < list[i] ? 1U : 0U;
    rank = rank * (list.size() - i) + n_smaller;
  }
  return rank;
}

void PrintChiSquare(Shuffler const& shuffler, std::int64_t n, std::int64_t n_permutations, std::uint64_t set) {
  std::size_t n_outcomes = 1;
  for (std::int64_t i = 2; i <= n; ++i) n_outcomes *= static_cast<std::size_t>(i);
  std::vector<std::size_t> outcomes(static_cast<std::size_t>(n_permutations));
  kauri::ParallelForBlocks(AllThreads(), n_permutations, kPermutationsPerBlock, [&](auto begin, auto end, auto) {
    for (auto i = begin; i < end; ++i) {
      outcomes[i] = Rank(shuffler(n, kauri::CombineKeys(set, static_cast<std::uint64_t>(i))));
    }
  });
  std::vector<double> counts(n_outcomes);
  for (auto const outcome : outcomes) counts[outcome] += 1.0;
  auto const expected = static_cast<double>(n_permutations) / static_cast<double>(n_outcomes);
  double chi_square = 0.0;
  for (auto const count : counts) chi_square += (count - expected) * (count - expected) / expected;
  std::printf("%.2f %zu\n", chi_square, n_outcomes - 1);
}

std::int64_t Discordant(Elements const& a, Elements const& b) {
  std::vector<std::uint32_t> const left(a.begin(), a.end());
  std::vector<std::uint32_t> const right(b.begin(), b.end());
  return kauri::CountDiscordant(left, right);
}

void PrintDiscrepancy(Shuffler const& shuffler, std::int64_t n, std::int64_t n_permutations, std::uint64_t set) {
  auto const n_pairs = n_permutations / 2;
  std::vector<double> values(static_cast<std::size_t>(n_pairs));
  auto const all_pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
  kauri::ParallelForBlocks(AllThreads(), n_pairs, kPermutationsPerBlock, [&](auto begin, auto end, auto) {
    for (auto pair = begin; pair < end; ++pair) {
      auto const key = [&](std::int64_t i) {
        return kauri::CombineKeys(set, static_cast<std::uint64_t>(2 * pair + i));
      };
      auto const discordant = Discordant(shuffler(n, key(0)), shuffler(n, key(1)));
      values[pair] = std::exp(-kLambda * static_cast<double>(discordant) / all_pairs);
    }
  });
  auto const d = static_cast<std::int32_t>(n);
  auto const mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n_pairs);
  auto const deviation = std::sqrt(kauri::MallowsVariance(d, kLambda) / static_cast<double>(n_pairs));
  std::printf("%.4e %.4e %.4e\n", mean - kauri::MallowsMean(d, kLambda), 1.959964 * deviation,
              std::sqrt(std::log(2.0 / 0.05) / static_cast<double>(n_permutations)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "shuffle_quality_bench chi|mmd N N_PERMUTATIONS SHUFFLER [FIRST_SEED] [SETS]\n");
    return 2;
  }
  auto const is_chi = std::string(argv[1]) == "chi";
  auto const n = std::atoll(argv[2]);
  auto const n_permutations = std::atoll(argv[3]);
  auto const shuffler = ShufflerNamed(argv[4]);
  auto const first = argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 1;
  auto const n_sets = argc > 6 ? std::strtoull(argv[6], nullptr, 10) : 1;
  for (auto set = first; set < first + n_sets; ++set) {
    is_chi ? PrintChiSquare(shuffler, n, n_permutations, set) : PrintDiscrepancy(shuffler, n, n_permutations, set);
  }
  return 0;
}
