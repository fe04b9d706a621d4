/**
 * \file The C ABI of Kauri: names, signatures and JSON configurations of XGBoost 3.2, so that its clients run
 * unchanged.
 *
 * Longer than 400 lines: one header for the whole ABI. What is ours alone starts with `Kauri`.
 *
 * Returns. 0 is success, -1 an error; XGBGetLastError() then tells the calling thread what is wrong, the value seen and
 * the cure, and KauriGetLastErrorKind() its kind. No call prints, throws, aborts or ends the process, whatever it is
 * given; a null or foreign handle is an error. A call that fails leaves what its handles stand for as it was: a booster
 * has the model, parameters, attributes and predictions of before, and learns on as if it had never failed. Parameters
 * take effect in the next call that needs them; one that they let fail drops unknown names, and keeps bad values.
 *
 * Memory. A pointer that a call returns belongs to the library and is valid until the same thread's next call on the
 * same handle, or until that handle is freed. Pointers passed in are read during the call only.
 *
 * Threads. Every call may run at any time from any thread, also on one booster or DMatrix: predictions, getters, savers
 * and explanations of one handle run at the same time; a call that changes it (training, setters, loading) waits until
 * those that run have ended, and the next ones wait for it, so that each answer is that of one state. The lock costs a
 * call some ten nanoseconds. Three things stay with the caller: a handle is freed when no call uses it (a free beside a
 * call is refused); pointers of XGDMatrixGetFloatInfo and XGDMatrixGetInfoRef point to a DMatrix's own values, until
 * any thread sets them; a function of the caller that runs during a call (of a group, an iterator, the log) may read
 * what the call works on, is refused where it would change it, and must not wait for another thread that uses it. In
 * the child of a fork() a handle that another thread was changing is refused.
 *
 * Arrays. An "array interface" is NumPy's protocol as JSON: {"data": [address, read_only], "typestr": "<f4", "shape":
 * [n] or [n_rows, n_cols], "strides": null or [..] in bytes, "version": 3}. Any integer, floating-point or boolean type
 * of the machine's byte order. It describes host memory; where a call takes device memory, its text says so, and the
 * text is that of the CUDA array interface, version 2 or 3: "stream" null, 1 (the legacy default stream, which is also
 * what its absence means), 2 (the thread's default stream) or a handle; the work queued there is waited for. Strides
 * are not negative. Errors of such calls besides: no plug-in, driver or device; an address that is not a device's; an
 * array on another device than the booster.
 *
 * Devices. The parameter "device" is cpu, cuda (the first CUDA device), cuda:N, several as cuda:N,M,.. or cuda:all.
 * Predictions of rows in host memory split them over several devices, and so does training with tree_method hist and
 * approx; exact refuses more than one. No bit of a result depends on how many there are.
 *
 * Configurations are JSON objects. Keys that a call does not know are ignored. NaN, Infinity and -Infinity may be
 * written as bare words.
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

/* kauri_EXPORTS: CMake's, where the library itself is compiled. */
#if defined(_WIN32) && defined(kauri_EXPORTS)
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

/** What went wrong last on the calling thread; see XGBGetLastError. */
enum KauriErrorKind {
  KAURI_ERROR_NONE = 0,
  KAURI_ERROR_PARAMETER = 1, /**< a parameter's or an argument's name or value */
  KAURI_ERROR_DATA = 2,      /**< labels, features, shapes, text files */
  KAURI_ERROR_MODEL = 3,     /**< a model file, or a model that does not fit the call */
  KAURI_ERROR_IO = 4,        /**< the file system */
  KAURI_ERROR_DEVICE = 5,    /**< no CUDA plug-in, no driver, no device */
  KAURI_ERROR_MEMORY = 6,    /**< not enough memory */
  KAURI_ERROR_INTERNAL = 7,  /**< a bug in the library: please report it */
  KAURI_ERROR_COLLECTIVE = 8 /**< another rank, or the way to it; the group is dead */
};

/** Kauri's own version, e.g. "0.1.0"; static. */
KAURI_API char const* KauriVersion(void);
/** The kind of the error that XGBGetLastError describes: one of KauriErrorKind. */
KAURI_API int KauriGetLastErrorKind(void);
/**
 * Every parameter that any component declares, for help texts and checks. `out`: a JSON array of {"group", "name",
 * "type", "default", "bounds", "description"}, all strings.
 */
KAURI_API int KauriGetParameters(char const** out);
/**
 * The first `count` elements of a random permutation of 0 .. n - 1, the same for the same seed on every machine. `out`:
 * [count], the caller's. Errors: count above n, n of 2^62 and more.
 */
KAURI_API int KauriShuffle(bst_ulong n, bst_ulong seed, bst_ulong count, bst_ulong* out);
/**
 * The same in the memory of a device, as int64. `device`: cuda or cuda:N. `out`: free with KauriDeviceArrayFree.
 */
KAURI_API int KauriShuffleOnDevice(bst_ulong n, bst_ulong seed, bst_ulong count, char const* device,
                                   KauriDeviceArrayHandle* out);
/**
 * Rows in a random order: out[i] = in[p[i]], where p is the permutation that KauriShuffle makes of the number of rows
 * and the seed. `in`, `out`: array interfaces of equal shape and type, both of host memory or both of one device's,
 * elements of a row side by side. Their memory is the caller's; it is done with when the call returns. Where both are
 * the same array, its rows are shuffled in place: without a second copy, in 16 + 2 log2(n) rounds over all rows, and
 * into another random order than that of KauriShuffle. The same for the same seed on every machine and device. Errors:
 * shapes, types or memories differ; arrays that overlap otherwise.
 */
KAURI_API int KauriShuffleRows(char const* in, char const* out, bst_ulong seed);
/**
 * Orders of players, few that stand for all: what Shapley values are sampled with (Mitchell, Cooper, Frank, Holmes
 * 2022). `config`: {"method": "mc", "antithetic", "orthogonal", "sobol", "herding" or "sbq"; "d": players, at least 2;
 * "n": orders; optional "seed": 0, "lambda": 4 and "candidates": 25 of herding and sbq, "n_scrambles": 1, independent
 * parts that sobol's orders are made of}. out_orders: [n, d], who joins first, second, ..; out_weights: [n], sum 1;
 * both the caller's. The same for the same configuration on every machine. Errors: unknown methods; sobol of more
 * than 1113 players; herding and sbq of more than 5000 orders.
 */
KAURI_API int KauriSampleOrders(char const* config, uint32_t* out_orders, double* out_weights);
/**
 * How far weighted orders are from all orders: the discrepancy in the space of a kernel. orders: [n, d] as above;
 * weights: [n]. `config`: {"kernel": "mallows", "kendall" or "spearman"; optional "lambda": 4, the first one's}.
 * Errors: rows that do not have each of 0 to d - 1 once; no orders; d below 2.
 */
KAURI_API int KauriOrderDiscrepancy(bst_ulong n, bst_ulong d, uint32_t const* orders, double const* weights,
                                    char const* config, double* out);
/**
 * `out`: the threads that `nthread` stands for, here and now. 0 or below: the calling thread's XGBSetGlobalConfig, else
 * OMP_NUM_THREADS of the environment, else the processors of the affinity mask, of which the control group's quota may
 * pay for fewer. OMP_THREAD_LIMIT bounds them all.
 */
