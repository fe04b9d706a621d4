/// \file The scratch memory of scans by look-back (look_back.cuh), kept from launch to launch of one stream.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"

namespace kauri::cuda {

/// The scratch memory of one launch.
struct LookBackLaunch {
  using Word = unsigned long long;
  static constexpr int kCountBits = 48;
  static constexpr unsigned kMaxNumber = (1U << 14U) - 1;

  Word* words;        ///< the ticket, then a word for each tile
  Word first_ticket;  ///< first ticket of the launch
  unsigned number;    ///< 1 to kMaxNumber
};

class LookBack {
 public:
  /// Prepares the next launch on the stream, of `n_tiles` blocks that each take one tile.
  LookBackLaunch Prepare(CudaContext const& cuda, std::int64_t n_tiles) {
    auto const n_words = static_cast<std::size_t>(n_tiles) + 1;
    if (n_words > words_.size() || number_ == LookBackLaunch::kMaxNumber) {
      words_.Reserve(cuda, n_words < kFewest ? kFewest : n_words);
      FillZero(cuda, words_.data(), words_.size());
      tickets_ = 0;
      number_ = 0;
    }
    ++number_;
    LookBackLaunch const launch{words_.data(), tickets_, number_};
    tickets_ += static_cast<LookBackLaunch::Word>(n_tiles);
    return launch;
  }
  /// Returns the sum over all tiles of the last launch, which had `n_tiles`; waits for it.
  std::int64_t Total(CudaContext const& cuda, std::int64_t n_tiles) const {
    constexpr auto kCounts = (LookBackLaunch::Word{1} << LookBackLaunch::kCountBits) - 1;
    return static_cast<std::int64_t>(ToHost(cuda, words_.data() + n_tiles, 1)[0] & kCounts);
  }

 private:
  static constexpr std::size_t kFewest = 4096;
  Buffer<LookBackLaunch::Word> words_;
  LookBackLaunch::Word tickets_ = 0;
  unsigned number_ = 0;
};

}  // namespace kauri::cuda
