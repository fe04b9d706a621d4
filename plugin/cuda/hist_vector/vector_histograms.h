/// \file Histograms of nodes of trees with vector leaves, [n_cells, n_sums] words each: lent, full of zeros, and taken
/// back.
///
/// They lie in memory for pairs of words, as those of trees whose leaves hold numbers do, so that both are kept, and
/// added up over devices, by the same code. A last word without a partner stays zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/histogram/device_histograms.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

static_assert(sizeof(FixedSum) == 2 * sizeof(std::int64_t), "two words make a pair");

/// Pairs that have room for so many words.
constexpr std::size_t PairsOf(std::size_t n_words) { return (n_words + 1) / 2; }
/// A histogram of words as one of pairs, and the other way round.
inline FixedSum* AsPairs(std::int64_t* words) { return reinterpret_cast<FixedSum*>(words); }
inline std::int64_t* AsWords(FixedSum* pairs) { return reinterpret_cast<std::int64_t*>(pairs); }

class VectorHistograms {
 public:
  /// Frees all there were; those to come have so many words.
  void Resize(CudaContext const& cuda, std::size_t n_words);

  /// \throws Error(kMemory) with what is needed.
  std::int64_t* Borrow(CudaContext const& cuda);
  void GiveBack(std::int64_t* histogram);
  /// Takes back whatever is lent.
  void Reset(CudaContext const& cuda);
  std::size_t NumLent() const { return n_lent_; }
  /// How many may be kept for nodes yet to be split: a quarter of the memory that was free.
  std::size_t MostLent() const { return most_lent_; }
  /// Of each.
  std::size_t NumPairs() const { return n_pairs_; }

 private:
  std::size_t n_pairs_ = 0;
  DeviceHistograms pairs_;
  std::size_t n_lent_ = 0;
  std::size_t most_lent_ = 0;
};

}  // namespace kauri::cuda
