#include "common/shuffle.h"

#include <algorithm>

#include "common/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kCandidatesPerBlock = 1 << 12;
constexpr std::int64_t kCandidatesPerWave = kCandidatesPerBlock << 10;

/// Images of candidates [begin, end) that stay, in order.
std::int64_t KeepImages(Shuffle const& shuffle, std::int64_t begin, std::int64_t end, std::int64_t* kept) {
  constexpr std::int64_t kRun = VariablePhilox::kRun;
  std::int64_t n_kept = 0;
  auto const keep = [&](std::int64_t image) {
    kept[n_kept] = image;
    n_kept += image < shuffle.Size() ? 1 : 0;
  };
  auto candidate = begin;
  for (std::uint64_t images[kRun]; candidate + kRun <= end; candidate += kRun) {
    shuffle.Bijection().ForwardRun(static_cast<std::uint64_t>(candidate), images);
    for (auto const image : images) keep(static_cast<std::int64_t>(image));
  }
  for (; candidate < end; ++candidate) keep(shuffle.Image(candidate));
  return n_kept;
}

}  // namespace

std::vector<std::int64_t> Shuffle::First(Context const& ctx, std::int64_t count) const {
  count = std::min(count, n_);
  std::vector<std::int64_t> first;
  first.reserve(count);
  std::vector<std::int64_t> kept;    // [candidates of a wave], block by block
  std::vector<std::int64_t> n_kept;  // [blocks of a wave]
  for (std::int64_t begin = 0; static_cast<std::int64_t>(first.size()) < count;) {
    auto const missing = count - static_cast<std::int64_t>(first.size());
    // A wave is what will do on average, or the most that scratch memory is spent on.
    auto const average = static_cast<double>(missing) * static_cast<double>(NumCandidates()) / static_cast<double>(n_);
    auto const wanted = static_cast<std::int64_t>(std::min<double>(average + 16.0, kCandidatesPerWave));
    auto const n_candidates = std::min(wanted, NumCandidates() - begin);
    kept.resize(n_candidates);
    n_kept.assign(NumBlocks(n_candidates, kCandidatesPerBlock), 0);
    ParallelForBlocks(ctx, n_candidates, kCandidatesPerBlock, [&](auto from, auto to, auto block) {
      n_kept[block] = KeepImages(*this, begin + from, begin + to, kept.data() + from);
    });
    for (std::size_t block = 0; block < n_kept.size(); ++block) {
      auto const from = kept.begin() + static_cast<std::int64_t>(block) * kCandidatesPerBlock;
      auto const room = count - static_cast<std::int64_t>(first.size());
      first.insert(first.end(), from, from + std::min(n_kept[block], room));
    }
    begin += n_candidates;
  }
  return first;
}

}  // namespace kauri
