/**
 * \file The C ABI of Kauri: names, signatures and JSON configurations of XGBoost 3.2, so that its clients run
 * unchanged.
 *
 * Longer than 400 lines: clients of XGBoost's C API include one header, so the whole ABI is in one file, mostly
 * comments, in sections by subject. Names that only Kauri has start with `Kauri`.
 *
 * Returns. 0 is success, -1 an error. After an error XGBGetLastError() describes, for the calling thread, what is
 * wrong, the value seen and the cure; KauriGetLastErrorKind() returns its kind. No call prints, throws, aborts or ends
 * the process, whatever its arguments; a null or foreign handle is an error. A call that fails leaves the objects
 * behind its handles unchanged: a booster keeps its model, parameters, attributes and predictions, and trains on as if
 * the call had never been made. Parameters take effect in the next call that needs them. If that call fails because of
 * its parameters, it drops unknown names and keeps bad values.
 *
 * Memory. A pointer that a call returns belongs to the library. It is valid until the same thread's next call on the
 * same handle, or until that handle is freed. Pointers passed in are read during the call only.
 *
 * Threads. Every call may run at any time from any thread, also on one booster or DMatrix. Predictions, getters, savers
 * and explanations of one handle run concurrently. A call that changes the handle (training, setters, loading) waits
 * until the running calls have ended, and later calls wait for it, so that each call sees one state. The lock costs a
 * call about ten nanoseconds. Three duties stay with the caller. A handle is freed when no call uses it (freeing it
 * during a call is refused). Pointers of XGDMatrixGetFloatInfo and XGDMatrixGetInfoRef point to a DMatrix's own values,
 * and are valid until any thread sets them. A function of the caller that runs during a call (of a group, an iterator,
 * the log) may read the objects that the call works on; changing them is refused, and the function must not wait for
 * another thread that uses them. In the child of a fork() a handle that another thread was changing is refused.
 *
 * Arrays. An "array interface" is NumPy's protocol as JSON: {"data": [address, read_only], "typestr": "<f4", "shape":
 * [n] or [n_rows, n_cols], "strides": null or [..] in bytes, "version": 3}. Its type is any integer, floating-point or
 * boolean type of the machine's byte order. It describes host memory. Calls that take device memory say so; their text
 * is the CUDA array interface, version 2 or 3, and its strides are not negative. Its "stream" is null, 1 (the legacy
 * default stream, also assumed when the key is absent), 2 (the thread's default stream) or a handle; the call waits for
 * the work queued there. Further errors of such calls: no plug-in, driver or device; an address outside device memory;
 * an array on another device than the booster.
 *
 * Devices. The parameter "device" is cpu, cuda (the first CUDA device), cuda:N, several devices as cuda:N,M,.. or
 * cuda:all. Predictions of rows in host memory split the rows over several devices, and so does training with
 * tree_method hist and approx; exact refuses more than one. The number of devices changes no bit of a result.
 *
 * Configurations are JSON objects. Calls ignore keys that they do not know. NaN, Infinity and -Infinity may be written
 * as bare words.
 */
#ifndef KAURI_C_API_H_
#define KAURI_C_API_H_

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#define KAURI_EXTERN_C extern "C"
#else
#include <stddef.h>
#include <stdint.h>
#define KAURI_EXTERN_C extern
#endif

/* CMake defines kauri_EXPORTS where it compiles the library itself, and KAURI_WITHIN for programs that contain it. */
#if defined(_WIN32) && defined(KAURI_WITHIN)
#define KAURI_API KAURI_EXTERN_C
#elif defined(_WIN32) && defined(kauri_EXPORTS)
#define KAURI_API KAURI_EXTERN_C __declspec(dllexport)
#elif defined(_WIN32)
#define KAURI_API KAURI_EXTERN_C __declspec(dllimport)
#else
#define KAURI_API KAURI_EXTERN_C __attribute__((visibility("default")))
#endif

typedef uint64_t bst_ulong;
typedef void* DMatrixHandle;
typedef void* BoosterHandle;
typedef void* CategoriesHandle;
typedef void* DataIterHandle;
typedef void* DataHolderHandle;
typedef void* TrackerHandle;
typedef void* KauriDeviceArrayHandle;
typedef void* KauriHostArrayHandle;

/* ---- The library ------------------------------------------------------------------------------------------------ */

/** The kind of the calling thread's last error; see XGBGetLastError. */
enum KauriErrorKind {
  KAURI_ERROR_NONE = 0,
  KAURI_ERROR_PARAMETER = 1, /**< name or value of a parameter or an argument */
  KAURI_ERROR_DATA = 2,      /**< labels, features, shapes, text files */
  KAURI_ERROR_MODEL = 3,     /**< a model file, or a model that does not fit the call */
  KAURI_ERROR_IO = 4,        /**< the file system */
  KAURI_ERROR_DEVICE = 5,    /**< no CUDA plug-in, no driver, no device */
  KAURI_ERROR_MEMORY = 6,    /**< not enough memory */
  KAURI_ERROR_INTERNAL = 7,  /**< a bug in the library: please report it */
  KAURI_ERROR_COLLECTIVE = 8 /**< another rank or the connection to it failed; the group is dead */
};

/** Returns Kauri's own version, e.g. "0.1.0"; a static string. */
KAURI_API char const* KauriVersion(void);
/** Returns the kind of the error that XGBGetLastError describes: one of KauriErrorKind. */
KAURI_API int KauriGetLastErrorKind(void);
/**
 * Lists every parameter that a component declares, for help texts and checks. `out`: a JSON array of {"group", "name",
 * "aliases", "type", "default", "bounds", "description"}, all strings. The aliases are further names, separated by ",
 * ".
 */
KAURI_API int KauriGetParameters(char const** out);
/**
 * Computes the first `count` elements of a random permutation of 0 .. n - 1. The result depends only on n and the seed,
 * on every machine. `out`: [count], owned by the caller. Errors: count above n; n of 2^62 or more.
 */
KAURI_API int KauriShuffle(bst_ulong n, bst_ulong seed, bst_ulong count, bst_ulong* out);
/**
 * Computes the elements of KauriShuffle in the memory of a device, as int64. `device`: cuda or cuda:N. `out`: free it
 * with KauriDeviceArrayFree.
 */
KAURI_API int KauriShuffleOnDevice(bst_ulong n, bst_ulong seed, bst_ulong count, char const* device,
                                   KauriDeviceArrayHandle* out);
/**
 * Shuffles rows: out[i] = in[p[i]], where p is the permutation that KauriShuffle makes of the number of rows and the
 * seed. `in`, `out`: array interfaces of equal shape and type, both in host memory or both on one device, the elements
 * of a row adjacent. The caller owns their memory; the call has finished with it when it returns. If both are the same
 * array, its rows are shuffled in place: without a second copy, in 16 + 2 log2(n) rounds over all rows, and into
 * another random order than that of KauriShuffle. The same seed gives the same order on every machine and device.
 * Errors: different shapes, types or memories; arrays that overlap without being the same.
 */
KAURI_API int KauriShuffleRows(char const* in, char const* out, bst_ulong seed);
/**
 * Samples orders of players for Shapley values: few orders that represent all of them (Mitchell, Cooper, Frank, Holmes
 * 2022). `config`: {"method": "mc", "antithetic", "orthogonal", "sobol", "herding" or "sbq"; "d": players, at least 2;
 * "n": orders; optional "seed": 0, "lambda": 4 and "candidates": 25 of herding and sbq, "n_scrambles": 1, number of
 * independent parts that the orders of sobol consist of}. out_orders: [n, d], the player who joins first, second, ..;
 * out_weights: [n], sum 1; the caller owns both. The same configuration gives the same orders on every machine. Errors:
 * unknown methods; sobol with more than 1113 players; herding and sbq with more than 5000 orders.
 */
KAURI_API int KauriSampleOrders(char const* config, uint32_t* out_orders, double* out_weights);
/**
 * Computes how far weighted orders are from the uniform distribution over all orders: the discrepancy in the space of a
 * kernel. orders: [n, d] as above; weights: [n]. `config`: {"kernel": "mallows", "kendall" or "spearman"; optional
 * "lambda": 4, of mallows}. Errors: a row that does not hold each of 0 to d - 1 once; no orders; d below 2.
 */
KAURI_API int KauriOrderDiscrepancy(bst_ulong n, bst_ulong d, uint32_t const* orders, double const* weights,
                                    char const* config, double* out);
/**
 * Tests whether a source of permutations is uniform, by the mean discrepancy of the Mallows kernel over disjoint pairs
 * (Mitchell, Stokes, Frank, Holmes 2022). permutations: [n, d], independent draws, each row 0 to d - 1 in some order.
 * `config`: {optional "lambda": 5, from 1 to 100}. out_statistic: 0 on average for uniform permutations. out_p_value:
 * how probable a statistic as far from 0 is for them, by the central limit theorem, and for fewer than 100 permutations
 * a bound on that by Hoeffding's inequality. The test cannot see a bias of the parity. Errors: a row that does not hold
 * each of 0 to d - 1 once; n or d below 2.
 */
KAURI_API int KauriShuffleUniformity(bst_ulong n, bst_ulong d, uint32_t const* permutations, char const* config,
                                     double* out_statistic, double* out_p_value);
/**
 * Returns in `out` the number of threads that `nthread` means at present. For 0 or below it is the "nthread" of the
 * calling thread's XGBSetGlobalConfig, else OMP_NUM_THREADS of the environment, else the number of processors that the
 * process may use, by its CPU affinity and by the CPU limit of its container. OMP_THREAD_LIMIT bounds all of them.
 */
