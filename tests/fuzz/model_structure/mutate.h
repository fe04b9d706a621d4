/// \file Changes a model's document such that it stays a document.
#pragma once

#include "model_structure/models.h"
#include "support/bytes.h"

namespace kauri::fuzz {

/// Replaces the texts of attributes by the documents that they hold, so that Mutate reaches them; CloseAttributes turns
/// them into texts again.
void OpenAttributes(Json* document);
void CloseAttributes(Json* document);

/// Makes one change at a place chosen by the input: another number; a member removed, duplicated or moved; an array
/// shorter or longer; another type.
void Mutate(Bytes* bytes, Json* document);

}  // namespace kauri::fuzz