KAURI_API int KauriNumThreads(int nthread, int* out);

/**
 * The version of XGBoost that the library stands for. Loaded as libxgboost.so, in XGBoost's package: the one in the
 * package's file VERSION. Otherwise the environment's KAURI_XGBOOST_VERSION, else that of the build, 3.2.0. Null
 * pointers are skipped.
 *
 * A library loaded under that name has XGBoost's habits, too: an unknown parameter, or a device that is not there, is a
 * warning in the log, and the call goes on without; XGBoosterSerializeToBuffer writes what XGBoost reads.
 */
KAURI_API void XGBoostVersion(int* major, int* minor, int* patch);
/**
 * `out`: JSON {"KAURI_VERSION": "0.1.0", "COMPILER": .., "USE_OPENMP": false, "USE_CUDA": bool (the plug-in is usable),
 * "CUDA_PLUGIN": path, "CUDA_DEVICES": [..], "CUDA_PROBLEM": why not}. Looks for the plug-in, so the first call may
 * load it.
 */
KAURI_API int XGBuildInfo(char const** out);
/** The message of the calling thread's last error; "" before the first. Valid until the thread's next failing call. */
KAURI_API char const* XGBGetLastError(void);
/** -1, which is what a call returns that fails; KauriGetLastErrorKind says more. */
KAURI_API int XGBGetLastErrorCode(void);
/**
 * The library writes nothing by itself: `callback` receives each line of the log, which begins with "WARNING: ",
 * "INFO: " or "DEBUG: ", as clients look for; null turns it off. Process-wide.
 */
KAURI_API int XGBRegisterLogCallback(void (*callback)(char const*));
/** The same with the level of each line: 1 warning, 2 information, 3 detail. The callback set last gets the log. */
KAURI_API int KauriRegisterLogCallback(void (*callback)(int, char const*));
/**
 * `config`: {"verbosity": 0..3, "nthread": count}. verbosity: what the log callback receives (0 nothing, 1 warnings, 2
 * information, 3 details). nthread: threads of data and boosters that are created from now on unless they are told
 * otherwise; 0 or below: as KauriNumThreads says. "use_rmm" and "use_cuda_async_pool", true or false, are kept and
 * change nothing. All of it holds for the calling thread. Errors: another key, a wrong type or range; nothing is
 * changed then.
 */
KAURI_API int XGBSetGlobalConfig(char const* config);
/** `out`: the configuration in effect, as XGBSetGlobalConfig takes it. */
KAURI_API int XGBGetGlobalConfig(char const** out);

/* ---- Shapley values of anything -----------------------------------------------------------------------------------*/
/*
 * Calls of this section call functions of the caller, on the calling thread, and need no model. A function that returns
 * other than 0 ends the call with an error of kind KAURI_ERROR_DATA; `user` is handed to it each time.
 *
 * Their `config`: {"n_outputs": numbers that the function returns for one coalition or row; "method": "auto", "exact",
 * "mc", "antithetic", "orthogonal", "sobol", "herding", "sbq", "owen", "owen_halved" or "stratified"; optional
 * "n_orders": orders that players join in, 0 = as "max_evals" allows, or else max(10, 2 (d - 1)) of d players;
 * "max_evals": coalitions to evaluate at most, for each row, 0 = as "n_orders" says; "tolerance": 0, or units of orders
 * are added until no standard error is above this share of the largest value less the smallest; "seed": 0}. auto is
 * exact where that is allowed, else sbq or herding up to 16 players, else orthogonal.
 */

/** worth: [n_masks, n_outputs] of the coalitions masks: [n_masks, n_players], a byte each, 1 where a player is in. */
typedef int KauriGame(void* user, uint64_t n_masks, uint64_t n_players, uint8_t const* masks, double* worth);
/** out: [n_rows, n_outputs] of rows: [n_rows, n_cols]. */
typedef int KauriRowFunction(void* user, uint64_t n_rows, uint64_t n_cols, double const* rows, double* out);

/**
 * Shapley values of a game of n_players. out_values, out_errors: [n_players, n_outputs], the caller's, the latter
 * standard errors: 0 of exact, NaN where a method has none. out_base: [n_outputs], what nobody is worth; with it values
 * add up to what all are worth, but for owen, owen_halved and stratified. *out_n_evals: coalitions that were evaluated.
 * *out_method: what auto became, static.
 */
KAURI_API int KauriShapleyValues(KauriGame* game, void* user, bst_ulong n_players, char const* config,
                                 double* out_values, double* out_errors, double* out_base, bst_ulong* out_n_evals,
                                 char const** out_method);
/**
 * Shapley values of a function of rows: a coalition is worth the mean of the function over the background's rows, with
 * the coalition's columns as in the row. rows: [n_rows, n_cols] and background: [n_background, n_cols], float64, not
 * empty, row-major. `config` besides: "players": lists of columns, a player each; columns of none are the background's;
 * optional "batch_rows": 65536, rows that the function is called with at most. out_values, out_errors: [n_rows,
 * n_players, n_outputs]; out_base: [n_outputs], the mean of the function over the background; out_n_evals: [n_rows];
 * all the caller's. A player whose columns are the background's in all its rows (NaN equals NaN) has exactly 0.
 * *out_method: static. Errors: numbers that are not finite.
 */
KAURI_API int KauriExplainFunction(KauriRowFunction* function, void* user, double const* rows, bst_ulong n_rows,
                                   double const* background, bst_ulong n_background, bst_ulong n_cols,
                                   char const* config, double* out_values, double* out_errors, double* out_base,
                                   bst_ulong* out_n_evals, char const** out_method);

/* ---- Data ------------------------------------------------------------------------------------------------------- */
/*
 * A DMatrix is a table of float32 features with labels and the like; the features never change after creation. Free
 * each with XGDMatrixFree. NaN is always missing, besides the value `missing` of the configuration.
 * Errors of all creators: malformed arrays or JSON, lengths that disagree, an infinite value unless `missing` is one.
 */

/**
 * Reads what XGDMatrixSaveBinary wrote, or a text file, and beside it, where they exist, path.group (rows of each
 * query), path.weight and path.base_margin: numbers with white space between; and path.feature_types: the types of the
 * columns, "c" for categories. `config`: {"uri": "path?format=libsvm" or
 * "path?format=csv&label_column=0", "silent": ignored, "data_split_mode": 0}. With "#cache" at the end of the uri, bins
 * of the text lie in a file as for XGExtMemQuantileDMatrixCreateFromCallback, whose "max_bin" and "memory_budget" the
 * config may have. Errors: no such file, a malformed line (with its number).
 */
KAURI_API int XGDMatrixCreateFromURI(char const* config, DMatrixHandle* out);
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
 * an array interface of packed bits, typestr "<t1" and shape [n_rows], that are clear where the value is missing. A
 * categorical column is a list of two: what its categories are called, an array interface of integers or of texts
 * ({"offsets": .., "values": ..}), and their codes. With {"ref_categories": handle, "columns": such a list} categories
 * get the codes that their names have there. `config`: as Dense.
 */