KAURI_API int KauriNumThreads(int nthread, int* out);

/**
 * Returns the version of XGBoost that the library stands in for. A library that is loaded as libxgboost.so in XGBoost's
 * package returns the version in the package's file VERSION. Otherwise it is KAURI_XGBOOST_VERSION of the environment,
 * else the version set by the build, 3.2.0. Null pointers are skipped.
 *
 * A library loaded under that name also has XGBoost's habits: for an unknown parameter or an absent device it logs a
 * warning and the call goes on without it; XGBoosterSerializeToBuffer writes a format that XGBoost reads.
 */
KAURI_API void XGBoostVersion(int* major, int* minor, int* patch);
/**
 * Describes the build in `out`: JSON {"KAURI_VERSION": "0.1.0", "COMPILER": .., "USE_OPENMP": bool (the baseline
 * shap_method=treeshap runs on OpenMP's threads), "USE_CUDA": bool (the plug-in is usable), "CUDA_PLUGIN": path,
 * "CUDA_DEVICES": [..], "CUDA_PROBLEM": why it is not usable}. It looks for the plug-in, so the first call may load it.
 */
KAURI_API int XGBuildInfo(char const** out);
/**
 * Returns the message of the calling thread's last error; "" before the first. Valid until the thread's next failing
 * call.
 */
KAURI_API char const* XGBGetLastError(void);
/** Returns -1, the value that every failing call returns; KauriGetLastErrorKind returns more. */
KAURI_API int XGBGetLastErrorCode(void);
/**
 * Sets the function that receives each line of the log; null turns the log off. A line begins with "WARNING: ", "INFO:
 * " or "DEBUG: ", as clients expect. The library writes nothing by itself. The callback is process-wide.
 */
KAURI_API int XGBRegisterLogCallback(void (*callback)(char const*));
/**
 * Sets a log callback that also receives the level of each line: 1 warning, 2 information, 3 detail. The callback set
 * last receives the log.
 */
KAURI_API int KauriRegisterLogCallback(void (*callback)(int, char const*));
/**
 * Sets the global configuration of the calling thread. `config`: {"verbosity": 0..3, "nthread": count}. verbosity:
 * lines that the log callback receives (0 none, 1 warnings, 2 information, 3 details). nthread: default number of
 * threads of data and boosters created from now on; 0 or below: see KauriNumThreads. "use_rmm" and
 * "use_cuda_async_pool", true or false, are stored and have no effect. Errors: another key, a wrong type or range; then
 * nothing is changed.
 */
KAURI_API int XGBSetGlobalConfig(char const* config);
/** Returns in `out` the configuration in effect, in the form that XGBSetGlobalConfig takes. */
KAURI_API int XGBGetGlobalConfig(char const** out);

/* ---- Shapley values of anything -----------------------------------------------------------------------------------*/
/*
 * The calls of this section call functions of the caller, on the calling thread, and need no model. A function that
 * returns a value other than 0 ends the call with an error of kind KAURI_ERROR_DATA; it receives `user` each time.
 *
 * Their `config`: {"n_outputs": numbers that the function returns for one coalition or row; "method": "auto", "exact",
 * "mc", "antithetic", "orthogonal", "sobol", "herding", "sbq", "owen", "owen_halved" or "stratified"; optional
 * "n_orders": number of orders of joining, 0 = as many as "max_evals" allows, or without it max(10, 2 (d - 1)) for d
 * players; "max_evals": maximum number of coalitions evaluated per row, 0 = as "n_orders" implies; "tolerance": 0, or
 * units of orders are added until no standard error exceeds this fraction of the largest value minus the smallest;
 * "seed": 0}. auto is exact if that is allowed, else sbq or herding up to 16 players, else orthogonal.
 */

/**
 * Computes the worth of coalitions. masks: [n_masks, n_players], one byte each, 1 if the player is in the coalition;
 * worth: [n_masks, n_outputs].
 */
typedef int KauriGame(void* user, uint64_t n_masks, uint64_t n_players, uint8_t const* masks, double* worth);
/** Evaluates a function on rows. rows: [n_rows, n_cols]; out: [n_rows, n_outputs]. */
typedef int KauriRowFunction(void* user, uint64_t n_rows, uint64_t n_cols, double const* rows, double* out);

/**
 * Computes the Shapley values of a game of n_players. out_values, out_errors: [n_players, n_outputs], owned by the
 * caller. Errors are standard errors: 0 for exact, NaN if a method has none. out_base: [n_outputs], the worth of the
 * empty coalition. Base and values add up to the worth of all players, except for owen, owen_halved and stratified.
 * *out_n_evals: number of coalitions evaluated. *out_method: the method that auto chose, a static string.
 */
KAURI_API int KauriShapleyValues(KauriGame* game, void* user, bst_ulong n_players, char const* config,
                                 double* out_values, double* out_errors, double* out_base, bst_ulong* out_n_evals,
                                 char const** out_method);
/**
 * Computes the Shapley values of a function of rows. The worth of a coalition is the mean of the function over the
 * background's rows, with the coalition's columns taken from the explained row. rows: [n_rows, n_cols] and background:
 * [n_background, n_cols], float64, not empty, row-major. Further keys of `config`: "players": lists of columns, one
 * player each; columns of no player are the background's; optional "batch_rows": 65536, maximum number of rows per call
 * of the function. out_values, out_errors: [n_rows, n_players, n_outputs]; out_base: [n_outputs], the mean of the
 * function over the background; out_n_evals: [n_rows]; the caller owns all of them. A player whose columns equal the
 * background's in all its rows (NaN equals NaN) has exactly 0. *out_method: a static string. Errors: numbers that are
 * not finite.
 */
KAURI_API int KauriExplainFunction(KauriRowFunction* function, void* user, double const* rows, bst_ulong n_rows,
                                   double const* background, bst_ulong n_background, bst_ulong n_cols,
                                   char const* config, double* out_values, double* out_errors, double* out_base,
                                   bst_ulong* out_n_evals, char const** out_method);

/* ---- Data ------------------------------------------------------------------------------------------------------- */
/*
 * A DMatrix is a table of float32 features with labels, weights and other row information; the features never change
 * after creation. Free each with XGDMatrixFree. NaN is always missing, and so is the value `missing` of the
 * configuration. Errors of all creators: malformed arrays or JSON, lengths that disagree, an infinite value unless
 * `missing` is infinite.
 */

/**
 * Reads a file of XGDMatrixSaveBinary, or a text file together with the files beside it, if they exist: path.group
 * (rows of each query), path.weight and path.base_margin, which hold numbers separated by white space, and
 * path.feature_types, the types of the columns, "c" for categories. `config`: {"uri": "path?format=libsvm" or
 * "path?format=csv&label_column=0", "silent": ignored, "data_split_mode": 0}. With "#cache" at the end of the uri, bins
 * of the text are kept in a file as for XGExtMemQuantileDMatrixCreateFromCallback, and the config may have "max_bin"
 * and "memory_budget" of that call. Errors: no such file, a malformed line (with its number).
 */
KAURI_API int XGDMatrixCreateFromURI(char const* config, DMatrixHandle* out);
/**
 * Reads a file like XGDMatrixCreateFromURI, for a booster of classes: labels of the CSV text may be texts, and texts of
 * categorical columns have the model's codes. The booster's attribute kauri_classes lists the classes as a JSON object
 * {"dtype": "U", "values": list of texts}; class i is text i. A booster without the attribute and without rounds gets
 * the attribute from the file, with the texts sorted by their bytes. `config`: {"uri": a file as in
 * XGDMatrixCreateFromURI, "max_bin", "memory_budget"}.
 * Errors: labels of text that are not among the classes, for an objective that is not a classification, or for a model
 * that was trained on numbers.
 */
KAURI_API int KauriBoosterReadData(BoosterHandle handle, char const* config, DMatrixHandle* out);
/** Copies `data`, an array interface [n_rows, n_cols]. `config`: {"missing": number, "nthread": optional count}. */
KAURI_API int XGDMatrixCreateFromDense(char const* data, char const* config, DMatrixHandle* out);
/**
 * Copies compressed rows: indptr [n_rows + 1], indices and data [n_entries]. Absent cells are missing; stored zeros are
 * zeros. `config`: as for Dense.
 */
KAURI_API int XGDMatrixCreateFromCSR(char const* indptr, char const* indices, char const* data, bst_ulong ncol,
                                     char const* config, DMatrixHandle* out);
/** Copies compressed columns: indptr [n_cols + 1], indices (rows) and data [n_entries]; otherwise as CSR. */
KAURI_API int XGDMatrixCreateFromCSC(char const* indptr, char const* indices, char const* data, bst_ulong nrow,
                                     char const* config, DMatrixHandle* out);
/**
 * Copies a table of columns. `data`: a JSON list with an array interface [n_rows] per column. A column's "mask" may be
 * an array interface of packed bits, typestr "<t1" and shape [n_rows]; a bit is clear if the value is missing. A
 * categorical column is a list of two: the names of its categories, an array interface of integers or of texts
 * ({"offsets": .., "values": ..}), and their codes. Texts may have "are_collected": true if they are the different
 * texts of a column that nobody called categorical, in the order of their bytes; training refuses them if they are
 * identifiers or numbers. With {"ref_categories": handle, "columns": such a list} categories get the codes that their
 * names have in `handle`. `config`: as for Dense.
 */
