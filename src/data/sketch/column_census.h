/// \file The weights of the values of one column over all ranks, as detailed as its cuts need them.
///
/// Vocabulary. Values are keys (data/sketch/weighted_keys.h); a bucket is the set of all keys that share their upper
/// bits. A bucket is open if the weights of its parts, over all ranks, are known. The boundaries of
/// data/sketch/rank_cuts.h are integers here: the weight of all smaller values, or their count.
///
/// 1. At first only the bucket of all keys is open; each of its parts shares the upper 7 bits.
/// 2. The rule of cuts runs. If it needs something within a bucket that is not open, the bucket is noted, and the rule
///    gets a guess: such a bucket is assumed to hold many light values.
/// 3. The noted buckets are opened, 5 bits further, and the rule runs again, until it notes none.
/// The notes of a run, and so the requests to the ranks, depend only on sums over all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri {

/// The keys first, first + 1, .., divided into n_parts parts of 2^shift keys each.
struct KeyParts {
  std::uint32_t first = 0;
  unsigned shift = 0;
  std::uint32_t n_parts = 0;
};

class ColumnCensus {
 public:
  ColumnCensus();

  /// Returns the parts whose weights are needed for the cuts. If there are none, the latest cuts are right.
  std::vector<KeyParts> Asked() const;
  /// Opens the buckets that were requested. weights: the weights over all ranks of all requested parts, one after the
  /// other. \throws Error(kCollective) for weights that are inconsistent.
  void Open(std::int64_t const* weights);
  /// Returns the same cuts as MakeCuts, provided that Asked() is empty afterwards.
  std::vector<float> Cuts(bool has_missing, std::uint32_t max_bin);

  // The interface of boundaries that rank_cuts.h needs.
  std::size_t End() const { return static_cast<std::size_t>(begin_[n_root_parts_]); }
  double Rank(std::size_t boundary) const { return static_cast<double>(boundary); }
  float Value(std::size_t boundary) const;
  std::size_t Next(std::size_t boundary) const;
  std::size_t LastUpTo(double rank) const;

 private:
  struct Bucket {
    KeyParts parts;
    std::size_t place = 0;  ///< index of its first part in begin_ and opened_
  };
  /// The part that holds a rank; a single key if is_known.
  struct Found {
    bool is_known = false;
    std::uint32_t key = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  /// Returns the last part for which is_up_to holds. is_up_to(begin): whether a part that begins at rank `begin` does
  /// not lie behind the part searched for. Notes a bucket that is not open.
  template <typename IsUpTo>
  Found Find(IsUpTo&& is_up_to) const;
  void Note(Bucket const& bucket, std::size_t part) const;
  /// Notes all unopened parts that hold values.
  void NoteAll() const;
  void SortWanted();

  std::uint32_t n_root_parts_;
  std::vector<Bucket> buckets_;       ///< the open buckets
  std::vector<std::int64_t> begin_;   ///< [n_parts + 1] ranks for each bucket
  std::vector<std::int32_t> opened_;  ///< [n_parts + 1] for each bucket: each part's index in buckets_, or -1
  std::size_t n_filled_ = 0;          ///< unopened parts with values: a lower bound on the number of distinct values
  /// A part to be opened, and its place in begin_ and opened_.
  struct Wanted {
    std::size_t place;
    KeyParts parts;
  };
  mutable std::vector<Wanted> wanted_;
};

}  // namespace kauri
