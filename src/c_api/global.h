/// \file Settings of the calling thread with which new data and boosters start.
#pragma once

#include "kauri/context.h"

namespace kauri::c_api {

/// Returns nthread of XGBSetGlobalConfig; 0: see common/threads/threads.h.
int DefaultThreads();
/// Creates a context. nthread 0 or below: DefaultThreads(); at most MaxThreads() of common/threads/threads.h.
Context MakeContext(std::int64_t nthread);

}  // namespace kauri::c_api