KAURI_API int XGDMatrixCreateFromColumnar(char const* data, char const* config, DMatrixHandle* out);
/**
 * Copies a table of numbers, booleans, categories (dictionaries) and text that comes through the Arrow C stream
 * interface, with the columns' names and types. Text is categorical; its names are the different texts, in the order of
 * their bytes. Null is missing. `stream` is released in any case. `config`: as for Dense. Errors: a column of another
 * kind (named), arrays that contradict themselves. The producer must guarantee that buffers are as long as their arrays
 * say.
 */
struct ArrowArrayStream;
KAURI_API int KauriDMatrixCreateFromArrowStream(struct ArrowArrayStream* stream, char const* config,
                                                DMatrixHandle* out);
/**
 * Copies one record batch of the Arrow C data interface, like KauriDMatrixCreateFromArrowStream; both structs are
 * released.
 */
struct ArrowSchema;
struct ArrowArray;
KAURI_API int KauriDMatrixCreateFromArrowArray(struct ArrowSchema* schema, struct ArrowArray* array, char const* config,
                                               DMatrixHandle* out);
/**
 * Copies `data`, a CUDA array interface [n_rows, n_cols], within the memory of its device. Training and prediction on
 * that device read the copy there. Work on the CPU uses a copy in host memory, made once when it is needed. `config`:
 * as for Dense.
 */
KAURI_API int XGDMatrixCreateFromCudaArrayInterface(char const* data, char const* config, DMatrixHandle* out);
/** Copies columns in device memory: `data` is a JSON list with a CUDA array interface [n_rows] per column. */
KAURI_API int XGDMatrixCreateFromCudaColumnar(char const* data, char const* config, DMatrixHandle* out);
/** Copies `data`, [nrow, ncol] row-major. */
KAURI_API int XGDMatrixCreateFromMat(float const* data, bst_ulong nrow, bst_ulong ncol, float missing,
                                     DMatrixHandle* out);
/** Copies `data` with `nthread` threads; 0 or below: all cores. */
KAURI_API int XGDMatrixCreateFromMat_omp(float const* data, bst_ulong nrow, bst_ulong ncol, float missing,
                                         DMatrixHandle* out, int nthread);
/**
 * Writes the features and all row and column information to a file that XGDMatrixCreateFromURI reads back to the same
 * matrix. The format is Kauri's own, with checksums; an older file is replaced only once the new one is complete.
 * `silent`: ignored. Errors: a matrix that keeps bins; a path that cannot be written to.
 */
KAURI_API int XGDMatrixSaveBinary(DMatrixHandle handle, char const* fname, int silent);
/**
 * Frees a DMatrix or proxy. Boosters that were trained on it keep what they need. Errors: a proxy whose iterator is
 * being read.
 */
KAURI_API int XGDMatrixFree(DMatrixHandle handle);

/**
 * Creates a DMatrix of the rows idxset[0..len), in that order, with their labels, weights and margins. Errors: an index
 * out of range; query groups, unless allow_groups of SliceDMatrixEx is not 0. Then consecutive chosen rows of one query
 * form a query of the new matrix, with that query's weight.
 */
KAURI_API int XGDMatrixSliceDMatrix(DMatrixHandle handle, int const* idxset, bst_ulong len, DMatrixHandle* out);
KAURI_API int XGDMatrixSliceDMatrixEx(DMatrixHandle handle, int const* idxset, bst_ulong len, DMatrixHandle* out,
                                      int allow_groups);

/**
 * Creates a matrix of the bins that tree_method=hist makes of the rows, column types and weights of `handle`, with all
 * other information of `handle`. Its slices share its cuts (bin edges): training on them computes no cuts and bins no
 * row again. `config`: {"max_bin": count, "nthread": count}, both optional; by default at most 256 bins. A matrix that
 * keeps bins shares them. Errors: a max_bin out of range, or different from that of a matrix that keeps bins.
 */
KAURI_API int KauriDMatrixBins(DMatrixHandle handle, char const* config, DMatrixHandle* out);

/**
 * Summarises each column. `config`: {optional "quantiles": ascending fractions within [0, 1], by default [0.01, 0.05,
 * 0.25, 0.5, 0.75, 0.95, 0.99]; "sketch": "exact", which keeps all values, "gk", "kll" or "moments"; "sketch_size",
 * "sketch_order" and "sketch_density" as the parameters of these names, without cosines; "nthread"}. *out_result:
 * row-major, shape *out_shape [*out_dim = 2], one row per column of the data: count and missing, of rows with a weight;
 * distinct, NaN above 256; min, max; mean, std, skewness, kurtosis (minus 3) of the population, with rows weighted by
 * "weight"; rank_error, the largest error of a quantile's rank as a fraction of the total weight (kll: for 99 of 100),
 * NaN if there is no bound; the quantiles. Valid until the thread's next call with the handle. Errors: a matrix that
 * keeps bins; no rows.
 */
KAURI_API int KauriSummarizeColumns(DMatrixHandle handle, char const* config, bst_ulong const** out_shape,
                                    bst_ulong* out_dim, double const** out_result);
/**
 * Replaces one field; an empty array clears it. Fields: label, weight, base_margin, label_lower_bound,
 * label_upper_bound [n_rows] (label and base_margin also [n_rows, k]; weight [n_groups] if there are groups), group
 * (rows per query), qid [n_rows] (non-decreasing), feature_weights [n_cols]. `data`: an array interface, of host or
 * device memory; device memory is copied to the host. Errors: unknown field; NaN (except in labels [n_rows, 2 or
 * more]); infinite or negative values that have no meaning; a wrong length.
 */
KAURI_API int XGDMatrixSetInfoFromInterface(DMatrixHandle handle, char const* field, char const* data);
/**
 * Finds the classes among labels. `labels`: array interface of a vector of n numbers of any type, in host memory.
 * max_classes: 1 to 1024. out_classes: room for max_classes numbers, which receives the distinct labels, ascending.
 * out_codes: [n], receives the index of each label among them, so the codes are labels for a DMatrix. out_n: the number
 * of classes. It is 0, and the codes are undefined, where there are more than max_classes distinct labels, where a
 * label is NaN or infinite, or where an integer lies beyond 2^53. nthread: as for KauriNumThreads. Errors: a table; a
 * max_classes out of bounds.
 */
KAURI_API int KauriFindClasses(char const* labels, uint32_t max_classes, int nthread, float* out_codes,
                               double* out_classes, bst_ulong* out_n);
/** Replaces one field by `len` float32 elements, row-major. */
KAURI_API int XGDMatrixSetFloatInfo(DMatrixHandle handle, char const* field, float const* array, bst_ulong len);
/** Replaces one field by `len` unsigned integers. */
KAURI_API int XGDMatrixSetUIntInfo(DMatrixHandle handle, char const* field, unsigned const* array, bst_ulong len);
/** Replaces one field by `size` elements of a type: 1 float32, 2 float64, 3 uint32, 4 uint64. */
KAURI_API int XGDMatrixSetDenseInfo(DMatrixHandle handle, char const* field, void const* data, bst_ulong size,
                                    int type);
/**
 * Sets the names or types of the columns. field: feature_name or feature_type (float, q, int, i, c); `size` strings, 0
 * clears. Errors: size is not n_cols.
 */
KAURI_API int XGDMatrixSetStrFeatureInfo(DMatrixHandle handle, char const* field, char const** features,
                                         bst_ulong size);
/** Returns the strings of feature_name or feature_type; *size is 0 if they are not set. */
KAURI_API int XGDMatrixGetStrFeatureInfo(DMatrixHandle handle, char const* field, bst_ulong* size,
                                         char const*** out_features);
/** Returns a float field, row-major; *out_len is 0 if it is not set. Fields as for XGDMatrixSetInfoFromInterface. */
KAURI_API int XGDMatrixGetFloatInfo(DMatrixHandle handle, char const* field, bst_ulong* out_len, float const** out);
/**
 * Returns an integer field: group_ptr, [n_groups + 1], from 0 to n_rows; or global_rows (see "Ranks"), [n_ranges, 2],
 * row-major.
 */
KAURI_API int XGDMatrixGetUIntInfo(DMatrixHandle handle, char const* field, bst_ulong* out_len, unsigned const** out);
/**
 * Returns a field as an array interface (JSON text) into the library's memory. label and base_margin keep their shape.
 */
KAURI_API int XGDMatrixGetInfoRef(DMatrixHandle handle, char const* field, char const** out);
/** Returns the number of rows or columns. A proxy returns the counts of the rows that it holds, 0 if it holds none. */
KAURI_API int XGDMatrixNumRow(DMatrixHandle handle, bst_ulong* out);
KAURI_API int XGDMatrixNumCol(DMatrixHandle handle, bst_ulong* out);
/** Returns the number of cells that hold a value; 0 for a proxy, whose values are not examined. */
KAURI_API int XGDMatrixNumNonMissing(DMatrixHandle handle, bst_ulong* out);
/** Returns 0 in `out`: data are always split by rows. */
KAURI_API int XGDMatrixDataSplitMode(DMatrixHandle handle, bst_ulong* out);
/**
 * Copies the features as compressed rows, columns ascending, into the caller's arrays: out_indptr [n_rows + 1],
 * out_indices and out_data [XGDMatrixNumNonMissing]. `config`: {}.
 */
KAURI_API int XGDMatrixGetDataAsCSR(DMatrixHandle handle, char const* config, bst_ulong* out_indptr,
                                    unsigned* out_indices, float* out_data);

/**
 * Returns the cuts (bin edges) as array interfaces: `out_indptr` uint64 [n_cols + 1], `out_data` float32. A numerical
 * feature has minus infinity, then the upper bound of every bin; a categorical feature has its categories. `config`: {}
 * or {"max_bin": count}. A matrix of bins returns its own cuts. A matrix of values returns the cuts of its last
 * training with tree_method=hist, or computes them with that max_bin (256 if none is given and nothing was trained) and
 * the weights; it does not keep them.
 */
