/// KauriBoosterCountRows: refusals; the counts themselves are tested from Python.
#include <gtest/gtest.h>

#include <string>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

TEST(CountRows, RefusesWhatIsNoHandle) {
  EXPECT_EQ(KauriBoosterCountRows(nullptr, nullptr), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("null"), std::string::npos) << XGBGetLastError();
}

TEST(CountRows, RefusesAnEmptyModel) {
  BoosterHandle booster = nullptr;
  DMatrixHandle data = nullptr;
  float const row[]{1.0F, 2.0F};
  ASSERT_EQ(XGDMatrixCreateFromMat(row, 1, 2, -1.0F, &data), 0);
  ASSERT_EQ(XGBoosterCreate(nullptr, 0, &booster), 0);
  EXPECT_EQ(KauriBoosterCountRows(booster, data), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("no model yet"), std::string::npos) << XGBGetLastError();
  XGBoosterFree(booster);
  XGDMatrixFree(data);
}

}  // namespace
}  // namespace kauri::testing
