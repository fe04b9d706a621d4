/* Learns to tell malignant from benign tumours, watches the test error, predicts, explains, and saves the model: the
 * whole life of a booster in C. Usage: train TRAIN.libsvm TEST.libsvm MODEL.json */
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

/* What a prediction returns: c_api.h lists all numbers. */
enum Kind { kValue = 0, kMargin = 1, kContributions = 2, kInteractions = 4 };

/* Predicts all rows. The result belongs to the booster, and the next prediction of this thread takes its place. */
static float const* Predict(BoosterHandle booster, DMatrixHandle data, enum Kind kind, bst_ulong const** shape) {
  char config[128];
  bst_ulong n_dims;
  float const* values;
  snprintf(config, sizeof(config),
           "{\"type\": %d, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, \"strict_shape\": false}",
           (int)kind);
  CHECK(XGBoosterPredictFromDMatrix(booster, data, config, shape, &n_dims, &values));
  return values;
}

static void PrintPredictions(BoosterHandle booster, DMatrixHandle data, bst_ulong n_rows) {
  bst_ulong const* shape;
  bst_ulong n_labels, row;
  float const *probabilities = Predict(booster, data, kValue, &shape), *labels;
  CHECK(XGDMatrixGetFloatInfo(data, "label", &n_labels, &labels));
  for (row = 0; row < n_rows && row < shape[0]; ++row) {
    printf("row %d: malignant with probability %.4f, in truth %s\n", (int)row, probabilities[row],
           labels[row] == 1.0F ? "malignant" : "benign");
  }
}

static double Magnitude(float value) { return value < 0.0F ? -value : value; }

/* Prints for the first row its margin, what each feature adds to it (SHAP values: [n_rows, n_features + 1], the bias
 * last), and the features that matter most. */
static void PrintContributions(BoosterHandle booster, DMatrixHandle data) {
  bst_ulong const* shape;
  bst_ulong feature, largest = 0;
  double sum = 0.0, margin = Predict(booster, data, kMargin, &shape)[0];
  float const* values = Predict(booster, data, kContributions, &shape);
  bst_ulong const n_features = shape[1] - 1;
  for (feature = 0; feature <= n_features; ++feature) sum += values[feature];
  for (feature = 0; feature < n_features; ++feature) {
    if (Magnitude(values[feature]) > Magnitude(values[largest])) largest = feature;
  }
  printf("row 0: margin %.4f, contributions and bias add up to %.4f; most from feature %d: %+.4f\n", margin, sum,
         (int)largest, values[largest]);
}

/* Prints the pair of features that interact most in the first row. Interactions are [n_rows, n_features + 1,
 * n_features + 1]; a pair has two equal cells, which add up to its interaction. */
static void PrintInteractions(BoosterHandle booster, DMatrixHandle data) {
  bst_ulong const* shape;
  float const* values = Predict(booster, data, kInteractions, &shape);
  bst_ulong const width = shape[1];
  bst_ulong first, second, best_first = 0, best_second = 1;
  for (first = 0; first + 1 < width; ++first) {
    for (second = first + 1; second + 1 < width; ++second) {
      if (Magnitude(values[first * width + second]) > Magnitude(values[best_first * width + best_second])) {
        best_first = first;
        best_second = second;
      }
    }
  }
  printf("row 0: strongest interaction, of features %d and %d: %+.4f\n", (int)best_first, (int)best_second,
         2.0F * values[best_first * width + best_second]);
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
  PrintContributions(booster, sets[1]);
  PrintInteractions(booster, sets[1]);
  CHECK(XGBoosterSaveModel(booster, argv[3]));
  CHECK(XGBoosterFree(booster));
  CHECK(XGDMatrixFree(sets[0]));
  CHECK(XGDMatrixFree(sets[1]));
  return EXIT_SUCCESS;
}
