/**
 * Kauri in WebAssembly: trains, predicts and explains in a page or under Node.js, in the thread that calls.
 *
 *     import { load } from './kauri.mjs';
 *     const kauri = await load();
 *     const model = kauri.train({ objective: 'binary:logistic' }, [[1, 2], [3, null]], [0, 1], 10);
 *     model.predict([[1, 2]]);  // { values: Float32Array, shape: [1] }
 *
 * A table is an array of rows, in which null is a missing value, or { values, shape: [rows, columns] } with a
 * Float32Array, in which NaN is one. `kauri.c` has the functions of the C interface under their names.
 */

/** An error of the library, with its message. */
export class KauriError extends Error {}

/** Whatever the library is asked for: numbers of `type` in XGBoosterPredictFromDMatrix. */
const KINDS = { value: 0, margin: 1, shap: 2, interactions: 4, leaf: 6 };
const NOT_SUPPORTED = 52; // WASI's ENOSYS
const BAD_FILE = 8; // WASI's EBADF: ends its search for folders that the module may open

/**
 * Loads kauri.wasm. source: its bytes, a compiled WebAssembly.Module or its URL; the file beside this one by default.
 */
export async function load(source = new URL('kauri.wasm', import.meta.url)) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(await bytesOf(source));
  const system = new System();
  const instance = await WebAssembly.instantiate(module, system.importsOf(module));
  system.memory = instance.exports.memory;
  instance.exports._initialize();
  return new Kauri(instance.exports);
}

