/// Counts the rows of each node.
#include "c_api/guard.h"
#include "c_api/handles.h"

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriBoosterCountRows(BoosterHandle handle, DMatrixHandle dmat) {
  return Guard([&] { BoosterUse(handle)->CountRows(*DataRead(dmat)->data); });
}
