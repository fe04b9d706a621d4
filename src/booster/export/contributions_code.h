/// \file The code of contributions in an exported C file, and of their test.
#pragma once

namespace kauri::model_export {

constexpr char kCContributions[] = R"(
/*
 * Shapley values of a row. With a column known with probability t, a leaf is reached with the product over the columns
 * of its path of o t + z (1 - t). o is 1 if the row takes the path's side at all splits on the column, else 0; z is the
 * share of the training rows that do. A column's contribution is the integral over t of the derivative by its own
 * factor. The integrand is a polynomial, for which the Gauss-Legendre points are exact.
 */
typedef struct {
  uint32_t split;
  uint32_t column;
  uint32_t n_right; /* leaves on the right side */
  int goes_right;   /* the row's side */
  int on_right;     /* the side that is being visited */
  double o;
  double z;
  double o_above; /* o and z of the column before this split */
  double z_above;
  double product[KAURI_POINTS]; /* of the factors of all columns, at each t */
  double sum[KAURI_POINTS];     /* of leaf times product over the visited leaves of the side */
} kauri_step;

static double kauri_factor(double o, double z, uint32_t q) { return o * kauri_point[q] + z * (1.0 - kauri_point[q]); }

/* Starts the visit of one side of a split. */
static void kauri_enter(kauri_step *path, uint32_t depth) {
  kauri_step *step = path + depth;
  const double share = (double)(step->on_right ? KAURI_RIGHT_SHARE(step->split) : kauri_left_share[step->split]);
  uint32_t above = depth;
  uint32_t q;
  while (above > 0 && path[above - 1].column != step->column) --above;
  step->o_above = above > 0 ? path[above - 1].o : 1.0;
  step->z_above = above > 0 ? path[above - 1].z : 1.0;
  step->o = step->on_right == step->goes_right ? step->o_above : 0.0;
  step->z = step->z_above * share * (1.0 / 16777216.0);
  for (q = 0; q < KAURI_POINTS; ++q) {
    const double before = kauri_factor(step->o_above, step->z_above, q);
    const double product = depth > 0 ? path[depth - 1].product[q] : 1.0;
    step->product[q] = before > 0.0 ? product * kauri_factor(step->o, step->z, q) / before : 0.0;
    step->sum[q] = 0.0;
  }
}

/* Ends the visit: the leaves below count with this split's factor, no longer with the factor above it. */
static void kauri_leave(kauri_step *path, uint32_t depth, double *contributions) {
  kauri_step *step = path + depth;
  double effect = 0.0;
  uint32_t q;
  for (q = 0; q < KAURI_POINTS; ++q) {
    const double factor = kauri_factor(step->o, step->z, q);
    const double before = kauri_factor(step->o_above, step->z_above, q);
    double slope = factor > 0.0 ? (step->o - step->z) / factor : 0.0;
    if (before > 0.0) slope -= (step->o_above - step->z_above) / before;
    effect += kauri_weight[q] * slope * step->sum[q];
    if (depth > 0) path[depth - 1].sum[q] += step->sum[q];
  }
  contributions[step->column] += effect;
}

/* Adds the contributions to one tree's leaf, whose number is at `place` in a vector. */
static void kauri_explain_tree(const float *row, uint32_t tree, uint32_t place, double *contributions) {
  kauri_step path[KAURI_STEPS];
  uint32_t depth = 0;
  uint32_t leaf = kauri_tree[tree];
  uint32_t n = kauri_tree[tree + 1] - leaf;
  uint32_t split = leaf - tree;
  uint32_t q;
  for (;;) {
    for (; n > 1; ++split, ++depth) {
      kauri_step *step = path + depth;
      step->split = split;
      step->column = kauri_column[kauri_condition[split]];
      step->goes_right = kauri_goes_right(kauri_condition[split], row);
      step->on_right = 0;
      step->n_right = n - kauri_left_leaves[split];
      n -= step->n_right;
      kauri_enter(path, depth);
    }
    if (depth == 0) return;
    for (q = 0; q < KAURI_POINTS; ++q) {
      path[depth - 1].sum[q] += (double)kauri_leaf[leaf * KAURI_LEAF_WIDTH + place] * path[depth - 1].product[q];
    }
    ++leaf;
    for (; depth > 0 && path[depth - 1].on_right; --depth) kauri_leave(path, depth - 1, contributions);
    if (depth == 0) return;
    kauri_leave(path, depth - 1, contributions);
    path[depth - 1].on_right = 1;
    n = path[depth - 1].n_right;
    kauri_enter(path, depth - 1);
  }
}
)";

/// These parts differ in the lines that check categories and add a tree.
constexpr char kCContributionsBegin[] = R"(
int kauri_contributions(const float *row, double *contributions) {
  uint32_t tree;
  uint32_t k;
)";

constexpr char kCContributionsLoop[] = R"(  for (k = 0; k < KAURI_CONTRIBUTIONS; ++k) contributions[k] = 0.0;
  for (k = 0; k < KAURI_OUTPUTS; ++k) contributions[k * (KAURI_COLUMNS + 1) + KAURI_COLUMNS] = (double)kauri_bias[k];
  for (tree = 0; tree < KAURI_TREES; ++tree) {
)";

constexpr char kCContributionsEnd[] = R"(  }
  return 0;
}
)";

constexpr char kCTestContributions[] = R"(
static double kauri_magnitude(double x) { return x < 0.0 ? -x : x; }

/* Returns whether contributions of a test row differ from the library's by more than 1e-5 of the largest. */
static int kauri_contributions_differ(const float *row, uint32_t i) {
  static double found[KAURI_CONTRIBUTIONS];
  const float *expected = kauri_test_contributions + i * KAURI_CONTRIBUTIONS;
  double most = 1.0;
  int differ = kauri_contributions(row, found) != 0;
  uint32_t k;
  for (k = 0; k < KAURI_CONTRIBUTIONS; ++k) {
    if (kauri_magnitude((double)expected[k]) > most) most = kauri_magnitude((double)expected[k]);
  }
  for (k = 0; k < KAURI_CONTRIBUTIONS; ++k) {
    if (!(kauri_magnitude(found[k] - (double)expected[k]) <= 1e-5 * most)) differ = 1;
  }
  return differ;
}
)";

}  // namespace kauri::model_export
