/// \file Settings of the calling thread that new data and boosters start with.
#pragma once

#include "kauri/context.h"

namespace kauri::c_api {

/// nthread of XGBSetGlobalConfig; 0: as common/threads.h says.
int DefaultThreads();
/// nthread 0 or below: DefaultThreads(). MaxThreads() of common/threads.h at most.
Context MakeContext(std::int64_t nthread);

}  // namespace kauri::c_api
