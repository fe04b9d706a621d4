/// \file Caches an engine's state by data set, for as long as the owner of the data set keeps it.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "kauri/data_matrix.h"
#include "kauri/error.h"

namespace kauri {

/// Cache with one entry per data set. Entry has a MarginCache `held`. The address of an entry does not change.
template <typename Entry>
class DataCache {
 public:
  /// Returns the entry of `data`, creating it if needed. Drops the entries of data sets that no longer exist.
  Entry* Open(DataMatrix const& data) {
    for (auto it = entries_.begin(); it != entries_.end();) {
      it = it->second.held.IsInvalid() ? entries_.erase(it) : std::next(it);
    }
    return &entries_[data.Id()];
  }

  /// \throws Error(kInternal) if there is no entry.
  Entry& Of(DataMatrix const& data) { return Find(data, &entries_)->second; }
  Entry const& Of(DataMatrix const& data) const { return Find(data, &entries_)->second; }

  void Clear() { entries_.clear(); }

 private:
  template <typename Entries>
  static auto Find(DataMatrix const& data, Entries* entries) {
    auto const found = entries->find(data.Id());
    if (found == entries->end()) Fail(ErrorKind::kInternal, "margins of data set ", data.Id(), " were never computed");
    return found;
  }

  std::map<std::uint64_t, Entry> entries_;  ///< by DataMatrix::Id
};

}  // namespace kauri