KAURI_API int XGDMatrixCreateFromColumnar(char const* data, char const* config, DMatrixHandle* out);
/**
 * Copies a table of numbers or booleans that comes through the Arrow C stream interface, with the columns' names and
 * types. Null is missing. `stream` is released, whatever happens. `config`: as Dense. Errors: a column of another kind
 * (named), arrays that contradict themselves. That buffers are as long as their arrays say is the producer's word.
 */
struct ArrowArrayStream;
KAURI_API int KauriDMatrixCreateFromArrowStream(struct ArrowArrayStream* stream, char const* config,
                                                DMatrixHandle* out);
/** The same from one record batch of the Arrow C data interface; both structs are released. */
struct ArrowSchema;
struct ArrowArray;
KAURI_API int KauriDMatrixCreateFromArrowArray(struct ArrowSchema* schema, struct ArrowArray* array, char const* config,
                                               DMatrixHandle* out);
/**
 * Copies `data`, a CUDA array interface [n_rows, n_cols], within the memory of its device: training and prediction on
 * that device read it there. What runs on the CPU gets a copy in host memory, made once when it is needed. `config`: as
 * Dense.
 */
KAURI_API int XGDMatrixCreateFromCudaArrayInterface(char const* data, char const* config, DMatrixHandle* out);
/** The same from a JSON list with a CUDA array interface [n_rows] per column. */
KAURI_API int XGDMatrixCreateFromCudaColumnar(char const* data, char const* config, DMatrixHandle* out);
/** Copies `data`, [nrow, ncol] row-major. */
KAURI_API int XGDMatrixCreateFromMat(float const* data, bst_ulong nrow, bst_ulong ncol, float missing,
                                     DMatrixHandle* out);
/** The same with a number of threads; 0 or below: all cores. */
KAURI_API int XGDMatrixCreateFromMat_omp(float const* data, bst_ulong nrow, bst_ulong ncol, float missing,
                                         DMatrixHandle* out, int nthread);
/**
 * Writes the features and all that is known of them to a file that XGDMatrixCreateFromURI reads back to the same
 * matrix. The format is Kauri's own, with checksums; an older file stays as it was until the new one is complete.
 * `silent`: ignored. Errors: a matrix that keeps bins; a place that cannot be written to.
 */
KAURI_API int XGDMatrixSaveBinary(DMatrixHandle handle, char const* fname, int silent);
/**
 * Ends the life of a DMatrix or proxy. Boosters that were trained on it keep what they need. Errors: a proxy whose
 * iterator is being read.
 */
KAURI_API int XGDMatrixFree(DMatrixHandle handle);

/**
 * A new DMatrix of the rows idxset[0..len), in that order, with their labels, weights and margins.
 * Errors: an index out of range; query groups are present, unless SliceDMatrixEx has allow_groups != 0: then chosen
 * rows that follow each other and come from one query are a query of the new matrix, with that query's weight.
 */
KAURI_API int XGDMatrixSliceDMatrix(DMatrixHandle handle, int const* idxset, bst_ulong len, DMatrixHandle* out);
KAURI_API int XGDMatrixSliceDMatrixEx(DMatrixHandle handle, int const* idxset, bst_ulong len, DMatrixHandle* out,
                                      int allow_groups);

/**
 * A new matrix of the bins that tree_method=hist makes of the rows, column types and weights of `handle`, with all else
 * that is known of them. Slices of it share its cuts: what is trained on them cuts and codes no row again.
 * `config`: {"max_bin": count, "nthread": count}, both optional; 256 bins at most if not given. A matrix that keeps
 * bins shares them. Errors: a max_bin out of range, or not that of a matrix that keeps bins.
 */
KAURI_API int KauriDMatrixBins(DMatrixHandle handle, char const* config, DMatrixHandle* out);

/**
 * What the columns hold. `config`: {optional "quantiles": shares that ascend within [0, 1], [0.01, 0.05, 0.25, 0.5,
 * 0.75, 0.95, 0.99] if not given; "sketch": "exact", which keeps all values, "gk", "kll" or "moments"; "sketch_size",
 * "sketch_order" and "sketch_density" as the parameters of these names, no cosines; "nthread"}. *out_result: row-major,
 * shape *out_shape [*out_dim = 2], a row for each column: count and missing, of rows with weight; distinct, NaN beyond
 * 256; min, max; mean, std, skewness, kurtosis (less 3) of the population, in which rows weigh what "weight" says;
 * rank_error, the share of all weight that the rank of a quantile is wrong by at most (kll: for 99 of 100), NaN where
 * nothing is promised; the quantiles. Valid until the thread's next call with the handle. Errors: a matrix that keeps
 * bins; no rows.
 */
KAURI_API int KauriSummarizeColumns(DMatrixHandle handle, char const* config, bst_ulong const** out_shape,
                                    bst_ulong* out_dim, double const** out_result);
/**
 * Replaces one field; an empty array clears it. Fields: label, weight, base_margin, label_lower_bound,
 * label_upper_bound [n_rows] (label and base_margin also [n_rows, k]; weight [n_groups] beside groups), group (rows per
 * query), qid [n_rows] (non-decreasing), feature_weights [n_cols]. `data`: an array interface, of host or device
 * memory; what is in device memory is copied to the host.
 * Errors: unknown field; NaN (but in labels [n_rows, 2 or more]), infinite or negative without meaning; a wrong length.
 */
KAURI_API int XGDMatrixSetInfoFromInterface(DMatrixHandle handle, char const* field, char const* data);
/** The same from float32, `len` elements, row-major. */
KAURI_API int XGDMatrixSetFloatInfo(DMatrixHandle handle, char const* field, float const* array, bst_ulong len);
/** The same from unsigned integers. */
KAURI_API int XGDMatrixSetUIntInfo(DMatrixHandle handle, char const* field, unsigned const* array, bst_ulong len);
/** The same from `size` elements of a type: 1 float32, 2 float64, 3 uint32, 4 uint64. */
KAURI_API int XGDMatrixSetDenseInfo(DMatrixHandle handle, char const* field, void const* data, bst_ulong size,
                                    int type);
/** field: feature_name or feature_type (float, q, int, i, c); `size` strings, 0 clears. Errors: size is not n_cols. */
KAURI_API int XGDMatrixSetStrFeatureInfo(DMatrixHandle handle, char const* field, char const** features,
                                         bst_ulong size);
/** The strings of feature_name or feature_type; *size is 0 when not set. */
KAURI_API int XGDMatrixGetStrFeatureInfo(DMatrixHandle handle, char const* field, bst_ulong* size,
                                         char const*** out_features);
/** A float field, row-major; *out_len is 0 when not set. Fields as for XGDMatrixSetInfoFromInterface. */
KAURI_API int XGDMatrixGetFloatInfo(DMatrixHandle handle, char const* field, bst_ulong* out_len, float const** out);
/** Field group_ptr: [n_groups + 1], from 0 to n_rows; or global_rows, see "Ranks": [n_ranges, 2], row by row. */
KAURI_API int XGDMatrixGetUIntInfo(DMatrixHandle handle, char const* field, bst_ulong* out_len, unsigned const** out);
/** A field as array interface (JSON text) into the library's memory: label and base_margin keep their shape. */
KAURI_API int XGDMatrixGetInfoRef(DMatrixHandle handle, char const* field, char const** out);
/** Of a proxy: the counts of the rows that it holds, 0 for none. */
KAURI_API int XGDMatrixNumRow(DMatrixHandle handle, bst_ulong* out);
KAURI_API int XGDMatrixNumCol(DMatrixHandle handle, bst_ulong* out);
/** Cells that hold a value; 0 of a proxy, whose values nobody has looked at. */
KAURI_API int XGDMatrixNumNonMissing(DMatrixHandle handle, bst_ulong* out);
/** Always 0: rows. */
KAURI_API int XGDMatrixDataSplitMode(DMatrixHandle handle, bst_ulong* out);
/**
 * The features as compressed rows, columns ascending, into the caller's arrays: out_indptr [n_rows + 1], out_indices
 * and out_data [XGDMatrixNumNonMissing]. `config`: {}.
 */
