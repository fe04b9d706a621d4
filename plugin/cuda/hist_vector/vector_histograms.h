/// \file Histograms of nodes of trees with vector leaves, [n_cells, n_sums] words each; they are lent as zeros, and
/// taken back.
///
/// They are stored as pairs of words, like the histograms of trees with scalar leaves, so that the same code keeps them
/// and adds them up over devices. A last word without a partner stays zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/histogram/device_histograms.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

static_assert(sizeof(FixedSum) == 2 * sizeof(std::int64_t), "two words make a pair");

/// Returns the number of pairs that hold n_words words.
constexpr std::size_t PairsOf(std::size_t n_words) { return (n_words + 1) / 2; }
/// The following convert a histogram of words to one of pairs, and back.
inline FixedSum* AsPairs(std::int64_t* words) { return reinterpret_cast<FixedSum*>(words); }
inline std::int64_t* AsWords(FixedSum* pairs) { return reinterpret_cast<std::int64_t*>(pairs); }

class VectorHistograms {
 public:
  /// Frees all histograms; new ones have n_words words.
  void Resize(CudaContext const& cuda, std::size_t n_words);

  /// \throws Error(kMemory) with the amount that is needed.
  std::int64_t* Borrow(CudaContext const& cuda);
  void GiveBack(std::int64_t* histogram);
  /// Takes back all lent histograms.
  void Reset(CudaContext const& cuda);
  std::size_t NumLent() const { return n_lent_; }
  /// Returns how many histograms may be kept for nodes yet to be split: a quarter of the memory that was free.
  std::size_t MostLent() const { return most_lent_; }
  /// Returns the number of pairs per histogram.
  std::size_t NumPairs() const { return n_pairs_; }

 private:
  std::size_t n_pairs_ = 0;
  DeviceHistograms pairs_;
  std::size_t n_lent_ = 0;
  std::size_t most_lent_ = 0;
};

}  // namespace kauri::cuda
