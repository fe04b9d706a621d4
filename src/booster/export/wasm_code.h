/// \file The code that an exported C file has for WebAssembly alone.
#pragma once

namespace kauri::model_export {

/// The end of the comment that begins with a sentence about the model.
constexpr char kWasmHead[] =
    "\n *\n * Source of a WebAssembly module without imports: clang --target=wasm32 -std=c99 -O2 -nostdlib\n"
    " * -ffp-contract=off -Wl,--no-entry -Wl,-z,stack-size=1048576. Tables are packed; the first call unpacks them.\n"
    " */\n";

/// Reads what BytePacker wrote (packed_bytes.h).
constexpr char kCUnpack[] = R"(
static const uint8_t *kauri_next; /* of kauri_packed */
static uint32_t kauri_low;
static uint32_t kauri_high;
static uint32_t kauri_code; /* lies in [kauri_low, kauri_high] */

static void kauri_start_unpacking(void) {
  int i;
  kauri_next = kauri_packed;
  kauri_low = 0;
  kauri_high = 0xFFFFFFFFU;
  for (i = 0; i < 4; ++i) kauri_code = kauri_code << 8 | *kauri_next++;
}

static uint32_t kauri_unpack_bit(uint16_t *probability) {
  const uint32_t range = kauri_high - kauri_low;
  const uint32_t p = *probability;
  const uint32_t middle = kauri_low + (range >> 16) * p + ((range & 0xFFFFU) * p >> 16);
  const uint32_t bit = kauri_code <= middle;
  if (bit) {
    kauri_high = middle;
    *probability = (uint16_t)(p + ((65536U - p) >> 5));
  } else {
    kauri_low = middle + 1;
    *probability = (uint16_t)(p - (p >> 5));
  }
  while ((kauri_low ^ kauri_high) < 1U << 24) {
    kauri_low <<= 8;
    kauri_high = kauri_high << 8 | 0xFFU;
    kauri_code = kauri_code << 8;
    if (kauri_next < kauri_packed + sizeof(kauri_packed)) kauri_code |= *kauri_next++;
  }
  return bit;
}

/* Fills a table of numbers of 1, 2 or 4 bytes. */
static void kauri_unpack_table(void *table, uint32_t count, uint32_t width) {
  static uint16_t probability[4 * 256];
  uint32_t i;
  for (i = 0; i < 4 * 256; ++i) probability[i] = 32768;
  for (i = 0; i < count; ++i) {
    uint32_t place = width;
    while (place-- > 0) {
      uint32_t byte = 1;
      while (byte < 256) byte = 2 * byte + kauri_unpack_bit(probability + 256 * place + byte);
      ((uint8_t *)table)[i * width + place] = (uint8_t)byte; /* WebAssembly stores the lowest byte first */
    }
  }
}
)";

constexpr char kCWasm[] = R"(
static float kauri_wasm_row[KAURI_COLUMNS];
static float kauri_wasm_result[KAURI_OUTPUTS + KAURI_VALUES];
__attribute__((export_name("row"))) float *kauri_wasm_row_address(void) { return kauri_wasm_row; }
__attribute__((export_name("result"))) float *kauri_wasm_result_address(void) { return kauri_wasm_result; }
__attribute__((export_name("margins"))) int kauri_wasm_margins(void) {
  kauri_unpack();
  return kauri_margins(kauri_wasm_row, kauri_wasm_result);
}
__attribute__((export_name("predict"))) int kauri_wasm_predict(void) {
  kauri_unpack();
  return kauri_predict(kauri_wasm_row, kauri_wasm_result);
}
__attribute__((export_name("test"))) int kauri_wasm_test(void) {
  kauri_unpack();
  return kauri_test();
}
)";

constexpr char kCWasmContributions[] = R"(
static double kauri_wasm_contributions[KAURI_OUTPUTS * (KAURI_COLUMNS + 1)];
__attribute__((export_name("explanation"))) double *kauri_wasm_explanation_address(void) {
  return kauri_wasm_contributions;
}
__attribute__((export_name("contributions"))) int kauri_wasm_explain(void) {
  kauri_unpack();
  return kauri_contributions(kauri_wasm_row, kauri_wasm_contributions);
}
)";

}  // namespace kauri::model_export