KAURI_API int XGDMatrixGetDataAsCSR(DMatrixHandle handle, char const* config, bst_ulong* out_indptr,
                                    unsigned* out_indices, float* out_data);

/**
 * The cuts of a matrix of bins as array interfaces: `out_indptr` uint64 [n_cols + 1], `out_data` float32; of each
 * feature minus infinity, then the upper bound of every bin; of a categorical one its categories. `config`: {} or
 * {"max_bin": count}. Of a matrix of values, those of the last training with tree_method=hist, or with that max_bin
 * (256, where none is given and nothing was trained) and the weights; it keeps none.
 */
KAURI_API int XGDMatrixGetQuantileCut(DMatrixHandle handle, char const* config, char const** out_indptr,
                                      char const** out_data);

/**
 * A proxy stands for rows that stay with the caller, and carries what is known of them, set with
 * XGDMatrixSetInfoFromInterface before or after one of the SetData calls: the base_margin of an in-place prediction, or
 * all of a batch of an iterator. Lengths are checked when the rows are there. SetData drops the rows that the proxy
 * held and what was known of them; so does taking the batch. Free with XGDMatrixFree.
 */
KAURI_API int XGProxyDMatrixCreate(DMatrixHandle* out);
KAURI_API int XGProxyDMatrixSetDataDense(DMatrixHandle handle, char const* data);
KAURI_API int XGProxyDMatrixSetDataCSR(DMatrixHandle handle, char const* indptr, char const* indices, char const* data,
                                       bst_ulong ncol);
KAURI_API int XGProxyDMatrixSetDataColumnar(DMatrixHandle handle, char const* data);
/** Arrow tables, as for KauriDMatrixCreateFromArrowStream and KauriDMatrixCreateFromArrowArray. */
KAURI_API int KauriProxyDMatrixSetDataArrowStream(DMatrixHandle handle, struct ArrowArrayStream* stream);
KAURI_API int KauriProxyDMatrixSetDataArrowArray(DMatrixHandle handle, struct ArrowSchema* schema,
                                                 struct ArrowArray* array);
/** Device memory, as for XGDMatrixCreateFromCudaArrayInterface and XGDMatrixCreateFromCudaColumnar. */
KAURI_API int XGProxyDMatrixSetDataCudaArrayInterface(DMatrixHandle handle, char const* data);
KAURI_API int XGProxyDMatrixSetDataCudaColumnar(DMatrixHandle handle, char const* data);

/** Gives the next batch to the proxy and returns 1, or 0 at the end. What the proxy was given must stay as it is until
 * the next call of either function. */
typedef int XGDMatrixCallbackNext(DataIterHandle iter);
/** Goes back to before the first batch. */
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
/** Takes a batch, which it copies. */
typedef int XGBCallbackSetData(DataHolderHandle handle, XGBoostBatchCSR batch);
/** Calls `set_function` with `set_function_handle` and the next batch and returns 1, or 0 at the end. */
typedef int XGBCallbackDataIterNext(DataIterHandle data_handle, XGBCallbackSetData* set_function,
                                    DataHolderHandle set_function_handle);
/**
 * A DMatrix of the batches that `callback` gives, one below the other, with as many columns as the widest says.
 * `cache_info` is not used: it is made in memory. Errors: no batch; offsets that descend, columns out of range; labels
 * or weights of some batches only; a callback that returns less than 0.
 */
KAURI_API int XGDMatrixCreateFromDataIter(DataIterHandle data_handle, XGBCallbackDataIterNext* callback,
                                          char const* cache_info, float missing, DMatrixHandle* out);

/**
 * A DMatrix of all batches of an iterator, one below the other, in host memory. `reset` is called first and last,
 * `next` until it returns 0. Batches may be of different kinds but agree in the number of columns, in names and types,
 * and in which fields they have; a query does not go on from batch to batch. `config`: as Dense. While it runs the data
 * are in memory twice. With {"cache_prefix": path}, not empty, it is XGExtMemQuantileDMatrixCreateFromCallback without
 * `ref`. Errors: no batch; batches that disagree (named).
 */
KAURI_API int XGDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterResetCallback* reset,
                                          XGDMatrixCallbackNext* next, char const* config, DMatrixHandle* out);
/**
 * As KauriSummarizeColumns, of batches in one pass. The numbers are those of a matrix of all
 * rows; `config` has "missing" besides. The result is kept with the proxy.
 */
KAURI_API int KauriSummarizeBatches(DataIterHandle iter, DMatrixHandle proxy, DataIterResetCallback* reset,
                                    XGDMatrixCallbackNext* next, char const* config, bst_ulong const** out_shape,
                                    bst_ulong* out_dim, double const** out_result);
/**
 * The same with bins of quantiles in place of the values (a QuantileDMatrix): a first pass over the batches makes the
 * cuts, a second one the bins, and no value is kept. tree_method=hist trains on it with max_bin as here; predictions
 * see the lower bound of each bin, in a column's first bin its smallest value; what needs values refuses. The cuts are
 * those that training on a DMatrix makes, however the rows come in batches; several batches that take more than 256
 * MiB, and more than their bins, are read in more passes. `ref`: null, or a DMatrix whose cuts to take, as validation
 * data need; categories with the same names get its numbers. `config`: as Dense, besides {"max_bin": 256, or that of
 * ref; "one_batch": true for an iterator of a single batch, which is then asked for once; "max_quantile_batches":
 * ignored}. One batch of numbers in device memory is cut and coded there, and its codes stay there until host memory is
 * asked for them. Errors: as above; another number of columns or another max_bin than `ref`; other rows in the second
 * pass, another batch after the only one.
 */
KAURI_API int XGQuantileDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterHandle ref,
                                                  DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                                                  char const* config, DMatrixHandle* out);
/**
 * The same with the bins in a file, which training reads page by page. Values that take more than 256 MiB, or than the
 * budget, have cuts from weighted summaries of 8 max_bin values. `config`: besides,
 * {"cache_prefix": path that the file lies beside, which has no name there once it is open; "": the folder for
 * temporary files; "memory_budget": MiB that the library may hold at once for this matrix and for training on it, 0
 * (the default) for no limit; "on_host", "min_cache_page_bytes", "cache_host_ratio": ignored}. What the caller holds
 * (batches) is not counted. Errors: besides, a place that cannot be written to; a full disk; a budget that is too small
 * (how much it takes is said), from here or from the first round.
 */
KAURI_API int XGExtMemQuantileDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterHandle ref,
                                                        DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                                                        char const* config, DMatrixHandle* out);

