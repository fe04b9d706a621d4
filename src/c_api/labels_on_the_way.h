/// \file Labels that a proxy was given in device memory, on their way to the host while the device works on the
/// features.
#pragma once

#include <future>

#include "kauri/device_memory.h"
#include "kauri/meta_info.h"

namespace kauri::c_api {

/// At most one column of labels, or table of them.
class LabelsOnTheWay {
 public:
  LabelsOnTheWay() = default;
  /// `array`, on a device, has been read when this returns. info: of the rows that the labels are of.
  LabelsOnTheWay(MetaInfo const& info, DeviceArray const& array);

  bool AreThere() const { return labels_.valid(); }
  /// Sets the labels, once; waits for them. \throws as SetInfo.
  void Finish(MetaInfo* info);

 private:
  std::future<MetaInfo> labels_;  ///< whoever drops it waits
};

}  // namespace kauri::c_api
