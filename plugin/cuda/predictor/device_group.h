/// \file Predictions on several devices of one machine.
///
/// Vocabulary. A member is one device with its own copy of the compiled model. A part is a run of consecutive rows.
///
/// 1. A model is compiled for all members in parallel.
/// 2. The rows of a call are divided into one part of the same size for each member; few rows are divided into fewer
///    parts.
/// 3. Every part is an ordinary prediction on one device, by a host thread of its own with its share of the worker
///    threads, which writes to the part's place in the caller's output.
/// A row's result does not depend on other rows, so it does not depend on the number of devices. Rows in the memory of
/// a member are left to that member.
#pragma once

#include <memory>

#include "kauri/predictor.h"

namespace kauri::cuda {

/// Returns a predictor that divides its work among the devices of Context::device.ordinals, as listed when a model was
/// compiled, and uses `one` on each of them. An ordinal may be listed twice. Without a list it is `one` itself. Errors
/// of the device, of memory and of the library name the member; any other error is the first part's.
std::unique_ptr<Predictor> MakeDeviceGroupPredictor(std::unique_ptr<Predictor> one);

}  // namespace kauri::cuda
