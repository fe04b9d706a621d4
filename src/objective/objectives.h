/// \file The objectives of this folder, for the table of contents.
#pragma once

#include "kauri/objective.h"
#include "kauri/registry.h"

namespace kauri {

void RegisterObjectives(Registry<ObjectiveFactory>* registry);

}  // namespace kauri
