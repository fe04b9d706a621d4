#include "cuda/shap/sparse_plan.h"

#include <algorithm>
#include <cstring>

#include "common/threads/parallel_for.h"

namespace kauri::cuda {

SparsePlan::SparsePlan(CudaContext const& cuda, SparseEntries const& found, TreeRange trees, std::int64_t top_k)
    : trees_(trees),
      top_k_(top_k),
      entry_begin_(found.begin),
      begin_(1, 0),
      first_(found.first),
      second_(found.second),
      entries_(cuda, found.entries) {
  std::vector<PickSegment> segments;
  for (std::size_t output = 0; output + 1 < entry_begin_.size(); ++output) {
    auto const n_entries = entry_begin_[output + 1] - entry_begin_[output];
    auto const n_picks = top_k == 0 ? n_entries : std::min(top_k, n_entries);
    segments.push_back({entry_begin_[output], n_entries, begin_.back(), n_picks});
    begin_.push_back(begin_.back() + n_picks);
  }
  segments_ = ToDevice(cuda, segments);
  cuda.Synchronize();  // for `segments`
}

std::int64_t SparsePlan::RowFloats() const { return top_k_ == 0 ? begin_.back() : 2 * begin_.back(); }

void SparsePlan::Pick(CudaContext const& cuda, float const* values, std::int64_t n_rows, float* picks) const {
  PickTask task{};
  task.values = values;
  task.row_floats = entry_begin_.back();
  task.n_rows = n_rows;
  task.segments = segments_.data();
  task.n_segments = static_cast<std::int64_t>(segments_.size());
  task.picks = reinterpret_cast<PickRank*>(picks);
  task.row_picks = begin_.back();
  SelectLargest(cuda, task);
}

void SparsePlan::Fill(Context const& ctx, std::int64_t n_rows, std::vector<float> const& floats,
                      SparseInteractions* out) const {
  auto const n_outputs = static_cast<std::int64_t>(segments_.size());
  auto const n_entries = ToSize(n_rows * begin_.back());
  out->begin.resize(ToSize(n_rows * n_outputs) + 1);
  out->first.resize(n_entries);
  out->second.resize(n_entries);
  out->values.resize(n_entries);
  out->begin.back() = n_rows * begin_.back();
  ParallelFor(ctx, n_rows, [&](std::int64_t row) {
    auto const base = row * begin_.back();
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      out->begin[row * n_outputs + output] = base + begin_[output];
      if (top_k_ != 0) FillPicks(row, output, floats.data() + 2 * (base + begin_[output]), out);
    }
    if (top_k_ != 0) return;
    std::copy(first_.begin(), first_.end(), out->first.begin() + base);
    std::copy(second_.begin(), second_.end(), out->second.begin() + base);
  });
}

void SparsePlan::FillPicks(std::int64_t row, std::int64_t output, float const* picks, SparseInteractions* out) const {
  std::vector<PickRank> ranks(begin_[output + 1] - begin_[output]);
  if (ranks.empty()) return;
  std::memcpy(ranks.data(), picks, ranks.size() * sizeof(PickRank));
  std::sort(ranks.begin(), ranks.end());
  auto to = ToSize(row * begin_.back() + begin_[output]);
  for (auto const rank : ranks) {
    auto const entry = ToSize(entry_begin_[output]) + PlaceOfRank(rank);
    out->first[to] = first_[entry];
    out->second[to] = second_[entry];
    out->values[to++] = ValueOfRank(rank);
  }
}

}  // namespace kauri::cuda