KAURI_API int XGDMatrixGetQuantileCut(DMatrixHandle handle, char const* config, char const** out_indptr,
                                      char const** out_data);

/**
 * Creates a proxy, which stands for rows that stay with the caller. It carries the rows' information, set with
 * XGDMatrixSetInfoFromInterface before or after one of the SetData calls: the base_margin of an in-place prediction, or
 * all information of an iterator's batch. Lengths are checked once the rows are set. SetData drops the rows that the
 * proxy held and their information; so does taking the batch. Free with XGDMatrixFree.
 */
KAURI_API int XGProxyDMatrixCreate(DMatrixHandle* out);
KAURI_API int XGProxyDMatrixSetDataDense(DMatrixHandle handle, char const* data);
KAURI_API int XGProxyDMatrixSetDataCSR(DMatrixHandle handle, char const* indptr, char const* indices, char const* data,
                                       bst_ulong ncol);
KAURI_API int XGProxyDMatrixSetDataColumnar(DMatrixHandle handle, char const* data);
/** Sets Arrow tables, as for KauriDMatrixCreateFromArrowStream and KauriDMatrixCreateFromArrowArray. */
KAURI_API int KauriProxyDMatrixSetDataArrowStream(DMatrixHandle handle, struct ArrowArrayStream* stream);
KAURI_API int KauriProxyDMatrixSetDataArrowArray(DMatrixHandle handle, struct ArrowSchema* schema,
                                                 struct ArrowArray* array);
/** Sets rows in device memory, as for XGDMatrixCreateFromCudaArrayInterface and XGDMatrixCreateFromCudaColumnar. */
KAURI_API int XGProxyDMatrixSetDataCudaArrayInterface(DMatrixHandle handle, char const* data);
KAURI_API int XGProxyDMatrixSetDataCudaColumnar(DMatrixHandle handle, char const* data);

/**
 * Gives the next batch to the proxy and returns 1, or returns 0 at the end. The memory given to the proxy must stay
 * unchanged until the next call of either function.
 */
typedef int XGDMatrixCallbackNext(DataIterHandle iter);
/** Rewinds to before the first batch. */
typedef void DataIterResetCallback(DataIterHandle iter);
/** Sparse rows: `offset` [size + 1], `label` and `weight` [size] or null, `index` and `value` [offset[size] -
 * offset[0]]. */
typedef struct {
  size_t size;
  size_t columns;
  int64_t* offset;
  float* label;
  float* weight;
  int* index;
  float* value;
} XGBoostBatchCSR;
/** Copies a batch. */
typedef int XGBCallbackSetData(DataHolderHandle handle, XGBoostBatchCSR batch);
/** Calls `set_function` with `set_function_handle` and the next batch and returns 1, or returns 0 at the end. */
typedef int XGBCallbackDataIterNext(DataIterHandle data_handle, XGBCallbackSetData* set_function,
                                    DataHolderHandle set_function_handle);
/**
 * Creates a DMatrix of the batches that `callback` gives, one below the other, with the number of columns of the widest
 * batch. `cache_info` is not used: the matrix is made in memory. Errors: no batch; offsets that descend, columns out of
 * range; labels or weights of some batches only; a callback that returns less than 0.
 */
KAURI_API int XGDMatrixCreateFromDataIter(DataIterHandle data_handle, XGBCallbackDataIterNext* callback,
                                          char const* cache_info, float missing, DMatrixHandle* out);

/**
 * Creates a DMatrix of all batches of an iterator, one below the other, in host memory. `reset` is called first and
 * last, `next` until it returns 0. Batches may be of different kinds, but agree in the number of columns, in names and
 * types, and in the fields they have; a query does not continue from batch to batch. `config`: as for Dense. During the
 * call the data are in memory twice. With {"cache_prefix": path}, not empty, it is
 * XGExtMemQuantileDMatrixCreateFromCallback without `ref`. Errors: no batch; batches that disagree (named).
 */
KAURI_API int XGDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterResetCallback* reset,
                                          XGDMatrixCallbackNext* next, char const* config, DMatrixHandle* out);
/**
 * Summarises the columns of batches in one pass, like KauriSummarizeColumns. The numbers equal those for a matrix of
 * all rows. `config` has "missing" as a further key. The result is kept with the proxy.
 */
KAURI_API int KauriSummarizeBatches(DataIterHandle iter, DMatrixHandle proxy, DataIterResetCallback* reset,
                                    XGDMatrixCallbackNext* next, char const* config, bst_ulong const** out_shape,
                                    bst_ulong* out_dim, double const** out_result);
/**
 * Creates a matrix of quantile bins in place of values (a QuantileDMatrix). A first pass over the batches makes the
 * cuts (bin edges), a second one the bins; no value is kept. tree_method=hist trains on it with the same max_bin.
 * Predictions see the lower bound of each bin; for a column's first bin, its smallest value. Calls that need values
 * refuse the matrix. The cuts equal those that training on a DMatrix makes, however the rows are divided into batches.
 * Several batches that take more than 256 MiB, and more than their bins, are read in more passes. `ref`: null, or a
 * DMatrix whose cuts to use, as validation data need; categories with the same names get the numbers of `ref`.
 * `config`: as for Dense, and {"max_bin": 256, or that of ref; "one_batch": true for an iterator of a single batch,
 * which is then requested only once; "max_quantile_batches": ignored; "device": "cpu", or the device, such as "cuda",
 * that bins a single batch of numbers in host memory, for training there}. One batch of numbers in device memory is
 * binned there. Bins that a device made stay there until host memory is needed. Errors: as above; another number of
 * columns or another max_bin than `ref`; other rows in the second pass, another batch after the only one.
 */
KAURI_API int XGQuantileDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterHandle ref,
                                                  DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                                                  char const* config, DMatrixHandle* out);
/**
 * Creates a matrix like XGQuantileDMatrixCreateFromCallback with the bins in a file, which training reads page by page.
 * If the values take more than 256 MiB, or more than the budget, their cuts come from weighted summaries of 8 max_bin
 * values. Further keys of `config`: {"cache_prefix": path beside which the file is created, which has no name there
 * once it is open; "": the folder for temporary files; "memory_budget": MiB that the library may hold at once for this
 * matrix and for training on it, 0 (the default) for no limit; "on_host", "min_cache_page_bytes", "cache_host_ratio":
 * ignored}. Memory that the caller holds (batches) is not counted. Further errors: a path that cannot be written to; a
 * full disk; a budget that is too small (the message gives the required size), from this call or from the first round.
 */
KAURI_API int XGExtMemQuantileDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterHandle ref,
                                                        DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                                                        char const* config, DMatrixHandle* out);

/* ---- Boosters: training ----------------------------------------------------------------------------------------- */

/**
 * Creates a booster without trees. `dmats`: data to be trained on or evaluated, which give the number of features; may
 * be null when len is 0. Free with XGBoosterFree.
 */
KAURI_API int XGBoosterCreate(DMatrixHandle const dmats[], bst_ulong len, BoosterHandle* out);
/** Frees a booster. Results taken by KauriBoosterTakePrediction and KauriBoosterTakeExplanation stay valid. */
KAURI_API int XGBoosterFree(BoosterHandle handle);
/** Frees the memory that training keeps (prediction caches, sorted columns, bins); the model stays. */
KAURI_API int XGBoosterReset(BoosterHandle handle);
/**
 * Creates a booster of the rounds begin, begin + step, ... below end (0: all). Attributes are copied, but
 * best_iteration and best_score only if the slice is the first rounds up to the best one or further. Returns -2 when
 * the range reaches outside the rounds, -1 when it is empty or begin < 0 or step < 1.
 */
KAURI_API int XGBoosterSlice(BoosterHandle handle, int begin_layer, int end_layer, int step, BoosterHandle* out);
/**
 * Creates a booster whose margins are the means of the margins of `boosters`, with the parameters of the first. Round i
 * holds, as parallel trees, the trees of round i of each booster that has one: a random forest per round. Files of any
 * dialect hold it if all boosters have the same number of rounds, otherwise the dialects since 2.0. A booster that is
 * named k times counts k times; its trees are stored once, with leaves multiplied by k / len. Attributes are not
 * copied. Errors: no booster; boosters that differ in objective, outputs, features, names of columns or of categories,
 * or intercept (base_score); linear ones; learnt position biases.
 */
KAURI_API int KauriBoosterAverage(BoosterHandle const boosters[], bst_ulong len, BoosterHandle* out);
/** Returns the number of rounds of the model. */
KAURI_API int XGBoosterBoostedRounds(BoosterHandle handle, int* out);
/**
 * Sets a parameter. It takes effect with the next call that needs it, which also reports a bad value. eval_metric may
 * be set repeatedly.
 */
KAURI_API int XGBoosterSetParam(BoosterHandle handle, char const* name, char const* value);
/**
 * Ends a group of parameters that were set together. Errors: two names of one parameter (eta, learning_rate) have
 * different values, which the next call that needs the parameters reports as well. A parameter of the group may be
 * changed later under its other name.
 */
KAURI_API int KauriBoosterSettleParams(BoosterHandle handle);
/** Returns the number of columns that the model expects; 0 while unknown. */
KAURI_API int XGBoosterGetNumFeature(BoosterHandle handle, bst_ulong* out);
/**
 * Trains one round. Its random draws follow from the seed and the number of rounds that the booster has, so continued
 * training draws like uninterrupted training; `iter` is not read. A booster without names or types of columns takes
 * over those of `dtrain` after the round. Errors: parameters, labels, columns that do not fit (see
 * KauriBoosterCheckColumns).
 */
