/// \file One column whose rows are spread over ranks: what all of them weigh, by value, as far as cuts ask for it.
///
/// Vocabulary. Values are keys (data/sketch/weighted_keys.h); a bucket is all keys that have their upper bits in
/// common. An open bucket is one of which it is known what its parts weigh, over all ranks. The boundaries of
/// data/sketch/rank_cuts.h are whole numbers here: the weight of all smaller values, or their count.
///
/// 1. At first only the bucket of all keys is open; its parts have the upper 7 bits in common.
/// 2. The rule of cuts runs. Where it asks for something within a bucket that is not open, that is noted, and it gets a
///    guess: a bucket that is not open is taken for many light values.
/// 3. The buckets that were noted are opened, 5 bits further, and the rule runs again, until it notes none.
/// What a run notes, and so what is asked of the ranks, follows from sums over all ranks alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri {

/// Keys first, first + 1, .., in n_parts parts of 2^shift keys each.
struct KeyParts {
  std::uint32_t first = 0;
  unsigned shift = 0;
  std::uint32_t n_parts = 0;
};

class ColumnCensus {
 public:
  ColumnCensus();

  /// What must be known for the cuts; none: the last ones are right.
  std::vector<KeyParts> Asked() const;
  /// weights: those of the parts of all that was asked for, one after the other, over all ranks. \throws
  /// Error(kCollective) for what are no such weights.
  void Open(std::int64_t const* weights);
  /// As MakeCuts, if nothing is asked for after that.
  std::vector<float> Cuts(bool has_missing, std::uint32_t max_bin);

  // What rank_cuts.h asks of boundaries.
  std::size_t End() const { return static_cast<std::size_t>(begin_[n_root_parts_]); }
  double Rank(std::size_t boundary) const { return static_cast<double>(boundary); }
  float Value(std::size_t boundary) const;
  std::size_t Next(std::size_t boundary) const;
  std::size_t LastUpTo(double rank) const;

 private:
  struct Bucket {
    KeyParts parts;
    std::size_t place = 0;  ///< of its first part in begin_ and opened_
  };
  /// The part that holds a rank; a key where is_known.
  struct Found {
    bool is_known = false;
    std::uint32_t key = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  /// is_up_to(begin): whether a part that begins at this rank is not behind the one looked for. Notes a bucket that is
  /// not open.
  template <typename IsUpTo>
  Found Find(IsUpTo&& is_up_to) const;
  void Note(Bucket const& bucket, std::size_t part) const;
  /// Notes all parts with values.
  void NoteAll() const;
  void SortWanted();

  std::uint32_t n_root_parts_;
  std::vector<Bucket> buckets_;       ///< open ones
  std::vector<std::int64_t> begin_;   ///< of each: [n_parts + 1] ranks
  std::vector<std::int32_t> opened_;  ///< of each part the place in buckets_, or -1; [n_parts + 1] of each bucket
  std::size_t n_filled_ = 0;          ///< parts with values that are not open: the fewest distinct values
  /// A part to be opened, and where it is noted that it was.
  struct Wanted {
    std::size_t place;
    KeyParts parts;
  };
  mutable std::vector<Wanted> wanted_;
};

}  // namespace kauri
