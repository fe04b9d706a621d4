/// \file The code of an exported C file: the same text for every model but for the parts that a model needs. All that
/// depends on the model is in tables.
#pragma once

namespace kauri::model_export {

constexpr char kCBegin[] = R"(#include <stdint.h>

/* Sums must be rounded to float32 one by one: no faster arithmetic, no wider registers, no fused operations. */
#if defined(__FAST_MATH__)
#error "this file needs IEEE arithmetic: compile it without -ffast-math"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "this file needs float32 sums: on 32-bit x86, compile it with -msse2 -mfpmath=sse"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

)";

constexpr char kCSets[] = R"(
#define KAURI_NO_CATEGORY 4294967295U

/* Returns the category of a value: its integer part, or, with `whole`, only the value of an integer. */
static uint32_t kauri_category_of(float value, int whole) {
  uint32_t category;
  if (!(value >= 0.0F && value < 16777216.0F)) return KAURI_NO_CATEGORY;
  category = (uint32_t)value;
  return whole && (float)category != value ? KAURI_NO_CATEGORY : category;
}

/* Returns whether a set has a category: a search for the word that holds its bit. */
static int kauri_set_has(uint32_t set, uint32_t category) {
  const uint32_t end = kauri_set[set + 1];
  uint32_t low = kauri_set[set];
  uint32_t high = end;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (kauri_set_word[middle] < category / 32) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && kauri_set_word[low] == category / 32 && ((kauri_set_bits[low] >> (category % 32)) & 1U) != 0;
}
)";

constexpr char kCRightWithSets[] = R"(
static int kauri_goes_right(uint32_t condition, const float *row) {
  const float value = row[kauri_column[condition]];
  const unsigned flags = kauri_flags[condition];
  int listed;
  if (value != value) return (flags & KAURI_MISSING_RIGHT) != 0;
  if (condition < KAURI_NUMERIC) return !(value < kauri_threshold[condition]);
  listed = kauri_set_has(condition - KAURI_NUMERIC, kauri_category_of(value, (flags & KAURI_WHOLE) != 0));
  return listed == ((flags & KAURI_LISTED_RIGHT) != 0);
}
)";

constexpr char kCRight[] = R"(
static int kauri_goes_right(uint32_t condition, const float *row) {
  const float value = row[kauri_column[condition]];
  if (value != value) return (kauri_flags[condition] & KAURI_MISSING_RIGHT) != 0;
  return !(value < kauri_threshold[condition]);
}
)";

constexpr char kCRefusal[] = R"(
/* Returns 1 plus the first column whose category is refused; 0: none is. */
static int kauri_refused(const float *row) {
  uint32_t i;
  for (i = 0; i < KAURI_CHECKED; ++i) {
    const float value = row[kauri_checked_column[i]];
    if (value != value || kauri_set_has(kauri_checked_set[i], kauri_category_of(value, 1))) continue;
    return (int)kauri_checked_column[i] + 1;
  }
  return 0;
}
)";

/// The parts between these two differ in the lines that check categories and add a leaf.
constexpr char kCMarginsBegin[] = R"(
int kauri_margins(const float *row, float *margins) {
  uint32_t tree;
  uint32_t k;
)";

constexpr char kCRefuse[] = R"(  const int refused = kauri_refused(row);
  if (refused != 0) return refused;
)";

constexpr char kCMarginsLoop[] = R"(  for (k = 0; k < KAURI_OUTPUTS; ++k) margins[k] = kauri_start[k];
  for (tree = 0; tree < KAURI_TREES; ++tree) {
    /* Splits are in preorder, leaves from left to right; n is the number of leaves that can still be reached. */
    uint32_t leaf = kauri_tree[tree];
    uint32_t n = kauri_tree[tree + 1] - leaf;
    uint32_t split = leaf - tree;
    while (n > 1) {
      const uint32_t left = kauri_left_leaves[split];
      if (kauri_goes_right(kauri_condition[split], row)) {
        split += left;
        leaf += left;
        n -= left;
      } else {
        ++split;
        n = left;
      }
    }
)";

constexpr char kCMarginsEnd[] = R"(  }
  return 0;
}
)";

/// e^x and ln x with the library's bits: common/math.h describes the method.
constexpr char kCExp[] = R"(
typedef union {
  double value;
  uint64_t bits;
} kauri_double;

/* e^x: 2^k times a polynomial. Uses additions and multiplications alone, so it has the same bits everywhere. */
static double kauri_exp(double x) {
  kauri_double shifted;
  kauri_double power;
  double clamped = x < -708.0 ? -708.0 : x;
  double k;
  double r;
  double p = 1.0 / 39916800.0;
  if (x != x) return x;
  if (clamped > 709.0) clamped = 709.0;
  shifted.value = clamped * 1.4426950408889634 + 6755399441055744.0;
  k = shifted.value - 6755399441055744.0;
  r = (clamped - k * 0.69314718036912382) - k * 1.9082149292705877e-10;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  power.bits = (shifted.bits + 1023U) << 52U;
  p = p * power.value;
  power.bits = (uint64_t)0x7FF << 52U;
  if (x > 709.0) p = power.value;
  return x < -708.0 ? 0.0 : p;
}
)";

constexpr char kCSoftPlus[] = R"(
/* ln x for x from 1 to 2. */
static double kauri_log(double x) {
  const int upper = x > 1.4142135623730951;
  const double m = x >= 2.0 ? 1.0 : upper ? x * 0.5 : x;
  const double k = x >= 2.0 || upper ? 1.0 : 0.0;
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  p = p * z + 1.0;
  return k * 0.69314718036912382 + (2.0 * s * p + k * 1.9082149292705877e-10);
}

