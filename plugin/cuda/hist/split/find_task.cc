#include "cuda/hist/split/find_task.h"

#include <algorithm>

namespace kauri::cuda {

std::int32_t AddAllowed(std::vector<std::uint32_t> const& of_node, std::vector<std::uint32_t> const& of_tree,
                        std::vector<std::uint8_t>* allowed) {
  if (&of_node == &of_tree) return -1;
  auto const list = allowed->size() / std::max<std::size_t>(1, of_tree.size());
  for (auto const feature : of_tree) {
    allowed->push_back(std::binary_search(of_node.begin(), of_node.end(), feature) ? 1 : 0);
  }
  return static_cast<std::int32_t>(list);
}

void TreeFeatures::AddTo(Upload* upload, DeviceBins const& bins, std::vector<std::uint32_t> const& features) {
  constexpr std::size_t kFew = 64;  // fewer features do not justify a launch of their own
  std::vector<std::uint32_t> narrow;
  std::vector<std::uint32_t> wide;
  for (std::uint32_t place = 0; place < features.size(); ++place) {
    auto* const list = bins.features[features[place]].n_codes <= kNarrowCodes ? &narrow : &wide;
    list->push_back(place);
  }
  if (narrow.size() < kFew) {
    narrow.clear();
    wide.clear();
  }
  features_ = Add(upload, features);
  narrow_ = Add(upload, narrow);
  wide_ = Add(upload, wide);
}

void TreeFeatures::PutInto(Upload const& upload, FindTask* task) const {
  task->tree_features = features_.In(upload);
  task->by_width = {narrow_.In(upload), wide_.In(upload)};
}

}  // namespace kauri::cuda