/* ---- Boosters: training ----------------------------------------------------------------------------------------- */

/**
 * A booster without trees. `dmats`: data that will be trained on or evaluated, so that the number of features is known;
 * may be null when len is 0. Free with XGBoosterFree.
 */
KAURI_API int XGBoosterCreate(DMatrixHandle const dmats[], bst_ulong len, BoosterHandle* out);
/** Ends the life of a booster; what KauriBoosterTakePrediction and KauriBoosterTakeExplanation took from it stays. */
KAURI_API int XGBoosterFree(BoosterHandle handle);
/** Frees what training keeps (prediction caches, sorted columns, bins); the model stays. */
KAURI_API int XGBoosterReset(BoosterHandle handle);
/**
 * A new booster of the rounds begin, begin + step, ... below end (0: all). Attributes are copied, but best_iteration
 * and best_score only with the first rounds up to the best one or further. Returns -2 when the range reaches outside
 * the rounds, -1 when it is empty or begin < 0 or step < 1.
 */
KAURI_API int XGBoosterSlice(BoosterHandle handle, int begin_layer, int end_layer, int step, BoosterHandle* out);
/**
 * A new booster whose margins are the means of those of `boosters`, with the parameters of the first. Round i holds the
 * trees of round i of each that has so many, as parallel trees: a random forest per round, which files of any dialect
 * hold where all have as many rounds, else those since 2.0. A booster that is named k times counts as often, and its
 * trees are there once, their leaves times k / len. Attributes are left behind. Errors: no booster; boosters that
 * differ in objective, outputs, features, names of columns or of categories, or intercept (base_score); linear ones;
 * learnt position biases.
 */
KAURI_API int KauriBoosterAverage(BoosterHandle const boosters[], bst_ulong len, BoosterHandle* out);
/** Rounds that the model has. */
KAURI_API int XGBoosterBoostedRounds(BoosterHandle handle, int* out);
/** Takes effect with the next call that needs it, which also reports a bad value. eval_metric may be set repeatedly. */
KAURI_API int XGBoosterSetParam(BoosterHandle handle, char const* name, char const* value);
/**
 * Ends a group of parameters that were set together. Errors: two names of one parameter (eta, learning_rate) were given
 * different values, which the next call that needs the parameters reports as well. A parameter of the group may
 * be changed later under its other name.
 */
KAURI_API int KauriBoosterSettleParams(BoosterHandle handle);
/** Columns that the model expects; 0 while unknown. */
KAURI_API int XGBoosterGetNumFeature(BoosterHandle handle, bst_ulong* out);
/**
 * One round of boosting. What is drawn in it follows from the seed and the number of rounds that the booster has, so
 * that continued training draws as training at once does; `iter` is not read. A booster without names or types of
 * columns keeps those of `dtrain` once the round is done. Errors: parameters, labels, columns that do not fit (see
 * KauriBoosterCheckColumns).
 */
KAURI_API int XGBoosterUpdateOneIter(BoosterHandle handle, int iter, DMatrixHandle dtrain);
/** One round from gradients and hessians, [len] each, row-major [n_rows, n_outputs]; for older clients. */
KAURI_API int XGBoosterBoostOneIter(BoosterHandle handle, DMatrixHandle dtrain, float* grad, float* hess,
                                    bst_ulong len);
/**
 * One round from gradients and hessians: array interfaces [n_rows] or [n_rows, n_outputs]. When both are in device
 * memory and the booster trains on that device, they stay there.
 */
KAURI_API int XGBoosterTrainOneIter(BoosterHandle handle, DMatrixHandle dtrain, int iter, char const* grad,
                                    char const* hess);
/**
 * One round whose trees grow on some gradients and hessians, [n_rows] or [n_rows, 1 to n_outputs], and have the values
 * of their leaves from others, [n_rows, n_outputs]: structure found cheaply, or on purpose from less than all outputs.
 * Statistics and base weights of nodes are those of the first. Where rows are drawn, both count the same rows, and by
 * the size of the first if by that of gradients. The leaves' values are computed in host memory, with device=cuda, too.
 * Errors: other trees than those of multi_strategy=multi_output_tree and tree_method=hist, monotone constraints,
 * shapes.
 */
KAURI_API int XGBoosterTrainOneIterWithSplitGrad(BoosterHandle handle, DMatrixHandle dtrain, int iter,
                                                 char const* split_grad, char const* split_hess, char const* grad,
                                                 char const* hess);
/** Every metric on every data set: "[iter]\tname-metric:value\t..." with 17 decimals. */
KAURI_API int XGBoosterEvalOneIter(BoosterHandle handle, int iter, DMatrixHandle dmats[], char const* evnames[],
                                   bst_ulong len, char const** out_result);
/**
 * 1 when larger values of `metric` (as XGBoosterEvalOneIter prints it) are better, else 0. Smaller values of a metric
 * that is not built in are better, whatever its name begins with.
 */
KAURI_API int KauriBoosterHigherIsBetter(BoosterHandle handle, char const* metric, int* out);
/** Fails where a metric of the booster orders the rows of queries (ndcg, map, pre) and `data` have no queries. */
KAURI_API int KauriBoosterRequireQueries(BoosterHandle handle, DMatrixHandle data);
/** 1 when `metric` is the name of a built-in metric, with or without an argument behind '@', else 0. */
KAURI_API int KauriBoosterKnowsMetric(BoosterHandle handle, char const* metric, int* out);
/**
 * Every metric on labelled rows, with the interval that holds 95 % of its values on rows (whole queries, where there
 * are some) that are drawn anew with replacement.
 * config: {"n_resamples": 200, "seed": 0}; 0 resamples: no intervals. `out`: a JSON list of
 * {"name": ..., "value": ..., "low": ..., "high": ...}, in the order of XGBoosterEvalOneIter; null for what is no
 * finite number.
 */
KAURI_API int KauriBoosterEvaluateWithIntervals(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                                char const** out);

/* ---- Boosters: prediction --------------------------------------------------------------------------------------- */

/**
 * `config`, all required: {"type": 0 value, 1 margin, 2 contributions, 3 approximate contributions, 4 interactions,
 * 5 approximate interactions, 6 leaves, and Kauri's own 100 Banzhaf values, 101 Shapley-Taylor interactions;
 * "training": bool; "iteration_begin", "iteration_end": rounds [begin, end), end 0 = all; "strict_shape": bool}.
 * *out_result: row-major float32, shape *out_shape [*out_dim]. With K outputs, F features, R rounds, P parallel trees:
 * value and margin [n] or [n, K] (strict [n, K]; multi:softmax values are classes, [n, 1]), contributions [n, F + 1] or
 * [n, K, F + 1] (strict with K), interactions the same with [F + 1, F + 1], leaves [n, R * K * P] (strict
 * [n, R, K, P]). The last contribution is the bias. Banzhaf values have the shape of contributions, Taylor interactions
 * that of interactions. Optional "validate_features": false leaves out the comparison of names and takes fewer columns
 * than the model has. Errors: columns that do not fit (see KauriBoosterCheckColumns).
 */
