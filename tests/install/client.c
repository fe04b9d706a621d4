/* Trains on four rows in plain C. */
#include <kauri/c_api.h>
#include <stdio.h>

int main(void) {
  float const rows[] = {0, 1, 2, 3};
  float const labels[] = {0, 0, 1, 1};
  char array[200];
  DMatrixHandle data = NULL;
  BoosterHandle booster = NULL;
  int rounds = 0;
  snprintf(array, sizeof(array), "{\"data\": [%zu, true], \"typestr\": \"<f4\", \"shape\": [4, 1], \"version\": 3}",
           (size_t)rows);
  if (XGDMatrixCreateFromDense(array, "{\"missing\": NaN}", &data) != 0 ||
      XGDMatrixSetFloatInfo(data, "label", labels, 4) != 0 || XGBoosterCreate(&data, 1, &booster) != 0 ||
      XGBoosterUpdateOneIter(booster, 0, data) != 0 || XGBoosterBoostedRounds(booster, &rounds) != 0) {
    fprintf(stderr, "%s\n", XGBGetLastError());
    return 1;
  }
  printf("Kauri %s: %d round\n", KauriVersion(), rounds);
  XGBoosterFree(booster);
  XGDMatrixFree(data);
  return 0;
}