KAURI_API int XGBoosterUpdateOneIter(BoosterHandle handle, int iter, DMatrixHandle dtrain);
/** Trains one round from gradients and hessians, [len] each, row-major [n_rows, n_outputs]; for older clients. */
KAURI_API int XGBoosterBoostOneIter(BoosterHandle handle, DMatrixHandle dtrain, float* grad, float* hess,
                                    bst_ulong len);
/**
 * Trains one round from gradients and hessians: array interfaces [n_rows] or [n_rows, n_outputs]. If both are in device
 * memory and the booster trains on that device, they stay there.
 */
KAURI_API int XGBoosterTrainOneIter(BoosterHandle handle, DMatrixHandle dtrain, int iter, char const* grad,
                                    char const* hess);
/**
 * Trains one round whose tree structure comes from one set of gradients and hessians, [n_rows] or [n_rows, 1 to
 * n_outputs], and whose leaf values come from another, [n_rows, n_outputs]. The structure is then found cheaply, or on
 * purpose from fewer outputs. Statistics and base weights of nodes come from the first set. With row sampling, both use
 * the same rows; sampling by gradient size uses the first set. The leaf values are computed in host memory, also with
 * device=cuda. Errors: trees other than those of multi_strategy=multi_output_tree and tree_method=hist, monotone
 * constraints, shapes.
 */
KAURI_API int XGBoosterTrainOneIterWithSplitGrad(BoosterHandle handle, DMatrixHandle dtrain, int iter,
                                                 char const* split_grad, char const* split_hess, char const* grad,
                                                 char const* hess);
/** Evaluates every metric on every data set: "[iter]\tname-metric:value\t..." with 17 decimals. */
KAURI_API int XGBoosterEvalOneIter(BoosterHandle handle, int iter, DMatrixHandle dmats[], char const* evnames[],
                                   bst_ulong len, char const** out_result);
/**
 * Returns in `out` 1 when larger values of `metric` (as XGBoosterEvalOneIter prints it) are better, else 0. For a
 * metric that is not built in, smaller values are better, whatever its name begins with.
 */
KAURI_API int KauriBoosterHigherIsBetter(BoosterHandle handle, char const* metric, int* out);
/** Fails if a metric of the booster orders the rows of queries (ndcg, map, pre) and `data` have no queries. */
KAURI_API int KauriBoosterRequireQueries(BoosterHandle handle, DMatrixHandle data);
/** Returns in `out` 1 when `metric` is the name of a built-in metric, with or without an argument after '@', else 0. */
KAURI_API int KauriBoosterKnowsMetric(BoosterHandle handle, char const* metric, int* out);
/**
 * Evaluates every metric on labelled rows, with the interval that holds 95 % of its values over bootstrap resamples:
 * rows (whole queries, if there are any) drawn anew with replacement. config: {"n_resamples": 200, "seed": 0}; 0
 * resamples: no intervals. `out`: a JSON list of {"name": ..., "value": ..., "low": ..., "high": ...}, in the order of
 * XGBoosterEvalOneIter; null for a number that is not finite.
 */
KAURI_API int KauriBoosterEvaluateWithIntervals(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                                char const** out);

/* ---- Boosters: prediction --------------------------------------------------------------------------------------- */

/**
 * Predicts, explains or finds the leaves of the rows of `dmat`. `config`, all required: {"type": 0 value, 1 margin, 2
 * contributions, 3 approximate contributions, 4 interactions, 5 approximate interactions, 6 leaves, and Kauri's own 100
 * Banzhaf values, 101 Shapley-Taylor interactions, 102 Banzhaf interactions;
 * "training": bool; "iteration_begin", "iteration_end": rounds [begin, end), end 0 = all; "strict_shape": bool}.
 * *out_result: row-major float32, shape *out_shape [*out_dim]. With K outputs, F features, R rounds, P parallel trees:
 * value and margin [n] or [n, K] (strict [n, K]; multi:softmax values are classes, [n, 1]), contributions [n, F + 1] or
 * [n, K, F + 1] (strict with K), interactions the same with [F + 1, F
 * + 1], leaves [n, R * K * P] (strict [n, R, K, P]). The last contribution is the bias. Banzhaf values have the shape
 * of contributions, Taylor and Banzhaf interactions the shape of interactions. Optional "validate_features": false
 * skips the comparison of names and accepts fewer columns than the model has. Errors: columns that do not fit (see
 * KauriBoosterCheckColumns).
 */
KAURI_API int XGBoosterPredictFromDMatrix(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                          bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result);
/**
 * Predicts the caller's rows without a DMatrix, like XGBoosterPredictFromDMatrix. `config`: "missing" is also required,
 * "training" is not; optional "feature_types" and "feature_names" of the columns, as in XGDMatrixSetStrFeatureInfo.
 * `m`: null, or a DMatrix or proxy whose base_margin is used. In columnar data a categorical column may name only the
 * categories that its rows have. It is then a list of three, the third an array interface of the number of each name
 * among all of the column's categories; a model without names for the column uses these numbers.
 */
KAURI_API int XGBoosterPredictFromDense(BoosterHandle handle, char const* values, char const* config, DMatrixHandle m,
                                        bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result);
KAURI_API int XGBoosterPredictFromColumnar(BoosterHandle handle, char const* values, char const* config,
                                           DMatrixHandle m, bst_ulong const** out_shape, bst_ulong* out_dim,
                                           float const** out_result);
KAURI_API int XGBoosterPredictFromCSR(BoosterHandle handle, char const* indptr, char const* indices, char const* values,
                                      bst_ulong ncol, char const* config, DMatrixHandle m, bst_ulong const** out_shape,
                                      bst_ulong* out_dim, float const** out_result);

/**
 * Returns the distributions of the objectives dist:NAME, a JSON list of {"name": "normal", "parameters": ["mean",
 * "scale"], "is_discrete": false, "labels": "a finite number"}. Values that such a model predicts are these parameters,
 * in this order. The text lives as long as the library.
 */
KAURI_API int KauriDistributions(char const** out);
/**
 * Computes a function of the distributions of rows. config: {"distribution": "normal"; "function": "mean", "deviation",
 * "density", "log_density", "cdf", "quantile", "sample" or "crps"; optional "points_of_rows": false; optional "seed"}.
 * `parameters`: [n_rows, number of parameters]. `points`: labels, or shares for quantiles, [n_points] for every row, or
 * [n_rows, n_points] with points_of_rows; not read for mean, deviation and sample. `out`: [n_rows, n_points]. A sample
 * is a function of the seed, its row and its place in the row. The logarithm of a density of 0 is -infinity. Errors:
 * parameters that the distribution cannot have, shares outside [0, 1].
 */
KAURI_API int KauriDistributionEvaluate(char const* config, bst_ulong n_rows, double const* parameters,
                                        bst_ulong n_points, double const* points, double* out);

/**
 * Predicts rows in device memory: a CUDA array interface [n_rows, n_cols], or a JSON list with one per column.
 * *out_result is an address in the memory of the rows' device, ready to be read on any stream. Values (except for
 * multi:softmax), margins and leaves are computed there if that device is the booster's or one of them; float32 arrays
 * with NaN for missing are then not copied. Everything else is computed from a copy of the rows in host memory.
 */
KAURI_API int XGBoosterPredictFromCudaArray(BoosterHandle handle, char const* values, char const* config,
                                            DMatrixHandle m, bst_ulong const** out_shape, bst_ulong* out_dim,
                                            float const** out_result);
KAURI_API int XGBoosterPredictFromCudaColumnar(BoosterHandle handle, char const* values, char const* config,
                                               DMatrixHandle m, bst_ulong const** out_shape, bst_ulong* out_dim,
                                               float const** out_result);
/**
 * Predicts for older clients. `option_mask`: 0 value, 1 margin, 2 leaves, 4 contributions, 16 interactions; add 8 for
 * approximate ones. `ntree_limit`: trees of one output, of whole rounds; 0: all. *out_result: *out_len numbers as
 * XGBoosterPredictFromDMatrix returns them.
 */
KAURI_API int XGBoosterPredict(BoosterHandle handle, DMatrixHandle dmat, int option_mask, unsigned ntree_limit,
                               int training, bst_ulong* out_len, float const** out_result);
/**
 * Predicts a DMatrix in device memory, like XGBoosterPredictFromDMatrix, with *out_result in device memory too. Errors:
 * the DMatrix is in host memory.
 */
KAURI_API int KauriBoosterPredictOnDevice(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                          bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result);
/**
 * Takes the calling thread's last prediction in device memory from the booster. Its address stays valid until
 * KauriDeviceArrayFree, even after the booster is freed. Work on the array must be finished before it is freed, unless
 * the work is on a default stream.
 */
KAURI_API int KauriBoosterTakePrediction(BoosterHandle handle, KauriDeviceArrayHandle* out);
/**
 * Describes an array in device memory: `out` is the CUDA array interface of its numbers as JSON, a vector. The handle
 * owns the text. There is no work to wait for.
 */
KAURI_API int KauriDeviceArrayDescribe(KauriDeviceArrayHandle handle, char const** out);
/** Copies all numbers of the array to host memory: float for predictions, int64_t for KauriShuffleOnDevice. */
KAURI_API int KauriDeviceArrayToHost(KauriDeviceArrayHandle handle, void* out);
/** Frees an array in device memory. */
KAURI_API int KauriDeviceArrayFree(KauriDeviceArrayHandle handle);

