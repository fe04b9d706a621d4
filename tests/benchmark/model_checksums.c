/* Checksums of models, evaluations, predictions and explanations over many configurations, one line each, by the C ABI
 * alone: the counterpart of model_checksums.py for systems without Python. Equal tables of two systems show that both
 * learn models of the same bytes. The data are random, from a fixed seed, and made of integers, so that no system's
 * arithmetic has a say. Usage: model_checksums [N_THREADS [N_ROWS]] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kauri/c_api.h"

enum { kCols = 8, kRounds = 4, kMostRows = 100000, kQueryRows = 20 };

struct Case {
  char const* data;   /* kind of labels; "categories" in front of it: with two columns of categories */
  char const* params; /* name=value, separated by blanks */
};

static struct Case const kCases[] = {
    {"binary", "objective=binary:logistic"},
    {"binary", "objective=binary:logitraw"},
    {"binary", "objective=binary:hinge"},
    {"real", "objective=reg:squarederror"},
    {"real", "objective=reg:pseudohubererror"},
    {"real", "objective=reg:absoluteerror"},
    {"real", "objective=reg:quantileerror quantile_alpha=[0.2,0.7]"},
    {"real", "objective=reg:expectileerror expectile_alpha=[0.3,0.6]"},
    {"positive", "objective=reg:squaredlogerror"},
    {"positive", "objective=count:poisson"},
    {"positive", "objective=reg:gamma"},
    {"positive", "objective=reg:tweedie"},
    {"classes", "objective=multi:softmax num_class=4"},
    {"classes", "objective=multi:softprob num_class=4"},
    {"survival", "objective=survival:cox"},
    {"intervals", "objective=survival:aft"},
    {"groups", "objective=rank:ndcg"},
    {"groups", "objective=rank:pairwise"},
    {"pages", "objective=rank:map"},
    {"real", "max_depth=0 max_leaves=23 grow_policy=lossguide"},
    {"real", "subsample=0.6 seed=3"},
    {"real", "subsample=0.5 sampling_method=gradient_based"},
    {"classes", "objective=multi:softprob num_class=4 colsample_bytree=0.7 colsample_bylevel=0.8 colsample_bynode=0.9"},
    {"real", "monotone_constraints=(1,-1,0,0,0,0,0,0) alpha=0.5 max_delta_step=0.4 gamma=0.1"},
    {"real", "interaction_constraints=[[0,1,2],[3,4],[5,6,7]]"},
    {"real", "num_parallel_tree=3 colsample_bynode=0.5"},
    {"real", "max_bin=7 lambda=0 min_child_weight=0"},
    {"categories binary", "objective=binary:logistic max_cat_to_onehot=6"},
    {"categories binary", "objective=binary:logistic max_depth=0 max_leaves=23 grow_policy=lossguide"},
    {"real", "booster=dart rate_drop=0.4"},
    {"real", "min_data_in_leaf=30 path_smooth=10"},
    {"real", "extra_trees=1 random_strength=1"},
};

/* Configurations of one tree method. */
static struct Case const kMore[] = {
    {"binary", "objective=binary:logistic grow_policy=symmetric tree_method=hist"},
    {"binary", "objective=binary:logistic gradient_bits=8 tree_method=hist"},
    {"classes", "objective=multi:softprob num_class=4 multi_strategy=multi_output_tree tree_method=hist"},
    {"real", "bagging_temperature=1 tree_method=hist"},
    {"real", "booster=gblinear updater=shotgun lambda=0.1"},
    {"real", "booster=gblinear updater=coord_descent feature_selector=greedy lambda=0.1"},
    {"binary", "objective=binary:logistic tree_method=hist shap_method=treeshap"},
};

static char const* const kMethods[] = {"exact", "approx", "hist"};

