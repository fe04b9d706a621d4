/// \file Predictions on several devices of one machine.
///
/// Vocabulary. A member is one device with its own copy of the compiled model. A part is a run of consecutive rows.
///
/// 1. A model is compiled for every member, side by side.
/// 2. The rows of a call are cut into as many parts of the same size as there are members; of few rows, into fewer.
/// 3. Every part is an ordinary prediction on one device, by a host thread of its own with its share of the worker
///    threads, which writes to the part's place in the caller's output.
/// No row's result depends on the rows beside it, so none depends on the number of devices. Rows that lie in the memory
/// of a member are left to that member.
#pragma once

#include <memory>

#include "kauri/predictor.h"

namespace kauri::cuda {

/// A predictor that does on the devices of Context::device.ordinals, as many as were there when a model was compiled,
/// what `one` does on each of them. An ordinal may be there twice. Without a list: `one` itself.
/// Errors of the device, of memory and of the library name the member; any other is the first part's.
std::unique_ptr<Predictor> MakeDeviceGroupPredictor(std::unique_ptr<Predictor> one);

}  // namespace kauri::cuda