/**
 * Explains rows, with a choice of what is returned. It needs memory for the result and for a tile of rows. `config`:
 * {"type": 2, 3, 4, 5, 100, 101 or 102 as in XGBoosterPredictFromDMatrix; "iteration_begin", "iteration_end",
 * "strict_shape" as there; optional "features": numbers of the features whose columns (for pairs: rows and columns) are
 * returned, in this order, the bias last, [] = all; optional "reduce": "none", or "mean_abs": the mean over the rows of
 * the absolute values, whose shape lacks the axis of rows}. The base_margin of `dmat` is used. `background`: null; or a
 * DMatrix of at least one row, for every type but 3 and 5: interventional values and interactions. Features outside a
 * coalition come from its rows, and the result is the mean over them. The bias is the mean margin of the background's
 * rows. Their weights and base margins are not used, and no cover of the model is. Only type 2 against a background is
 * computed on a device; the CPU computes the others. *out_result: row-major float32 in host memory, shape *out_shape
 * [*out_dim]. Errors: another type, a feature that does not exist or is given twice, no rows to take the mean of, an
 * empty background, a background for type 3 or 5.
 */
KAURI_API int KauriBoosterExplain(BoosterHandle handle, DMatrixHandle dmat, DMatrixHandle background,
                                  char const* config, bst_ulong const** out_shape, bst_ulong* out_dim,
                                  float const** out_result);
/**
 * Computes Shapley values of trees from sampled coalitions against a background; exact methods exist only on the scale
 * of margins. `config`: {"output": "margin", "value": the prediction of XGBoosterPredictFromDMatrix with type 0, or
 * "loss": the loss of each row under the objective's own metric, for which `dmat` must have labels; "method",
 * "n_orders", "max_evals", "tolerance", "seed" as for KauriShapleyValues; "iteration_begin", "iteration_end"; optional
 * "players" as for KauriExplainFunction, [] = one player per feature}. The model's covers are not used; the base_margin
 * of `dmat` is. Computed on the CPU. *out_values, *out_errors: [n_rows, n_outputs, n_players + 1], the shape in
 * *out_shape [*out_dim]; the bias, the background's mean, is last and has error 0. out_n_evals: [n_rows], owned by the
 * caller. *out_method: a static string. Errors: an empty background; models of gblinear; metrics that are not a mean
 * over rows; "loss" without labels.
 */
KAURI_API int KauriBoosterExplainSampled(BoosterHandle handle, DMatrixHandle dmat, DMatrixHandle background,
                                         char const* config, bst_ulong const** out_shape, bst_ulong* out_dim,
                                         double const** out_values, double const** out_errors, bst_ulong* out_n_evals,
                                         char const** out_method);
/**
 * Takes the calling thread's last explanation in host memory (KauriBoosterExplain; XGBoosterPredictFromDMatrix of types
 * 2 to 5 and from 100 on) or its last prediction of 65,536 numbers or more (the other types, unless "training" is true;
 * predictions in place), the later of both, from the booster without copying it. Its address stays valid until
 * KauriHostArrayFree, even after the booster is freed, and its numbers may be changed. Errors: there is none, it was
 * already taken, or a later call of these failed.
 */
KAURI_API int KauriBoosterTakeExplanation(BoosterHandle handle, KauriHostArrayHandle* out);
/**
 * Frees what KauriBoosterTakeExplanation took. The booster keeps the memory for its next explanation or large
 * prediction, in place of memory that it kept before.
 */
KAURI_API int KauriHostArrayFree(KauriHostArrayHandle handle);
/**
 * Computes interactions (type 4) without the pairs that no tree makes interact: cells (first, second) of the matrices'
 * upper triangles, where the index after the last feature is the bias. `config`: {"iteration_begin", "iteration_end" as
 * above; "top_k": 0 for all cells, diagonal and bias included, by (first, second); else the number of cells beside the
 * diagonal to return, largest absolute value first}. Row r and output k own the entries from out_begin[r * K + k] up to
 * out_begin[r * K + k + 1], where K is *out_n_outputs; out_begin has n_rows * K + 1 numbers.
 */
KAURI_API int KauriBoosterExplainSparse(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                        bst_ulong* out_n_outputs, int64_t const** out_begin, uint32_t const** out_first,
                                        uint32_t const** out_second, float const** out_values);
/**
 * Computes interactions of sets of up to "max_order" features, only for sets that occur together on a path of a tree:
 * all other sets have none. `config`: {"index": "SII", "k-SII", "STII", "FSII" or "BII"; "max_order": 1 or more;
 * "top_k": 0 for all sets, smaller ones first; else the number of sets to return, largest absolute value first;
 * "iteration_begin", "iteration_end" as above}. Orders 1 and 2 of the indices are the numbers of types 2, 4, 100 and
 * 101, where a pair has the sum of its two cells. The bits do not depend on the device. Set s has the features
 * out_members[out_set_begin[s]] up to out_members[out_set_begin[s + 1]], ascending, for s < *out_n_sets. Row r and
 * output k own the entries out_sets, out_values from out_begin[r * K + k] up to out_begin[r * K + k + 1], where K is
 * *out_n_outputs, and have the base value out_base_values[r * K + k]. Errors: models of gblinear, and with linear
 * leaves; more than 2^24 sets or 2^28 sums per row; an order above 16 on longer paths; more than 2^31 entries, in
 * which case explain fewer rows at a time.
 */
KAURI_API int KauriBoosterExplainInteractions(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                              bst_ulong* out_n_outputs, bst_ulong* out_n_sets,
                                              int64_t const** out_set_begin, uint32_t const** out_members,
                                              int64_t const** out_begin, uint32_t const** out_sets,
                                              float const** out_values, float const** out_base_values);

/**
 * Computes the partial dependence of the margins of trees on features and on pairs, at all values at once: a curve is
 * constant between the thresholds of a feature's splits. A feature with the thresholds t_0 < t_1 < ... of number n has
 * n + 2 cells: cell c is for values with exactly c thresholds at or below them, cell n + 1 for missing values; a
 * category c is the values from c to c + 1. Where the model encodes the categories of a column (categorical_encoding=
 * ordered), or treats unknown ones by a policy, only out_cells tells the cell of a value. `background`: the rows over
 * which the mean is taken, with their weights, also those of queries, and base margins. `points`: null, or rows whose
 * cells are returned. `config`: {"iteration_begin", "iteration_end" as above; optional "features": a list of numbers,
 * all by default; "pairs": a list of lists of two of the features, none by default, or "together" to list the pairs of
 * features that occur together on a path, without their surfaces; "distribution": "rows", or "product" for features
 * that are independent of each other, which gives the functional analysis of variance instead}.
 *
 * *out_thresholds: feature i owns the entries from out_begin[i] to out_begin[i + 1]; *out_n_features features.
 * *out_values, *out_n_values float64 numbers: the mean margin [*out_n_outputs], then a curve per feature [n_outputs,
 * cells], then a surface per pair [n_outputs, cells of the smaller feature, cells of the larger]. The joint partial
 * dependence of a pair is the sum of both curves and the surface, minus the mean margin; the surface is what the pair
 * does beyond its features. *out_pairs: [*out_n_pairs, 2], the smaller feature first. *out_cells: [n_points,
 * n_features], the cell of each point. The rows are counted on the model's device; the bits depend neither on it nor on
 * the number of threads. Errors: gblinear, linear leaves, unknown or repeated features and pairs, a background without
 * rows or weight.
 */
KAURI_API int KauriBoosterDependence(BoosterHandle handle, DMatrixHandle background, DMatrixHandle points,
                                     char const* config, bst_ulong* out_n_outputs, bst_ulong* out_n_features,
                                     int64_t const** out_begin, float const** out_thresholds, double const** out_values,
                                     bst_ulong* out_n_values, bst_ulong* out_n_pairs, uint32_t const** out_pairs,
                                     int32_t const** out_cells);

/**
 * Counts for every node of every tree how many rows of `dmat` reach it, whatever their weights. The counts replace
 * those of an earlier call. shap_cover=count explains with them, and model files keep them, as an attribute that other
 * libraries ignore.
 */
KAURI_API int KauriBoosterCountRows(BoosterHandle handle, DMatrixHandle dmat);

/**
 * Gives the model a receipt, the attribute kauri_receipt, which its files keep: checksums of its data, its parameters
 * and its bytes. `dmat`: the data it was trained on, labels and weights included. The call costs one more training,
 * which proves the receipt. Error of kind KAURI_ERROR_MODEL: that training gives another model (for example because the
 * model was loaded or continued), or the objective is the caller's own.
 */
KAURI_API int KauriBoosterAddReceipt(BoosterHandle handle, DMatrixHandle dmat);
/**
 * Trains the model again by its receipt, with the threads and on the device of this booster, and compares bytes. The
 * strings name each difference. No strings: training on these rows gives this model. Error of kind KAURI_ERROR_MODEL:
 * there is no receipt, or a damaged one.
 */
KAURI_API int KauriBoosterVerify(BoosterHandle handle, DMatrixHandle dmat, bst_ulong* out_len, char const*** out);

/* ---- Boosters: files, attributes, inspection -------------------------------------------------------------------- */