#define CHECK(call)                                               \
  do {                                                            \
    if ((call) != 0) {                                            \
      printf("refused by %.24s: %s\n", #call, XGBGetLastError()); \
      goto done;                                                  \
    }                                                             \
  } while (0)

/* The checksum FNV-1a of bytes, of 64 bits. */
static uint64_t Checksum(void const* bytes, size_t n_bytes) {
  unsigned char const* at = bytes;
  uint64_t sum = 0xCBF29CE484222325U;
  for (; n_bytes > 0; --n_bytes) sum = (sum ^ *at++) * 0x100000001B3U;
  return sum;
}

static uint64_t g_state;

/* A random integer of [0, n). */
static int Draw(int n) {
  g_state = g_state * 6364136223846793005U + 1442695040888963407U;
  return (int)((g_state >> 33U) % (uint64_t)n);
}

static float g_values[(size_t)kMostRows * kCols];
static float g_labels[kMostRows], g_upper[kMostRows], g_weights[kMostRows];

/* Draws a row's values, quarters of integers, one in ten missing. Returns an integer score of some hundreds. */
static int DrawRow(float* row, int has_categories) {
  static int const kCategories[] = {5, 30};
  int integers[kCols], col;
  for (col = 0; col < kCols; ++col) {
    integers[col] = Draw(1000) - 500;
    row[col] = (float)(col == 5 ? integers[col] / 100 : integers[col]) / 4.0F;
    if (has_categories && col >= 6) row[col] = (float)(integers[col] = Draw(kCategories[col - 6]));
    if (Draw(10) == 0) {
      integers[col] = 0;
      row[col] = -9999.0F;
    }
  }
  return integers[0] + integers[1] * integers[2] / 500 + integers[7] % 5 * 40 + Draw(200) - 100;
}

static float LabelOf(char const* kind, int score) {
  int const level = score < -250 ? 0 : score < 0 ? 1 : score < 250 ? 2 : 3;
  if (strcmp(kind, "binary") == 0 || strcmp(kind, "pages") == 0) return score > 0 ? 1.0F : 0.0F;
  if (strcmp(kind, "classes") == 0 || strcmp(kind, "groups") == 0) return (float)level;
  if (strcmp(kind, "positive") == 0 || strcmp(kind, "intervals") == 0) return (float)(abs(score) + 16) / 128.0F;
  if (strcmp(kind, "survival") == 0) return (float)((abs(score) + 16) * (score % 3 == 0 ? -1 : 1)) / 128.0F;
  return (float)score / 64.0F;
}

/* Makes the table of a case, whose labels are of a kind. Returns 0, or -1 and a message. */
static int MakeData(char const* kind, int n_rows, DMatrixHandle* data) {
  static char const* types[] = {"float", "float", "float", "float", "float", "float", "c", "c"};
  static unsigned groups[kMostRows / kQueryRows];
  int const has_categories = strncmp(kind, "categories ", 11) == 0;
  int row, status, is_ranked;
  if (has_categories) kind += 11;
  is_ranked = strcmp(kind, "groups") == 0 || strcmp(kind, "pages") == 0;
  g_state = 7;
  for (row = 0; row < n_rows; ++row) {
    int const score = DrawRow(g_values + (size_t)row * kCols, has_categories);
    g_labels[row] = LabelOf(kind, score);
    g_upper[row] = g_labels[row] * 1.5F;
    g_weights[row] = (float)(Draw(16) + 8) / 16.0F;
    groups[row / kQueryRows] = kQueryRows;
  }
  status = XGDMatrixCreateFromMat(g_values, (bst_ulong)n_rows, kCols, -9999.0F, data);
  if (has_categories && status == 0) status = XGDMatrixSetStrFeatureInfo(*data, "feature_type", types, kCols);
  if (is_ranked)
    return status != 0 || XGDMatrixSetFloatInfo(*data, "label", g_labels, (bst_ulong)n_rows) != 0 ||
                   XGDMatrixSetUIntInfo(*data, "group", groups, (bst_ulong)(n_rows / kQueryRows)) != 0
               ? -1
               : 0;
  if (status == 0) status = XGDMatrixSetFloatInfo(*data, "weight", g_weights, (bst_ulong)n_rows);
  if (strcmp(kind, "intervals") == 0) {
    if (status == 0) status = XGDMatrixSetFloatInfo(*data, "label_lower_bound", g_labels, (bst_ulong)n_rows);
    return status != 0 ? status : XGDMatrixSetFloatInfo(*data, "label_upper_bound", g_upper, (bst_ulong)n_rows);
  }
  return status != 0 ? status : XGDMatrixSetFloatInfo(*data, "label", g_labels, (bst_ulong)n_rows);
}

/* Sets parameters, written as in a case. Returns 0, or -1 and a message. */
static int SetParams(BoosterHandle booster, char const* params) {
  char text[512], *word, *value;
  snprintf(text, sizeof(text), "%s", params);
  for (word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    value = strchr(word, '=');
    *value++ = '\0';
    if (XGBoosterSetParam(booster, word, value) != 0) return -1;
  }
  return 0;
}

static int PrintPredictions(BoosterHandle booster, DMatrixHandle data, int kind) {
  char config[128];
  bst_ulong const* shape;
  bst_ulong n_dims, dim;
  size_t n_values = 1;
  float const* values;
  snprintf(config, sizeof(config),
           "{\"type\": %d, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, \"strict_shape\": false}",
           kind);
  if (XGBoosterPredictFromDMatrix(booster, data, config, &shape, &n_dims, &values) != 0) return -1;
  for (dim = 0; dim < n_dims; ++dim) n_values *= (size_t)shape[dim];
  printf(" %016llx", (unsigned long long)Checksum(values, n_values * sizeof(float)));
  return 0;
}

/* Prints the line of a case. */
static void Run(struct Case const* of, char const* method, char const* n_threads, int n_rows) {
  static char const* names[] = {"train"};
  DMatrixHandle data = NULL;
  BoosterHandle booster = NULL;
  char const *evaluated, *model;
  bst_ulong n_bytes;
  uint64_t history = 0;
  int round;
  printf("%s %s %s:", of->data, of->params, method);
  CHECK(MakeData(of->data, n_rows, &data));
  CHECK(XGBoosterCreate(&data, 1, &booster));
  CHECK(XGBoosterSetParam(booster, "nthread", n_threads));
  CHECK(XGBoosterSetParam(booster, "max_depth", "5"));
  if (method[0] != '\0') CHECK(XGBoosterSetParam(booster, "tree_method", method));
  CHECK(SetParams(booster, of->params));
  for (round = 0; round < kRounds; ++round) {
    CHECK(XGBoosterUpdateOneIter(booster, round, data));
    CHECK(XGBoosterEvalOneIter(booster, round, &data, names, 1, &evaluated));
    history = history * 31 + Checksum(evaluated, strlen(evaluated));
  }
  CHECK(XGBoosterSaveModelToBuffer(booster, "{\"format\": \"ubj\"}", &n_bytes, &model));
  printf(" %016llx %016llx", (unsigned long long)Checksum(model, n_bytes), (unsigned long long)history);
  CHECK(PrintPredictions(booster, data, 0));
  CHECK(PrintPredictions(booster, data, 2));
  if (strstr(of->params, "gblinear") == NULL) CHECK(PrintPredictions(booster, data, 4));
  printf("\n");
done:
  if (booster != NULL) XGBoosterFree(booster);
  if (data != NULL) XGDMatrixFree(data);
}

int main(int argc, char** argv) {
  char const* const n_threads = argc > 1 ? argv[1] : "1";
  int const n_rows = argc > 2 ? atoi(argv[2]) : 400;
  size_t index, method;
  if (n_rows < kQueryRows || n_rows > kMostRows || n_rows % kQueryRows != 0) {
    fprintf(stderr, "N_ROWS is a multiple of %d up to %d\n", kQueryRows, kMostRows);
    return EXIT_FAILURE;
  }
  for (index = 0; index < sizeof(kCases) / sizeof(kCases[0]); ++index) {
    for (method = 0; method < sizeof(kMethods) / sizeof(kMethods[0]); ++method) {
      Run(&kCases[index], kMethods[method], n_threads, n_rows);
    }
  }
  for (index = 0; index < sizeof(kMore) / sizeof(kMore[0]); ++index) Run(&kMore[index], "", n_threads, n_rows);
  return EXIT_SUCCESS;
}