async function bytesOf(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  const url = new URL(source, import.meta.url);
  if (url.protocol === 'file:') return (await import('node:fs/promises')).readFile(url);
  const answer = await fetch(url);
  if (!answer.ok) throw new KauriError(`${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** What the module asks of the system: a clock, random bytes, and text for the console. There are no files. */
class System {
  importsOf(module) {
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = this[name]?.bind(this) ?? (() => NOT_SUPPORTED);
    }
    return imports;
  }

  view() {
    return new DataView(this.memory.buffer);
  }

  clock_time_get(clock, _precision, out) {
    const now = clock === 0 ? Date.now() : performance.now();
    this.view().setBigUint64(out, BigInt(Math.round(now * 1e6)), true);
    return 0;
  }

  random_get(to, size) {
    crypto.getRandomValues(new Uint8Array(this.memory.buffer, to, size));
    return 0;
  }

  fd_write(_file, parts, count, written) {
    let text = '';
    let size = 0;
    for (let i = 0; i < count; ++i) {
      const at = this.view().getUint32(parts + 8 * i, true);
      const length = this.view().getUint32(parts + 8 * i + 4, true);
      text += new TextDecoder().decode(new Uint8Array(this.memory.buffer, at, length));
      size += length;
    }
    console.error(text);
    this.view().setUint32(written, size, true);
    return 0;
  }

  environ_sizes_get(count, size) {
    this.view().setUint32(count, 0, true);
    this.view().setUint32(size, 0, true);
    return 0;
  }

  environ_get() {
    return 0;
  }

  fd_prestat_get() {
    return BAD_FILE;
  }

  proc_exit(code) {
    throw new KauriError(`the module ended itself with status ${code}; load it again.`);
  }
}

/** Memory of the module for the arguments of a call, freed at its end. */
class Arguments {
  constructor(c) {
    this.c = c;
    this.blocks = [];
  }

  free() {
    for (const block of this.blocks) this.c.free(block);
  }

  space(size) {
    const block = this.c.malloc(Math.max(size, 1));
    if (block === 0) throw new KauriError(`there is no memory for ${size} bytes; free models and tables.`);
    this.blocks.push(block);
    return block;
  }

  bytes(values) {
    const block = this.space(values.byteLength);
    new Uint8Array(this.c.memory.buffer).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), block);
    return block;
  }

  text(value) {
    return this.bytes(new TextEncoder().encode(`${value}\0`));
  }

  texts(values) {
    return this.bytes(Uint32Array.from(values, (value) => this.text(value)));
  }

  floats(values) {
    if (values instanceof Float32Array) return this.bytes(values);
    return this.bytes(Float32Array.from(values, (value) => (value === null || value === undefined ? NaN : value)));
  }
}

/** The library. */
class Kauri {
  constructor(c) {
    this.c = c;
    this.version = this.textAt(c.KauriVersion());
  }

  /**
   * Trains a model in some rounds. params: as in every interface, e.g. { max_depth: 3 }. options: weights, featureNames,
   * featureTypes ('float', 'int', 'i' or 'c', one a column), and onRound(round, evaluation), a function that is told the
   * metrics on the training data after each round and stops the training by returning false.
   */
  train(params, table, labels, rounds, options = {}) {
    return this.withTable(table, options, (data) => {
      this.setFloats(data, 'label', labels);
      if (options.weights) this.setFloats(data, 'weight', options.weights);
      const model = new Model(this, [data]);
      try {
        model.setParams({ validate_parameters: true, ...params });
        for (let round = 0; round < rounds; ++round) {
          this.call('XGBoosterUpdateOneIter', model.handle, round, data);
          if (options.onRound && options.onRound(round, model.evaluate(round, data)) === false) break;
        }
        return model;
      } catch (problem) {
        model.free();
        throw problem;
      }
    });
  }

  /** Opens a model that model.save(), or any other interface of Kauri or XGBoost, has saved. */
  open(bytes) {
    const model = new Model(this, []);
    try {
      this.with((args) => {
        this.call('XGBoosterLoadModelFromBuffer', model.handle, args.bytes(bytes), BigInt(bytes.byteLength));
      });
      return model;
    } catch (problem) {
      model.free();
      throw problem;
    }
  }

  /** Calls a function of the C interface. Throws a KauriError with its message if it fails. */
  call(name, ...values) {
    if (this.c[name](...values) !== 0) throw new KauriError(this.textAt(this.c.XGBGetLastError()));
  }

  /** Calls use(args) with memory for arguments. */
  with(use) {
    const args = new Arguments(this.c);
    try {
      return use(args);
    } finally {
      args.free();
    }
  }

  /** Calls use(data) with the handle of a matrix that has the table's values. */
  withTable(table, { featureNames, featureTypes }, use) {
    const isArray = Array.isArray(table);
    const [rows, columns] = isArray ? [table.length, table[0]?.length ?? 0] : table.shape;
    const values = isArray ? table.flat() : table.values;
    if (values.length !== rows * columns) {
      throw new KauriError(`a table of ${rows} rows and ${columns} columns has ${values.length} values.`);
    }
    const data = this.with((args) => {
      const out = args.space(4);
      const at = args.floats(values);
      this.call('XGDMatrixCreateFromMat', at, BigInt(rows), BigInt(columns), NaN, out);
      return this.wordAt(out);
    });
    try {
      if (featureNames) this.setTexts(data, 'feature_name', featureNames);
      if (featureTypes) this.setTexts(data, 'feature_type', featureTypes);
      return use(data);
    } finally {
      this.c.XGDMatrixFree(data);
    }
  }

  setFloats(data, field, values) {
    this.with((args) => {
      this.call('XGDMatrixSetFloatInfo', data, args.text(field), args.floats(values), BigInt(values.length));
    });
  }

  setTexts(data, field, values) {
    this.with((args) => {
      const at = args.texts(values);
      this.call('XGDMatrixSetStrFeatureInfo', data, args.text(field), at, BigInt(values.length));
    });
  }

  wordAt(address) {
    return new DataView(this.c.memory.buffer).getUint32(address, true);
  }

  longAt(address) {
    return Number(new DataView(this.c.memory.buffer).getBigUint64(address, true));
  }

  textAt(address) {
    const bytes = new Uint8Array(this.c.memory.buffer, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }
}

/** A model. Its memory is the module's: free() gives it back. */
class Model {
  constructor(kauri, datasets) {
    this.kauri = kauri;
    this.handle = kauri.with((args) => {
      const out = args.space(4);
      kauri.call('XGBoosterCreate', args.bytes(Uint32Array.from(datasets)), BigInt(datasets.length), out);
      return kauri.wordAt(out);
    });
  }

  /** Sets parameters. */
  setParams(params) {
    for (const [name, value] of Object.entries(params)) {
      const text = typeof value === 'object' ? JSON.stringify(value) : value;
      this.kauri.with((args) => this.kauri.call('XGBoosterSetParam', this.handle, args.text(name), args.text(text)));
    }
  }

  /** The metrics on a matrix, as { rmse: 0.5 }. */
  evaluate(round, data) {
    const text = this.kauri.with((args) => {
      const out = args.space(4);
      const handles = args.bytes(Uint32Array.of(data));
      this.kauri.call('XGBoosterEvalOneIter', this.handle, round, handles, args.texts(['train']), 1n, out);
      return this.kauri.textAt(this.kauri.wordAt(out));
    });
    const metrics = text.split('\t').slice(1);
    return Object.fromEntries(metrics.map((each) => each.replace('train-', '').split(/:(?=[^:]*$)/)).map(toNumber));
  }

  /** What the model predicts for a table: kind 'value', or 'margin' or 'leaf'. */
  predict(table, kind = 'value') {
    const names = this.featureInfo('feature_name');
    const types = this.featureInfo('feature_type');
    return this.kauri.withTable(table, { featureNames: names, featureTypes: types }, (data) => this.ask(data, kind));
  }

  /** Exact SHAP values of the margin: one of each column, and behind them the bias, for every row and output. */
  shap(table) {
    return this.predict(table, 'shap');
  }

  /** Exact SHAP interaction values. */
  interactions(table) {
    return this.predict(table, 'interactions');
  }

  ask(data, kind) {
    if (!(kind in KINDS)) throw new KauriError(`kind is '${kind}'; expected one of ${Object.keys(KINDS).join(', ')}.`);
    const config = { type: KINDS[kind], training: false, iteration_begin: 0, iteration_end: 0, strict_shape: false };
    return this.kauri.with((args) => {
      const out = args.space(24);
      const text = args.text(JSON.stringify(config));
      this.kauri.call('XGBoosterPredictFromDMatrix', this.handle, data, text, out, out + 8, out + 16);
      const shape = [];
      for (let i = 0; i < this.kauri.longAt(out + 8); ++i) shape.push(this.kauri.longAt(this.kauri.wordAt(out) + 8 * i));
      const count = shape.reduce((product, size) => product * size, 1);
      const values = new Float32Array(this.kauri.c.memory.buffer, this.kauri.wordAt(out + 16), count).slice();
      return { values, shape };
    });
  }

  /** The names or types of the columns; undefined if the model has none. */
  featureInfo(field) {
    return this.kauri.with((args) => {
      const out = args.space(16);
      this.kauri.call('XGBoosterGetStrFeatureInfo', this.handle, args.text(field), out, out + 8);
      const at = this.kauri.wordAt(out + 8);
      const found = Array.from({ length: this.kauri.longAt(out) }, (_, i) => this.kauri.textAt(this.kauri.wordAt(at + 4 * i)));
      return found.length ? found : undefined;
    });
  }

  /** The model as the bytes of a file: format 'ubj' or 'json'. */
  save(format = 'ubj') {
    return this.kauri.with((args) => {
      const out = args.space(16);
      this.kauri.call('XGBoosterSaveModelToBuffer', this.handle, args.text(JSON.stringify({ format })), out, out + 8);
      return new Uint8Array(this.kauri.c.memory.buffer, this.kauri.wordAt(out + 8), this.kauri.longAt(out)).slice();
    });
  }

  /** Gives the model's memory back. */
  free() {
    this.kauri.c.XGBoosterFree(this.handle);
    this.handle = 0;
  }
}

function toNumber([name, value]) {
  return [name, Number(value)];
}