/**
 * Loads a model file in place of the model: XGBoost's JSON or UBJSON of any version since 1.0, LightGBM's text,
 * CatBoost's JSON, or a forest (see KauriBoosterLoadForest). What has no counterpart is an error: linear leaves and
 * zero_as_missing of LightGBM, target statistics (CTR) of CatBoost, objectives. Parameters that were set stay, and so
 * do parameters that are set later: they override the file's, and the log has a line if that changes the objective or
 * booster. Parameters that nobody sets come from the file: objective with its parameters, booster (also adaboost, from
 * a Kauri file), num_parallel_tree. A model that has rounds keeps the file's base score; one that is set later applies
 * from the next round on. Parameters that do not fit the model (another number of classes, a linear booster for trees)
 * are an error, which leaves the booster unchanged.
 */
KAURI_API int XGBoosterLoadModel(BoosterHandle handle, char const* fname);
/**
 * Saves the model to a file. The extension .json or .ubj decides the format. An older file is replaced only once the
 * new one is complete.
 */
KAURI_API int XGBoosterSaveModel(BoosterHandle handle, char const* fname);
/**
 * Saves the model in the file layout that `config` names: {"dialect": "1.7", "2.1", "3.0", "3.2" or "3.4", a version of
 * XGBoost that reads such files, as later ones do}; {}: that of 3.2, with additions that only later versions know.
 * Errors: the model has something that the version cannot express (vector leaves, linear leaves, encoded categories,
 * names, ...); the message names it and the first dialect that can. Data that only training needs, and not predictions,
 * are left out.
 */
KAURI_API int KauriBoosterSaveModel(BoosterHandle handle, char const* fname, char const* config);
/**
 * Loads a model from the `len` bytes of such a file, like XGBoosterLoadModel; the format is detected from the bytes.
 */
KAURI_API int XGBoosterLoadModelFromBuffer(BoosterHandle handle, void const* buf, bst_ulong len);
/**
 * Loads trees that are given as arrays, like XGBoosterLoadModel; a model of any library can be brought over in this
 * way. `config`: {"kauri_forest": 1, "n_features": columns of the rows, "trees": [{"left", "right", "feature",
 * "threshold", "default_left", "values", "cover": arrays [n_nodes]; optional "categories", "output"}, ...]}. Node 0 is
 * the root, and a leaf has -1 in "left" and "right". A split sends a row to the left if the feature is less than the
 * threshold, and a missing value if "default_left" is 1. "values" are those of leaves, [n_nodes, n_outputs] if a leaf
 * has one for each output; otherwise "output" (0) is the tree's output. "cover" is the weight of the training rows of a
 * node, with which SHAP values average. "categories": {"node": codes that go to the right}.
 * Optional for the forest: "objective" ("reg:squarederror"), whose link turns the sum of leaves into a prediction;
 * "base_score" ([0.0] without an objective), the prediction without trees of each output; "comparison": "less",
 * "at_most" for libraries that send a 32-bit number at most the threshold to the left, as scikit-learn does, or
 * "at_most_in_double" for libraries that compare 64-bit numbers so; "trees_in_round" (all of them); "feature_names";
 * "category_names": {"column": names of its categories in the order of the codes}. An array is a list of numbers or an
 * array interface (version 3) of host memory, which the call reads and does not keep. A file with such a text, with
 * lists and "kauri_forest" as its first member, is a model file. Error of kind KAURI_ERROR_MODEL: an unknown member,
 * arrays of different lengths, values out of range, nodes that form no tree.
 */
KAURI_API int KauriBoosterLoadForest(BoosterHandle handle, char const* config);
/** Saves the model to memory. `config`: {"format": "json" or "ubj"; optional "dialect" as above}. */
KAURI_API int XGBoosterSaveModelToBuffer(BoosterHandle handle, char const* config, bst_ulong* out_len,
                                         char const** out_dptr);
/**
 * Writes the model as a program in another language, with a test of that program in the file. config: {"target": "c",
 * "duckdb", "postgresql", "sqlite", "onnx", "wasm_source", which is C to compile to WebAssembly, or "treelite_source",
 * the tables of a checkpoint of Treelite as JSON; optional "contributions": true, for a program in C or WebAssembly
 * that computes Shapley values too}. Without a target the ending of `fname` decides. An older file is replaced only
 * once the new one is complete. The log has a warning if the model was trained with another value for missing data than
 * NaN (attribute kauri_missing). Errors: the target cannot express the model; the message says what.
 */
KAURI_API int KauriBoosterExport(BoosterHandle handle, char const* fname, char const* config);
/** Returns the bytes of such a file. `config`: {"target" and "contributions": as above}. */
KAURI_API int KauriBoosterExportToBuffer(BoosterHandle handle, char const* config, bst_ulong* out_len,
                                         char const** out_dptr);
/** Serialises model and parameters, for a copy of the booster in another process of the same version. */
KAURI_API int XGBoosterSerializeToBuffer(BoosterHandle handle, bst_ulong* out_len, char const** out_dptr);
KAURI_API int XGBoosterUnserializeFromBuffer(BoosterHandle handle, void const* buf, bst_ulong len);
/** Returns the parameters in effect, as JSON. */
KAURI_API int XGBoosterSaveJsonConfig(BoosterHandle handle, bst_ulong* out_len, char const** out_str);
KAURI_API int XGBoosterLoadJsonConfig(BoosterHandle handle, char const* config);

/**
 * Returns one text per tree. fmap: a file with a line "index name type" per feature, or "" for the booster's own names.
 * format: text, json or dot, or one of them and options, as dot:{"graph_attrs": {"rankdir": "LR"}}; DumpModel writes
 * text. The options {"labels": {"categories": "names"}} show the names of categories in place of their numbers.
 */
KAURI_API int XGBoosterDumpModel(BoosterHandle handle, char const* fmap, int with_stats, bst_ulong* out_len,
                                 char const*** out_dump_array);
KAURI_API int XGBoosterDumpModelEx(BoosterHandle handle, char const* fmap, int with_stats, char const* format,
                                   bst_ulong* out_len, char const*** out_dump_array);
/** Returns one text per tree with the `fnum` names and types given here. */
KAURI_API int XGBoosterDumpModelWithFeatures(BoosterHandle handle, int fnum, char const** fname, char const** ftype,
                                             int with_stats, bst_ulong* out_len, char const*** out_models);
KAURI_API int XGBoosterDumpModelExWithFeatures(BoosterHandle handle, int fnum, char const** fname, char const** ftype,
                                               int with_stats, char const* format, bst_ulong* out_len,
                                               char const*** out_models);

/** Returns an attribute, a string stored with the model; *success is 0 and *out null if it does not exist. */
KAURI_API int XGBoosterGetAttr(BoosterHandle handle, char const* key, char const** out, int* success);
/** Sets an attribute; a null value deletes it. */
KAURI_API int XGBoosterSetAttr(BoosterHandle handle, char const* key, char const* value);
/** Returns the keys of all attributes. */
KAURI_API int XGBoosterGetAttrNames(BoosterHandle handle, bst_ulong* out_len, char const*** out);
/**
 * Sets the names or types saved with the model, like XGDMatrixSetStrFeatureInfo. Before the first round their number is
 * free; that round compares it with its data.
 */
KAURI_API int XGBoosterSetStrFeatureInfo(BoosterHandle handle, char const* field, char const** features,
                                         bst_ulong size);
/**
 * Checks that `dmat` and the booster have the same columns. Every training, evaluation, prediction and explanation
 * checks it, too. If both have names, the names must be the same in the same order. The number of columns must equal
 * the model's; only libsvm text, in which columns after its last value are not visible, may have fewer. A column that
 * is categorical in one must be categorical in the other. A booster without rounds has the names that it was given. If
 * the library is loaded in place of XGBoost's, it leaves the names of rows to predict to the client, and all data may
 * have fewer columns. Error of kind KAURI_ERROR_DATA: the columns do not match.
 */
KAURI_API int KauriBoosterCheckColumns(BoosterHandle handle, DMatrixHandle dmat);
/** Returns the names or types saved with the model, like XGDMatrixGetStrFeatureInfo. */
KAURI_API int XGBoosterGetStrFeatureInfo(BoosterHandle handle, char const* field, bst_ulong* len,
                                         char const*** out_features);
/**
 * Returns the importance of the features that splits use, in the order of the features. Columns that only the model has
 * come last: combinations as "a&b", shares of a class as "a@0", "a@1", ... `config`: {"importance_type": "weight"
 * (splits), "gain", "cover" (means), "total_gain", "total_cover"; "feature_map": optional file; "feature_names":
 * optional list}. *out_scores has the shape *out_shape [*out_dim]; out_features: *out_n_features names.
 */
KAURI_API int XGBoosterFeatureScore(BoosterHandle handle, char const* config, bst_ulong* out_n_features,
                                    char const*** out_features, bst_ulong* out_dim, bst_ulong const** out_shape,
                                    float const** out_scores);

/* ---- Categories ------------------------------------------------------------------------------------------------- */

/**
 * Returns a copy of the category names that a DMatrix or a booster knows, to be freed by the caller; null if it has
 * none. `config` is ignored. Written as an integer, the handle can be the "ref_categories" of columnar data.
 */
KAURI_API int XGDMatrixGetCategories(DMatrixHandle handle, char const* config, CategoriesHandle* out);
KAURI_API int XGBoosterGetCategories(BoosterHandle handle, char const* config, CategoriesHandle* out);
/**
 * Returns the same copy, and the names as a JSON list with one element per feature: null without names, the array
 * interface of integers, or {"offsets": .., "values": ..} of texts, both array interfaces, as in Arrow. Null if there
 * are no names. The document and the arrays live as long as *out.
 */
KAURI_API int XGDMatrixGetCategoriesExportToArrow(DMatrixHandle handle, char const* config, CategoriesHandle* out,
                                                  char const** export_out);
