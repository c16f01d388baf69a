// A package of ICU's data without an entry, in place of Foundation's, which has 34 MB: locales, calendars, scripts. What the program
// uses of Foundation needs none of it: case, comparing and normalising strings have tables in the code.
// Source: ICU 76, source/stubdata/stubdata.cpp, for the layout. dev/makers/release names the symbol and puts it into a copy of the library.
#include <stdint.h>

const struct {
    uint16_t header_size;
    uint8_t magic[2];
    struct {
        uint16_t size, reserved;
        uint8_t is_big_endian, charset_family, size_of_char, reserved_byte;
        char data_format[4];
        uint8_t format_version[4], data_version[4];
    } info;
    uint8_t padding[8];
    uint32_t entry_count, reserved;
} ICU_DATA __attribute__((aligned(16))) = {
    .header_size = 32,
    .magic = {0xDA, 0x27},
    .info = {.size = 20, .size_of_char = 2, .data_format = {'T', 'o', 'C', 'P'}, .format_version = {1, 0, 0, 0}},
};