/* ln(1 + e^x). */
static double kauri_softplus(double x) {
  return (x > 0.0 ? x : 0.0) + kauri_log(1.0 + kauri_exp(x > 0.0 ? -x : x));
}
)";

/// A row's margins, `m`, become its values, `values`.
constexpr char kCPredictBegin[] = R"(
int kauri_predict(const float *row, float *values) {
  float m[KAURI_OUTPUTS];
  uint32_t k;
  const int refused = kauri_margins(row, m);
  if (refused != 0) return refused;
)";
constexpr char kCIdentity[] = "  for (k = 0; k < KAURI_OUTPUTS; ++k) values[k] = m[k];\n";
constexpr char kCLogistic[] =
    "  for (k = 0; k < KAURI_OUTPUTS; ++k) values[k] = (float)(1.0 / (1.0 + kauri_exp(-(double)m[k])));\n";
constexpr char kCHalfLogistic[] =
    "  for (k = 0; k < KAURI_OUTPUTS; ++k) values[k] = (float)(1.0 / (1.0 + kauri_exp(-(double)(2.0F * m[k]))));\n";
constexpr char kCExponential[] = "  for (k = 0; k < KAURI_OUTPUTS; ++k) values[k] = (float)kauri_exp((double)m[k]);\n";
constexpr char kCClass[] = "  for (k = 0; k < KAURI_OUTPUTS; ++k) values[k] = m[k] > 0.0F ? 1.0F : 0.0F;\n";
constexpr char kCSoftmax[] = R"(  {
    float largest = m[0];
    double sum = 0.0;
    for (k = 1; k < KAURI_OUTPUTS; ++k) largest = m[k] > largest ? m[k] : largest;
    for (k = 0; k < KAURI_OUTPUTS; ++k) sum += kauri_exp((double)m[k] - (double)largest);
    sum = 1.0 / sum;
    for (k = 0; k < KAURI_OUTPUTS; ++k) m[k] = (float)(kauri_exp((double)m[k] - (double)largest) * sum);
  }
)";
constexpr char kCLikeliest[] = R"(  {
    uint32_t best = 0;
    for (k = 1; k < KAURI_OUTPUTS; ++k) best = m[k] > m[best] ? k : best;
    values[0] = (float)best;
  }
)";
constexpr char kCSorted[] = R"(  for (k = 0; k < KAURI_OUTPUTS; ++k) {
    uint32_t place = k;
    for (; place > 0 && values[place - 1] > m[k]; --place) values[place] = values[place - 1];
    values[place] = m[k];
  }
)";
constexpr char kCSoftplusSteps[] = R"(  {
    double value = (double)m[0];
    values[0] = m[0];
    for (k = 1; k < KAURI_OUTPUTS; ++k) {
      value += kauri_softplus((double)m[k]);
      values[k] = (float)value;
    }
  }
)";
constexpr char kCPredictEnd[] = R"(  return 0;
}
)";

constexpr char kCCategory[] = R"(
/* Returns the number of a category by its name, as a row holds it; -1 if the model does not know the name. */
float kauri_category(uint32_t column, const char *name) {
  uint32_t i;
  for (i = kauri_first_name[column]; i < kauri_first_name[column + 1]; ++i) {
    const char *known = kauri_category_names[i];
    const char *given = name;
    while (*known != '\0' && *known == *given) {
      ++known;
      ++given;
    }
    if (*known == *given) return (float)(i - kauri_first_name[column]);
  }
  return -1.0F;
}
)";

constexpr char kCBitsOf[] = R"(
static uint32_t kauri_bits_of(float value) {
  union {
    float value;
    uint32_t bits;
  } both;
  both.value = value;
  return both.bits;
}
)";

constexpr char kCTestBegin[] = R"(
/* Returns the number of test rows with another margin or value than the model's, by a single bit. */
int kauri_test(void) {
  static float row[KAURI_COLUMNS];
  static float result[KAURI_OUTPUTS + KAURI_VALUES];
  const uint32_t missing = 0x7FC00000U;
  int differing = 0;
  uint32_t i;
  uint32_t k;
  union {
    uint32_t bits;
    float value;
  } cell;
  cell.bits = missing;
  for (k = 0; k < KAURI_COLUMNS; ++k) row[k] = cell.value;
  for (i = 0; i < KAURI_TEST_ROWS; ++i) {
    int differs;
    for (k = 0; k < KAURI_TEST_COLUMNS; ++k) {
      cell.bits = kauri_test_row[i * KAURI_TEST_COLUMNS + k];
      row[kauri_test_column[k]] = cell.value;
    }
    differs = kauri_margins(row, result) != 0 || kauri_predict(row, result + KAURI_OUTPUTS) != 0;
    for (k = 0; k < KAURI_OUTPUTS + KAURI_VALUES; ++k) {
      if (kauri_bits_of(result[k]) != kauri_test_result[i * (KAURI_OUTPUTS + KAURI_VALUES) + k]) differs = 1;
    }
)";
/// A model with contributions tests them here.
constexpr char kCTestEnd[] = R"(    differing += differs;
  }
  return differing;
}
)";

constexpr char kCTestProgram[] = R"(
#include <stdio.h>
int main(void) {
  const int differing = kauri_test();
  (printf)("%d of %d test rows differ\n", differing, KAURI_TEST_ROWS);
  return differing != 0;
}
)";

}  // namespace kauri::model_export