KAURI_API int XGBoosterGetCategoriesExportToArrow(BoosterHandle handle, char const* config, CategoriesHandle* out,
                                                  char const** export_out);
/** Frees the result of the getters; null is allowed. */
KAURI_API int XGBCategoriesFree(CategoriesHandle handle);

/* ---- Processes -------------------------------------------------------------------------------------------------- */
/*
 * The tracker and the communicator of XGBoost's clients, with which several processes train one model. One process
 * creates a tracker and gives its arguments to the workers. Each worker calls XGCommunicatorInit, in the thread that
 * trains. Until XGCommunicatorFinalize the boosters of that thread train and are evaluated over the rows of all
 * workers, and matrices of bins have common bins; the model has the bytes of one process with the rows in the order of
 * ranks. Every worker makes the same calls. Ranks on one host may be threads.
 *
 * Connections are TCP. The arguments contain a secret, without which nobody can join; keep them as confidential as the
 * data. Messages are not encrypted: use a private network. Every wait has a deadline, dmlc_timeout, and an error of one
 * worker, or its end, ends the calls of all with an error that names it (KAURI_ERROR_COLLECTIVE).
 */

/** Returns the rank of this thread's process, 0 without a communicator. The answer is not a status, here and below. */
KAURI_API int XGCommunicatorGetRank(void);
/** Returns the number of ranks, 1 without a communicator. */
KAURI_API int XGCommunicatorGetWorldSize(void);
/** Returns 1 between XGCommunicatorInit with a tracker and XGCommunicatorFinalize, otherwise 0. */
KAURI_API int XGCommunicatorIsDistributed(void);
/**
 * Joins the group of a tracker, and waits until all workers have. `config`: {} for no group, or the arguments of
 * XGTrackerWorkerArgs and, as needed: "dmlc_task_id", by which the tracker may sort ranks; "dmlc_timeout", seconds to
 * join and to wait in a call without any byte (0 or missing: 1800); "dmlc_retry", further attempts to reach the tracker
 * (3); "dmlc_worker_port", where this worker listens for the others (0: any). Names may be in upper case. A group that
 * the thread is in is left before. Errors: no tracker there, another secret, workers that do not come, federated
 * learning.
 */
KAURI_API int XGCommunicatorInit(char const* config);
/** Leaves the group. It can be called after errors, and without a group. */
KAURI_API int XGCommunicatorFinalize(void);
/** Ends the group with an error: the calls of all its ranks fail. */
KAURI_API int XGCommunicatorSignalError(void);
/** Writes `message` to the log of the tracker's process, or to this process's log without a group. */
KAURI_API int XGCommunicatorPrint(char const* message);
/** Returns the host's name, valid until the thread's next call. */
KAURI_API int XGCommunicatorGetProcessorName(char const** name_str);
/** Copies `size` bytes of rank `root` to all ranks. Errors: there is no such rank. */
KAURI_API int XGCommunicatorBroadcast(void* buffer, size_t size, int root);
/**
 * Reduces `count` numbers over the ranks, in the order of ranks. data_type: 0 float16, 1 float32, 2 float64, 3 long
 * double, 4 to 7 int8 to int64, 8 to 11 uint8 to uint64. op: 0 maximum, 1 minimum, 2 sum (of integers modulo their
 * range), 3 bitwise and, 4 or, 5 exclusive or; the last three for integers only.
 */
KAURI_API int XGCommunicatorAllreduce(void* buffer, size_t count, int data_type, int op);
/** Gathers a buffer of `count` bytes, of which each rank has one part of equal size: rank r the r-th. */
KAURI_API int XGCommunicatorAllgather(void* buffer, size_t count);
/**
 * Creates a tracker and binds its port. `config`: "n_workers", at least 1; "host", the address of a network interface
 * (missing: a likely one); "port" (0: any); "sortby": ranks in the order of 0 hosts, then tasks, or 1 tasks; "timeout":
 * seconds until all workers have come, and from the first that leaves to the last (0: no limit); "kauri_tracker_secret"
 * (missing: random). Errors: a port in use, federated learning ("dmlc_communicator": "federated").
 */
KAURI_API int XGTrackerCreate(char const* config, TrackerHandle* handle);
/** Returns in `args` JSON for the workers' XGCommunicatorInit, valid until the thread's next call on the handle. */
KAURI_API int XGTrackerWorkerArgs(TrackerHandle handle, char const** args);
/** Starts the tracker's thread, which serves one group of workers. `config` may be null. */
KAURI_API int XGTrackerRun(TrackerHandle handle, char const* config);
/**
 * Waits until all workers have left. `config`: {"timeout": seconds}; 0, missing or null: as long as they work. Errors:
 * the group's error; workers that have not left by the timeout, which ends the group; a tracker that does not run.
 */
KAURI_API int XGTrackerWaitFor(TrackerHandle handle, char const* config);
/** Stops and frees the tracker. Errors: its group had not ended; it is freed nevertheless, and its workers fail. */
KAURI_API int XGTrackerFree(TrackerHandle handle);

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */
/*
 * Ranks are processes, or threads, that train one model together, each on some of the rows. Here the caller provides a
 * few functions through which the ranks communicate; with XGCommunicatorInit above the library does. The model, its
 * evaluations and its bytes equal those of one process with all rows, for any number of ranks and any partition of the
 * rows.
 *
 * Every rank makes the same calls with the same parameters: XGBoosterUpdateOneIter, XGBoosterBoostOneIter,
 * XGBoosterEvalOneIter and the creation of matrices of bins. Predictions cover the rank's own rows and need no other
 * rank.
 */

/** One rank of a group. */
typedef void* KauriCollectiveHandle;

/**
 * The functions through which the ranks of a group communicate. Every function except `error` and `abort` blocks until
 * all ranks have called it. It returns 0, or another value if it failed: the group is then dead. No two of them run at
 * the same time in one group.
 */
typedef struct KauriCollectiveCalls {
  /** sizeof(KauriCollectiveCalls), so that the table may grow. */
  size_t size;
  /** Replaces each of `count` integers by its sum over the ranks, modulo 2^64. */
  int (*sum)(void* user, int64_t* values, uint64_t count);
  /** Replaces each of `count` integers by its maximum over the ranks. */
  int (*max)(void* user, uint64_t* values, uint64_t count);
  /**
   * Concatenates the bytes of all ranks in `all`, by rank. sizes: [n_ranks], the number of bytes of each rank, known to
   * all. `mine`: this rank's bytes, which are not in `all` yet.
   */
  int (*gather)(void* user, void const* mine, uint64_t const* sizes, void* all);
  /**
   * Makes the calls of all ranks fail, also those that are waiting; callable from any thread. May be null: waiting
   * calls then end by their timeout.
   */
  void (*abort)(void* user, char const* why);
  /** Returns why a call failed, valid until the next call. May be null. */
  char const* (*error)(void* user);
  /**
   * Sums like `sum`, but only values[begins[rank]] to values[begins[rank + 1] - 1] need to be sums; the others become
   * undefined. begins: [n_ranks + 1], the same on all ranks. May be null, or missing from a table of a smaller `size`:
   * `sum` is called then.
   */
  int (*sum_parts)(void* user, int64_t* values, uint64_t const* begins);
} KauriCollectiveCalls;

/**
 * Creates the handle of this process, or thread, as one rank of n_ranks. `calls` is copied; each function receives
 * `user`.
 */
KAURI_API int KauriCollectiveCreate(KauriCollectiveCalls const* calls, void* user, int rank, int n_ranks,
                                    KauriCollectiveHandle* out);
/** Frees the handle. The functions are no longer called once the boosters that use it are freed or have another. */
KAURI_API int KauriCollectiveFree(KauriCollectiveHandle handle);
/**
 * Makes the booster's rounds and evaluations those of a group from now on; null: of this process alone. Each DMatrix
 * must say which rows it has: XGDMatrixSetInfoFromInterface of "global_rows", integers [n_ranges, 2]. Each range of
 * consecutive rows has its first row's number among the rows of all ranks, and its number of rows.
 */
KAURI_API int KauriBoosterSetCollective(BoosterHandle handle, KauriCollectiveHandle collective);
/**
 * Ends a training after its last round. In a group every rank calls it before the booster leaves the group. The ranks
 * compare digests of their models, which costs one call of a few bytes. Error of kind KAURI_ERROR_COLLECTIVE, on all
 * ranks: it names the ranks that have another model. If process_type=update has not updated all rounds of a model, the
 * log has a line.
 */
KAURI_API int KauriBoosterEndTraining(BoosterHandle handle);
/**
 * Packs `count` integers into as few bytes as they need, for callers that send sums over a network: a third of their
 * size or less for the sums of a histogram. packed: room for 9 * count + 16 bytes. n_bytes: number of bytes written.
 */
KAURI_API int KauriPackIntegers(int64_t const* values, uint64_t count, void* packed, uint64_t* n_bytes);
/**
 * Unpacks integers: replaces `values` if `add` is 0, else adds to them modulo 2^64. count: number of integers that were
 * packed. Errors: bytes that are not packed integers, or not of this number; `values` are then undefined.
 */
KAURI_API int KauriUnpackIntegers(void const* packed, uint64_t n_bytes, int add, int64_t* values, uint64_t count);
/** Creates a matrix like XGQuantileDMatrixCreateFromCallback, with the bins of all ranks' rows. */
KAURI_API int KauriQuantileDMatrixCreate(KauriCollectiveHandle collective, DataIterHandle iter, DMatrixHandle proxy,
                                         DataIterHandle ref, DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                                         char const* config, DMatrixHandle* out);

#endif /* KAURI_C_API_H_ */