KAURI_API int XGBoosterPredictFromDMatrix(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                          bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result);
/**
 * The same on the caller's rows without a DMatrix. `config`: "missing" is required besides, "training" is not;
 * optional "feature_types" and "feature_names": those of the columns, as in XGDMatrixSetStrFeatureInfo. `m`: null, or
 * a DMatrix or proxy whose base_margin is used. Among columns a categorical one may name only the categories that its
 * rows have. It is a list of three then, the third an array interface of the number of each name among all of the
 * column's categories; a model that has no names for the column goes by these numbers.
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
 * The same on rows in device memory: a CUDA array interface [n_rows, n_cols], or a JSON list of them. *out_result is an
 * address in the memory of the rows' device, ready to be read on any stream. Values (but for multi:softmax), margins
 * and leaves are computed there when that device is the booster's or one of them, from float32 arrays with NaN for
 * missing without a copy; everything else is computed from a copy of the rows in host memory.
 */
KAURI_API int XGBoosterPredictFromCudaArray(BoosterHandle handle, char const* values, char const* config,
                                            DMatrixHandle m, bst_ulong const** out_shape, bst_ulong* out_dim,
                                            float const** out_result);
KAURI_API int XGBoosterPredictFromCudaColumnar(BoosterHandle handle, char const* values, char const* config,
                                               DMatrixHandle m, bst_ulong const** out_shape, bst_ulong* out_dim,
                                               float const** out_result);
/**
 * The call of older clients. `option_mask`: 0 value, 1 margin, 2 leaves, 4 contributions, 16 interactions, and 8
 * besides for approximate ones. `ntree_limit`: trees of one output, of whole rounds; 0: all. *out_result: *out_len
 * numbers as XGBoosterPredictFromDMatrix returns them.
 */
KAURI_API int XGBoosterPredict(BoosterHandle handle, DMatrixHandle dmat, int option_mask, unsigned ntree_limit,
                               int training, bst_ulong* out_len, float const** out_result);
/**
 * As XGBoosterPredictFromDMatrix for a DMatrix in device memory, with *out_result there too.
 * Errors: the DMatrix is in host memory.
 */
KAURI_API int KauriBoosterPredictOnDevice(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                          bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result);
/**
 * Takes the calling thread's last prediction in device memory from the booster, so that its address stays valid until
 * KauriDeviceArrayFree, beyond the booster's life. Work on it must be done by then, unless it is on a default stream.
 */
KAURI_API int KauriBoosterTakePrediction(BoosterHandle handle, KauriDeviceArrayHandle* out);
/** `out`: the CUDA array interface of its numbers as JSON, a vector; the handle's. Nothing is to be waited for. */
KAURI_API int KauriDeviceArrayDescribe(KauriDeviceArrayHandle handle, char const** out);
/** Copies all its numbers to host memory: float of predictions, int64_t of KauriShuffleOnDevice. */
KAURI_API int KauriDeviceArrayToHost(KauriDeviceArrayHandle handle, void* out);
/** Ends the life of such an array. */
KAURI_API int KauriDeviceArrayFree(KauriDeviceArrayHandle handle);

/**
 * Explanations with a choice of what is returned; memory is that of the result and of a tile of rows. `config`:
 * {"type": 2, 3, 4, 5, 100 or 101 as in XGBoosterPredictFromDMatrix; "iteration_begin", "iteration_end", "strict_shape"
 * as there; optional "features": numbers of the features whose columns (for pairs: rows and columns) are returned, in
 * this order, the bias last, [] = all; optional "reduce": "none", or "mean_abs": the mean over the rows of the absolute
 * values, whose shape lacks the axis of rows}. The base_margin of `dmat` is used. `background`: null; or a DMatrix of
 * at least one row, for type 2 alone: interventional contributions, where the bias is the mean margin of its rows and
 * no cover of the model is used. *out_result: row-major float32 in host memory, shape *out_shape [*out_dim]. Errors:
 * another type, a feature that is not there or there twice, no rows to take the mean of, an empty background.
 */
KAURI_API int KauriBoosterExplain(BoosterHandle handle, DMatrixHandle dmat, DMatrixHandle background,
                                  char const* config, bst_ulong const** out_shape, bst_ulong* out_dim,
                                  float const** out_result);
/**
 * Shapley values of trees by sampled coalitions against a background, which exact methods know on the scale of margins
 * alone. `config`: {"output": "margin", "value": what XGBoosterPredictFromDMatrix of type 0 predicts, or "loss": of
 * each row, as the objective's own metric has it, for which `dmat` must have labels; "method", "n_orders", "max_evals",
 * "tolerance", "seed" as for KauriShapleyValues; "iteration_begin", "iteration_end"; optional "players" as for
 * KauriExplainFunction, [] = a player for each feature}. Nothing is used of the model's covers; the base_margin of
 * `dmat` is. Computed on the CPU. *out_values, *out_errors: [n_rows, n_outputs, n_players + 1], the shape in *out_shape
 * [*out_dim]; the bias, the background's mean, is last, and has error 0. out_n_evals: [n_rows], the caller's.
 * *out_method: static. Errors: an empty background; models of gblinear; metrics that are no mean over rows; "loss"
 * without labels.
 */
KAURI_API int KauriBoosterExplainSampled(BoosterHandle handle, DMatrixHandle dmat, DMatrixHandle background,
                                         char const* config, bst_ulong const** out_shape, bst_ulong* out_dim,
                                         double const** out_values, double const** out_errors, bst_ulong* out_n_evals,
                                         char const** out_method);
/**
 * Takes the calling thread's last explanation in host memory (KauriBoosterExplain; XGBoosterPredictFromDMatrix of types
 * 2 to 5 and from 100 on) from the booster without copying it: its address stays valid until KauriHostArrayFree, beyond
 * the booster's life, and its numbers may be changed. Errors: there is none, or it was taken.
 */
KAURI_API int KauriBoosterTakeExplanation(BoosterHandle handle, KauriHostArrayHandle* out);
/** The booster keeps the memory for its next explanation, in place of what it has kept before. */
KAURI_API int KauriHostArrayFree(KauriHostArrayHandle handle);
/**
 * Interactions (type 4) without the pairs that no tree makes interact: cells (first, second) of the matrices' upper
 * triangles, where the feature after the last is the bias. `config`: {"iteration_begin", "iteration_end" as above;
 * "top_k": 0 for all cells, diagonal and bias included, by (first, second); else so many of those beside the diagonal,
 * largest absolute value first}. Those of row r and output k are the entries from out_begin[r * K + k] up to
 * out_begin[r * K + k + 1], *out_n_outputs being K; out_begin has n_rows * K + 1 numbers.
 */
KAURI_API int KauriBoosterExplainSparse(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                        bst_ulong* out_n_outputs, int64_t const** out_begin, uint32_t const** out_first,
                                        uint32_t const** out_second, float const** out_values);

/**
 * Counts for every node of every tree how many rows of `dmat` reach it, whatever their weights; counts of an earlier
 * call are replaced. shap_cover=count explains with them, and model files keep them, as an attribute that other
 * libraries pass over.
 */
KAURI_API int KauriBoosterCountRows(BoosterHandle handle, DMatrixHandle dmat);

/**
 * Gives the model a receipt, the attribute kauri_receipt, which its files keep: checksums of its data, its parameters
 * and its bytes. `dmat`: what it was learnt from, labels and weights included. It takes one more training, which proves
 * the receipt. Error of kind KAURI_ERROR_MODEL: that gives another model, as of one that was loaded or continued, or
 * has an objective of the caller's own.
 */
