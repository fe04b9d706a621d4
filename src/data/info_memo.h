/// \file Facts that follow from labels, weights and other metadata of a matrix and from parameters, such as that the
/// labels suit an objective, or their mean. They are kept with the matrix, so that another training on it need not read
/// the labels again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace kauri {

/// Thread-safe.
class InfoMemo {
 public:
  /// Returns the fact of `key`: what compute() returned when it was first asked for with this revision of the metadata.
  /// Nothing is kept if `compute` throws. Threads that ask at the same time may both compute it.
  template <typename Compute>
  std::vector<float> Get(std::uint64_t revision, std::string const& key, Compute&& compute) {
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      auto const found = revision == revision_ ? facts_.find(key) : facts_.end();
      if (found != facts_.end()) return found->second;
    }
    std::vector<float> fact = compute();
    std::lock_guard<std::mutex> const lock(mutex_);
    if (revision != revision_ || facts_.size() >= kMost) facts_.clear();
    revision_ = revision;
    facts_[key] = fact;
    return fact;
  }

 private:
  static constexpr std::size_t kMost = 16;  ///< number of facts; a search over parameters must not collect them

  std::mutex mutex_;
  std::uint64_t revision_ = 0;
  std::map<std::string, std::vector<float>> facts_;
};

}  // namespace kauri
