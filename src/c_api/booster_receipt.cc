/// Receipts.
#include <utility>

#include "booster/receipt/receipt.h"
#include "c_api/guard.h"
#include "c_api/handles.h"

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriBoosterAddReceipt(BoosterHandle handle, DMatrixHandle dmat) {
  return Guard([&] {
    BoosterUse const learner(handle);
    auto const& booster = *learner.Handle().learner;
    auto receipt = kauri::MakeReceipt(booster, booster.GetModel(), DataRead(dmat)->data);
    learner->Attributes()[kauri::kReceiptAttribute] = std::move(receipt);
  });
}

int KauriBoosterVerify(BoosterHandle handle, DMatrixHandle dmat, bst_ulong* out_len, char const*** out) {
  return Guard([&] {
    BoosterRead const booster(handle);
    NotNull(out_len, "out_len");
    NotNull(out, "out");
    auto differences = kauri::DifferencesFromReceipt(*booster->learner, DataRead(dmat)->data);
    booster->Buffers().ReturnStrings(std::move(differences), out_len, out);
  });
}