KAURI_API int KauriBoosterAddReceipt(BoosterHandle handle, DMatrixHandle dmat);
/**
 * Learns the model again by its receipt, with the threads and on the device of this booster, and compares bytes. The
 * strings say what does not hold; none: it is what is learnt from these rows. Error of kind KAURI_ERROR_MODEL: there is
 * no receipt, or a damaged one.
 */
KAURI_API int KauriBoosterVerify(BoosterHandle handle, DMatrixHandle dmat, bst_ulong* out_len, char const*** out);

/* ---- Boosters: files, attributes, inspection -------------------------------------------------------------------- */

/**
 * A model file, XGBoost's JSON or UBJSON of any version since 1.0. It replaces the model. Parameters that were set
 * stay, as do those that are set later: they take the place of what the file says, and the log has a line where that is
 * another objective or booster. What nobody sets is the file's: objective with its parameters, booster (of a Kauri file
 * adaboost, too), num_parallel_tree. The base score of a model that has rounds is the file's; one that is set later
 * holds from the next round on. Parameters that do not fit the model (another number of classes, a linear booster for
 * trees) are an error, which leaves the booster as it was.
 */
KAURI_API int XGBoosterLoadModel(BoosterHandle handle, char const* fname);
/** Extension .json or .ubj decides the format. Replaces the file only once it is complete. */
KAURI_API int XGBoosterSaveModel(BoosterHandle handle, char const* fname);
/**
 * The same in the file layout that `config` names: {"dialect": "1.7", "2.1", "3.0", "3.2" or "3.4", the version of
 * XGBoost that reads such files, as later ones do}; {}: that of 3.2, and what only later ones know as well. Errors: the
 * model has what that version has no words for (vector leaves, linear leaves, encoded categories, names, ...); the
 * message names it and the first dialect that can say it. What training needs and predictions do not is left out.
 */
KAURI_API int KauriBoosterSaveModel(BoosterHandle handle, char const* fname, char const* config);
/** As XGBoosterLoadModel, from the `len` bytes of such a file; the bytes tell which form it is. */
KAURI_API int XGBoosterLoadModelFromBuffer(BoosterHandle handle, void const* buf, bst_ulong len);
/** `config`: {"format": "json" or "ubj"; optional "dialect" as above}. */
KAURI_API int XGBoosterSaveModelToBuffer(BoosterHandle handle, char const* config, bst_ulong* out_len,
                                         char const** out_dptr);
/** Model and parameters, for a copy of the booster in another process of the same version. */
KAURI_API int XGBoosterSerializeToBuffer(BoosterHandle handle, bst_ulong* out_len, char const** out_dptr);
KAURI_API int XGBoosterUnserializeFromBuffer(BoosterHandle handle, void const* buf, bst_ulong len);
/** The parameters in effect, as JSON. */
KAURI_API int XGBoosterSaveJsonConfig(BoosterHandle handle, bst_ulong* out_len, char const** out_str);
KAURI_API int XGBoosterLoadJsonConfig(BoosterHandle handle, char const* config);

/**
 * One text per tree. fmap: a file with a line "index name type" per feature, or "" for the booster's own names.
 * format: text, json or dot, or one of them and options, as dot:{"graph_attrs": {"rankdir": "LR"}}; DumpModel writes
 * text. The options {"labels": {"categories": "names"}} show the names of categories in place of their numbers.
 */
KAURI_API int XGBoosterDumpModel(BoosterHandle handle, char const* fmap, int with_stats, bst_ulong* out_len,
                                 char const*** out_dump_array);
KAURI_API int XGBoosterDumpModelEx(BoosterHandle handle, char const* fmap, int with_stats, char const* format,
                                   bst_ulong* out_len, char const*** out_dump_array);
/** The same with `fnum` names and types given here. */
KAURI_API int XGBoosterDumpModelWithFeatures(BoosterHandle handle, int fnum, char const** fname, char const** ftype,
                                             int with_stats, bst_ulong* out_len, char const*** out_models);
KAURI_API int XGBoosterDumpModelExWithFeatures(BoosterHandle handle, int fnum, char const** fname, char const** ftype,
                                               int with_stats, char const* format, bst_ulong* out_len,
                                               char const*** out_models);

/** A string kept with the model; *success is 0 and *out null when there is none. */
KAURI_API int XGBoosterGetAttr(BoosterHandle handle, char const* key, char const** out, int* success);
/** A null value deletes. */
KAURI_API int XGBoosterSetAttr(BoosterHandle handle, char const* key, char const* value);
/** The keys of all attributes. */
KAURI_API int XGBoosterGetAttrNames(BoosterHandle handle, bst_ulong* out_len, char const*** out);
/**
 * As XGDMatrixSetStrFeatureInfo, for the names and types saved with the model. Before the first round they may be of
 * any number, which that round compares with its data.
 */
KAURI_API int XGBoosterSetStrFeatureInfo(BoosterHandle handle, char const* field, char const** features,
                                         bst_ulong size);
/**
 * An error of kind KAURI_ERROR_DATA unless the columns of `dmat` are those of the booster, as every training,
 * evaluation, prediction and explanation asks. Where both have names, these are the same in the same order. There are
 * as many as the model has; only of libsvm text, which tells no columns beyond its last value, they may be fewer.
 * Columns that hold categories in the one do so in the other. Those of a booster without rounds are the names that it
 * was given. Loaded in the place of XGBoost's library, names of rows to predict are left to the client, and all
 * data may have fewer columns.
 */
KAURI_API int KauriBoosterCheckColumns(BoosterHandle handle, DMatrixHandle dmat);
/** As XGDMatrixGetStrFeatureInfo. */
KAURI_API int XGBoosterGetStrFeatureInfo(BoosterHandle handle, char const* field, bst_ulong* len,
                                         char const*** out_features);
/**
 * Importance of features that splits use, in their order; of columns that only the model has last: combinations as
 * "a&b", shares of a class as "a@0", "a@1", ... `config`:
 * {"importance_type": "weight" (splits), "gain", "cover" (means), "total_gain", "total_cover"; "feature_map": optional
 * file; "feature_names": optional list}. *out_scores has *out_shape [*out_dim]; out_features: *out_n_features names.
 */
KAURI_API int XGBoosterFeatureScore(BoosterHandle handle, char const* config, bst_ulong* out_n_features,
                                    char const*** out_features, bst_ulong* out_dim, bst_ulong const** out_shape,
                                    float const** out_scores);

/* ---- Categories ------------------------------------------------------------------------------------------------- */

/**
 * A copy of the names of categories that a DMatrix or a booster knows, to be freed; null where there are none. `config`
 * is ignored. As an integer it is what "ref_categories" of columnar data may be.
 */
KAURI_API int XGDMatrixGetCategories(DMatrixHandle handle, char const* config, CategoriesHandle* out);
KAURI_API int XGBoosterGetCategories(BoosterHandle handle, char const* config, CategoriesHandle* out);
/**
 * The same, and the names as a JSON list, one element per feature: null without names, the array interface of integers,
 * or {"offsets": .., "values": ..} of texts, both array interfaces, as in Arrow. Null where there are none. The
 * document and the arrays live as long as *out.
 */
