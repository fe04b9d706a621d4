/// KauriBoosterAddReceipt and KauriBoosterVerify: their results; the content of receipts is tested from Python.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

std::vector<std::string> Verify(Booster const& booster, Data const& data) {
  bst_ulong length = 0;
  char const** texts = nullptr;
  EXPECT_OK(KauriBoosterVerify(booster.get(), data.get(), &length, &texts));
  return {texts, texts + length};
}

void ExpectRefused(int status, int kind, std::string const& says) {
  EXPECT_EQ(status, -1);
  EXPECT_EQ(KauriGetLastErrorKind(), kind);
  EXPECT_NE(std::string(XGBGetLastError()).find(says), std::string::npos) << XGBGetLastError();
}

TEST(Receipt, HoldsForItsDataAlone) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 3);
  ASSERT_OK(KauriBoosterAddReceipt(booster.get(), problem.data.get()));
  EXPECT_TRUE(Verify(booster, problem.data).empty());
  auto labels = problem.labels;
  labels[7] = 1.0F - labels[7];
  auto const other = MakeData(problem.values, 4, labels);
  EXPECT_EQ(Verify(booster, other), std::vector<std::string>{"the values of label of the data differ"});
  EXPECT_TRUE(Verify(booster, problem.data).empty());  // the other model's receipt is replaced
}

TEST(Receipt, IsRefused) {
  Problem const problem;
  bst_ulong length = 0;
  char const** texts = nullptr;
  auto const booster = Train(problem.data, Logistic(), 3);
  ExpectRefused(KauriBoosterVerify(booster.get(), problem.data.get(), &length, &texts), KAURI_ERROR_MODEL,
                "has no receipt");
  auto labels = problem.labels;
  labels[7] = 1.0F - labels[7];
  auto const other = MakeData(problem.values, 4, labels);
  ExpectRefused(KauriBoosterAddReceipt(booster.get(), other.get()), KAURI_ERROR_MODEL, "gives another model");
  auto const empty = MakeBooster(problem.data, Logistic());
  ExpectRefused(KauriBoosterAddReceipt(empty.get(), problem.data.get()), KAURI_ERROR_MODEL, "training 0 rounds");
  ExpectRefused(KauriBoosterAddReceipt(nullptr, nullptr), KAURI_ERROR_PARAMETER, "null");
  ExpectRefused(KauriBoosterVerify(booster.get(), problem.data.get(), nullptr, &texts), KAURI_ERROR_PARAMETER, "null");
  for (auto const* damaged : {"", "{", "[]", "{}", R"({"rounds": 3, "data": 1, "params": {}})"}) {
    ASSERT_OK(XGBoosterSetAttr(booster.get(), "kauri_receipt", damaged));
    ExpectRefused(KauriBoosterVerify(booster.get(), problem.data.get(), &length, &texts), KAURI_ERROR_MODEL, "damaged");
  }
}

}  // namespace
}  // namespace kauri::testing
