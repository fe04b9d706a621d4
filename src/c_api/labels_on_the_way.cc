#include "c_api/labels_on_the_way.h"

#include <utility>

#include "c_api/global.h"
#include "data/meta_info.h"

namespace kauri::c_api {

LabelsOnTheWay::LabelsOnTheWay(MetaInfo const& info, DeviceArray const& array) {
  MetaInfo of_labels;
  of_labels.n_rows = info.n_rows;
  of_labels.n_cols = info.n_cols;
  auto fetch = RequireDeviceMemory()->ToHostLater(array);
  auto const ctx = MakeContext(0);
  labels_ = std::async(std::launch::async, [of_labels, fetch = std::move(fetch), ctx]() mutable {
    auto const on_host = fetch();
    SetInfo(&of_labels, "label", on_host.view, ctx);
    return std::move(of_labels);
  });
}

void LabelsOnTheWay::Finish(MetaInfo* info) {
  auto of_labels = labels_.get();
  info->labels = std::move(of_labels.labels);
  info->n_targets = of_labels.n_targets;
}

}  // namespace kauri::c_api
