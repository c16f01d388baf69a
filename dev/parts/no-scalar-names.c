// In place of the Swift library's function, which has 0.6 MB of tables: the names of Unicode's characters, which the program does not
// use. `Unicode.Scalar.Properties.name` is nil.
#include <stdint.h>

intptr_t _swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

intptr_t _swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) { return 0; }
