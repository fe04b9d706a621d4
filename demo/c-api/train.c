/* Learns to tell malignant from benign tumours, watches the test error, predicts, and saves the model: the whole life
 * of a booster in C. Usage: train TRAIN.libsvm TEST.libsvm MODEL.json */
#include <stdio.h>
#include <stdlib.h>

#include "kauri/c_api.h"

/* Every call returns 0, or -1 and a message. */
#define CHECK(call)                                          \
  do {                                                       \
    if ((call) != 0) {                                       \
      fprintf(stderr, "%s: %s\n", #call, XGBGetLastError()); \
      exit(EXIT_FAILURE);                                    \
    }                                                        \
  } while (0)

static DMatrixHandle ReadData(char const* path) {
  char config[1024];
  DMatrixHandle data;
  snprintf(config, sizeof(config), "{\"uri\": \"%s?format=libsvm\"}", path);
  CHECK(XGDMatrixCreateFromURI(config, &data));
  return data;
}

static void Train(BoosterHandle booster, DMatrixHandle sets[2], int n_rounds) {
  char const* names[] = {"train", "test"};
  char const* line;
  int round;
  for (round = 0; round < n_rounds; ++round) {
    CHECK(XGBoosterUpdateOneIter(booster, round, sets[0]));
    CHECK(XGBoosterEvalOneIter(booster, round, sets, names, 2, &line));
    if (round % 10 == 9) puts(line);
  }
}

static void PrintPredictions(BoosterHandle booster, DMatrixHandle data, bst_ulong n_rows) {
  char const* config =
      "{\"type\": 0, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, \"strict_shape\": false}";
  bst_ulong const* shape;
  bst_ulong n_dims, n_labels, row;
  float const *probabilities, *labels;
  CHECK(XGBoosterPredictFromDMatrix(booster, data, config, &shape, &n_dims, &probabilities));
  CHECK(XGDMatrixGetFloatInfo(data, "label", &n_labels, &labels));
  for (row = 0; row < n_rows && row < shape[0]; ++row) {
    printf("row %d: malignant with probability %.4f, in truth %s\n", (int)row, probabilities[row],
           labels[row] == 1.0F ? "malignant" : "benign");
  }
}

int main(int argc, char** argv) {
  DMatrixHandle sets[2];
  BoosterHandle booster;
  if (argc != 4) {
    fprintf(stderr, "usage: %s TRAIN.libsvm TEST.libsvm MODEL.json\n", argv[0]);
    return EXIT_FAILURE;
  }
  sets[0] = ReadData(argv[1]);
  sets[1] = ReadData(argv[2]);
  CHECK(XGBoosterCreate(sets, 2, &booster));
  CHECK(XGBoosterSetParam(booster, "validate_parameters", "1")); /* a misspelt name is an error */
  CHECK(XGBoosterSetParam(booster, "objective", "binary:logistic"));
  CHECK(XGBoosterSetParam(booster, "tree_method", "exact"));
  CHECK(XGBoosterSetParam(booster, "max_depth", "4"));
  CHECK(XGBoosterSetParam(booster, "eval_metric", "error"));
  Train(booster, sets, 30);
  PrintPredictions(booster, sets[1], 5);
  CHECK(XGBoosterSaveModel(booster, argv[3]));
  CHECK(XGBoosterFree(booster));
  CHECK(XGDMatrixFree(sets[0]));
  CHECK(XGDMatrixFree(sets[1]));
  return EXIT_SUCCESS;
}
