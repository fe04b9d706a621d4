/// \file Changes to a model's document that keep it one.
#pragma once

#include "model_structure/models.h"
#include "support/bytes.h"

namespace kauri::fuzz {

/// Texts of attributes become the documents that they hold, so that Mutate reaches these, and texts again.
void OpenAttributes(Json* document);
void CloseAttributes(Json* document);

/// One change at a place of the input's choosing: another number, a member less, twice or elsewhere, an array shorter
/// or longer, another type.
void Mutate(Bytes* bytes, Json* document);

}  // namespace kauri::fuzz
