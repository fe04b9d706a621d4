#include "c_api/pending_labels.h"

#include <utility>
#include <vector>

#include "c_api/global.h"
#include "common/large_memory.h"
#include "data/arrays/array_dispatch.h"
#include "data/meta_info.h"

namespace kauri::c_api {

namespace {

/// Receives the labels. float32 is stored directly in its final place: a second copy of millions of rows takes longer
/// than the transfer over the bus.
void Take(ArrivingArray const& arriving, Context const& ctx, MetaInfo* info) {
  auto const n = static_cast<std::size_t>(arriving.view.Size());
  if (arriving.view.dtype == DType::kF32) {
    std::vector<float> values;
    ReserveLarge(ctx, &values, n);
    arriving.fetch([&values](char const* bytes, std::size_t n_bytes) {
      auto const* const from = reinterpret_cast<float const*>(bytes);
      values.insert(values.end(), from, from + n_bytes / sizeof(float));
    });
    return SetLabels(info, arriving.view, std::move(values), ctx);
  }
  std::vector<char> all;
  all.reserve(n * static_cast<std::size_t>(ItemSize(arriving.view.dtype)));
  arriving.fetch([&all](char const* bytes, std::size_t n_bytes) { all.insert(all.end(), bytes, bytes + n_bytes); });
  auto view = arriving.view;
  view.data = all.data();
  SetInfo(info, "label", view, ctx);
}

}  // namespace

PendingLabels::PendingLabels(MetaInfo const& info, DeviceArray const& array) {
  MetaInfo of_labels;
  of_labels.n_rows = info.n_rows;
  of_labels.n_cols = info.n_cols;
  auto arriving = RequireDeviceMemory()->ToHostLater(array);
  auto const ctx = MakeContext(0);
  labels_ = std::async(std::launch::async, [of_labels, arriving = std::move(arriving), ctx]() mutable {
    Take(arriving, ctx, &of_labels);
    return std::move(of_labels);
  });
}

void PendingLabels::Finish(MetaInfo* info) {
  auto of_labels = labels_.get();
  info->labels = std::move(of_labels.labels);
  info->n_targets = of_labels.n_targets;
}

}  // namespace kauri::c_api
