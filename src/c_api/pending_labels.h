/// \file Pending labels of a proxy: given in device memory, they are copied to the host while the device works on the
/// features.
#pragma once

#include <future>

#include "kauri/device_memory.h"
#include "kauri/meta_info.h"

namespace kauri::c_api {

/// Pending labels: at most one column or table of them.
class PendingLabels {
 public:
  PendingLabels() = default;
  /// Starts the copy. `array`, in device memory, has been read when this returns. info: info of the rows of the labels.
  PendingLabels(MetaInfo const& info, DeviceArray const& array);

  bool AreThere() const { return labels_.valid(); }
  /// Waits for the labels and sets them, once. \throws as SetInfo.
  void Finish(MetaInfo* info);

 private:
  std::future<MetaInfo> labels_;  ///< its destructor waits
};

}  // namespace kauri::c_api