KAURI_API int XGDMatrixGetCategoriesExportToArrow(DMatrixHandle handle, char const* config, CategoriesHandle* out,
                                                  char const** export_out);
KAURI_API int XGBoosterGetCategoriesExportToArrow(BoosterHandle handle, char const* config, CategoriesHandle* out,
                                                  char const** export_out);
/** Frees what the getters return; null is fine. */
KAURI_API int XGBCategoriesFree(CategoriesHandle handle);

/* ---- Processes -------------------------------------------------------------------------------------------------- */
/*
 * This version trains in one process. Clients that ask find that one: rank 0 of 1. These three return it, not a status;
 * the last is 1 in a thread between XGCommunicatorInit with what a tracker says and XGCommunicatorFinalize.
 */

KAURI_API int XGCommunicatorGetRank(void);
KAURI_API int XGCommunicatorGetWorldSize(void);
KAURI_API int XGCommunicatorIsDistributed(void);
/** `config`: {}, or what XGTrackerWorkerArgs says. Errors: another tracker's address, federated learning. */
KAURI_API int XGCommunicatorInit(char const* config);
/** Ends what XGCommunicatorInit began. */
KAURI_API int XGCommunicatorFinalize(void);
/** Tells the other processes of an error; there is none. */
KAURI_API int XGCommunicatorSignalError(void);
/** Writes to the log. */
KAURI_API int XGCommunicatorPrint(char const* message);
/** The host's name, valid until the thread's next call. */
KAURI_API int XGCommunicatorGetProcessorName(char const** name_str);
/** With one process, what is there stays as it is. Errors: root is not 0. */
KAURI_API int XGCommunicatorBroadcast(void* buffer, size_t size, int root);
KAURI_API int XGCommunicatorAllreduce(void* buffer, size_t count, int data_type, int op);
KAURI_API int XGCommunicatorAllgather(void* buffer, size_t count);
/**
 * The tracker of one worker: it brings nobody together, so it opens no port and nothing waits for it. `config`:
 * {"n_workers": 1, "host": name, "port": number}; the last two may be left out and are what the worker is told. Errors:
 * more workers, federated learning ("dmlc_communicator": "federated").
 */
KAURI_API int XGTrackerCreate(char const* config, TrackerHandle* handle);
/** `args`: JSON for XGCommunicatorInit of the worker, valid until the thread's next call on the handle. */
KAURI_API int XGTrackerWorkerArgs(TrackerHandle handle, char const** args);
/** `config` of both may be null. Errors: to wait for a tracker that does not run. */
KAURI_API int XGTrackerRun(TrackerHandle handle, char const* config);
KAURI_API int XGTrackerWaitFor(TrackerHandle handle, char const* config);
KAURI_API int XGTrackerFree(TrackerHandle handle);

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */
/*
 * Processes, or threads, that learn one model together, each from some of the rows. The library has no network of its
 * own: whoever brings the ranks together gives it a few functions to talk through. The model, its evaluations and its
 * bytes are those of one process with all rows, for any number of ranks and any partition of the rows.
 *
 * Every rank makes the same calls with the same parameters: XGBoosterUpdateOneIter, XGBoosterBoostOneIter,
 * XGBoosterEvalOneIter and the making of matrices of bins. Predictions are of the rank's own rows and need nobody.
 */

/** One rank of a group. */
typedef void* KauriCollectiveHandle;

/**
 * How the ranks of a group talk. Every function but `error` and `abort` blocks until all ranks have called it, returns
 * 0, or something else if that failed: the group is dead then. No two run at the same time in one group.
 */
typedef struct KauriCollectiveCalls {
  /** sizeof(KauriCollectiveCalls), so that the table may grow. */
  size_t size;
  /** Each of `count` integers becomes its sum over the ranks, modulo 2^64. */
  int (*sum)(void* user, int64_t* values, uint64_t count);
  /** Each of `count` integers becomes its largest over the ranks. */
  int (*max)(void* user, uint64_t* values, uint64_t count);
  /**
   * all: the bytes of all ranks, one after the other; sizes: [n_ranks] how many each has, known to all. `mine` are this
   * rank's, and are not in `all` yet.
   */
  int (*gather)(void* user, void const* mine, uint64_t const* sizes, void* all);
  /** Makes calls of all ranks fail, those that wait as well; from any thread. May be null: they wait for their time. */
  void (*abort)(void* user, char const* why);
  /** Why a call failed, valid until the next. May be null. */
  char const* (*error)(void* user);
  /**
   * As `sum`, but only values[begins[rank]] to values[begins[rank + 1] - 1] need to be sums; the others may become
   * anything. begins: [n_ranks + 1], the same on all ranks. May be null, or left out of a table of the size without
   * it: `sum` is called then.
   */
  int (*sum_parts)(void* user, int64_t* values, uint64_t const* begins);
} KauriCollectiveCalls;

/** This process, or thread, as one rank of n_ranks. `calls` is copied; `user` is handed to each of them. */
KAURI_API int KauriCollectiveCreate(KauriCollectiveCalls const* calls, void* user, int rank, int n_ranks,
                                    KauriCollectiveHandle* out);
/** The functions are called no more once boosters that use it are freed, or have another. */
KAURI_API int KauriCollectiveFree(KauriCollectiveHandle handle);
/**
 * Rounds and evaluations of this booster are those of a group from now on; null: of this process alone. Each DMatrix
 * must say which rows it has: XGDMatrixSetInfoFromInterface of "global_rows", integers [n_ranges, 2], the first row of
 * each range of consecutive rows among those of all ranks, and their number.
 */
KAURI_API int KauriBoosterSetCollective(BoosterHandle handle, KauriCollectiveHandle collective);
/**
 * For the end of a training, after its last round. In a group every rank calls it before the booster leaves the group:
 * the ranks compare digests of what they have learnt, which costs one call of a few bytes. Error of kind
 * KAURI_ERROR_COLLECTIVE, on all ranks: it names those that have another model. Where process_type=update has not given
 * a model all of its rounds back, the log has a line.
 */
KAURI_API int KauriBoosterEndTraining(BoosterHandle handle);
/**
 * For whoever sends sums over a wire: `count` integers in as few bytes as they need, a third of their own or less where
 * they are a histogram's. packed: room for 9 * count + 16 bytes. n_bytes: how many were written.
 */
KAURI_API int KauriPackIntegers(int64_t const* values, uint64_t count, void* packed, uint64_t* n_bytes);
/**
 * The integers that were packed: in place of `values` where `add` is 0, else added to them modulo 2^64. count: of those
 * that were packed. Errors: bytes that are no packed integers, or those of another number; `values` are anything then.
 */
KAURI_API int KauriUnpackIntegers(void const* packed, uint64_t n_bytes, int add, int64_t* values, uint64_t count);
/** As XGQuantileDMatrixCreateFromCallback, with the bins of all ranks' rows. */
KAURI_API int KauriQuantileDMatrixCreate(KauriCollectiveHandle collective, DataIterHandle iter, DMatrixHandle proxy,
                                         DataIterHandle ref, DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                                         char const* config, DMatrixHandle* out);

#endif /* KAURI_C_API_H_ */
