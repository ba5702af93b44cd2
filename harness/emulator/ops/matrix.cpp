// Products of matrices by a warp: mma.
#include "emulator/ops/warp_level.hpp"

namespace cugrade::emulator {
namespace {

/// Adds the products of 8 rows of 16 bytes with 8 columns of 16 bytes to `sum`, row by row. Rows
/// and columns lie without gaps: four lanes hold a row, or a column, and the next four the next
/// one.
template <class A, class B>
void add_products(const std::byte* a, const std::byte* b, std::array<u32, 64>& sum) {
    constexpr std::size_t length = 16;
    std::array<A, 8 * length> rows;
    std::array<B, 8 * length> columns;
    std::memcpy(rows.data(), a, sizeof rows);
    std::memcpy(columns.data(), b, sizeof columns);
    for (std::size_t r = 0; r < 8; ++r)
        for (std::size_t c = 0; c < 8; ++c) {
            s32 product = 0;
            for (std::size_t k = 0; k < length; ++k)
                product += s32{rows[r * length + k]} * s32{columns[c * length + k]};
            sum[r * 8 + c] += static_cast<u32>(product);
        }
}

/// mma of bytes; the fragments are those of the PTX manual, section "Matrix Fragments for
/// mma.m16n8k32" and its siblings. aux: bit 0 two halves of 8 rows instead of one, bit 1 two halves
/// of 16 columns of a, bit 2 a is signed, bit 3 b is. At Ins::target: members, d, a, b, c.
void multiply_matrices(Warp& w, const Ins* i) {
    const u32 row_halves = 1 + (i->aux & 1), column_halves = 1 + (i->aux >> 1 & 1);
    const Operand* const d = &w.launch->program->lists[i->target + 1];
    const Operand* const a = d + std::size_t{2} * row_halves;
    const Operand* const b = a + std::size_t{row_halves} * column_halves;
    const Operand* const c = b + column_halves;
    const auto row = [&w](const Operand& o) { return w.bases[o.base] + o.offset; };
    std::array<std::array<u32, 64>, 2> sums;
    for (u32 h = 0; h < row_halves; ++h) {
        std::array<u32, 64>& sum = sums[h];
        for (u32 n = 0; n < 64; ++n) sum[n] = Row<u32>{row(c[2 * h + n % 2])}.get(n / 2);
        for (u32 k = 0; k < column_halves; ++k) {
            const auto add = [&]<class A, class B>(A, B) {
                add_products<A, B>(row(a[h + k * row_halves]), row(b[k]), sum);
            };
            switch (i->aux >> 2) {
                case 0: add(std::uint8_t{}, std::uint8_t{}); break;
                case 1: add(std::int8_t{}, std::uint8_t{}); break;
                case 2: add(std::uint8_t{}, std::int8_t{}); break;
                default: add(std::int8_t{}, std::int8_t{}); break;
            }
        }
    }
    // Write d last, because it may share rows with the operands.
    for (u32 h = 0; h < row_halves; ++h)
        for (u32 n = 0; n < 64; ++n)
            if (const Operand& to = d[2 * h + n % 2]; to.offset != no_row)
                Row<u32>{row(to)}.set(n / 2, sums[h][n]);
}

}  // namespace

const Ins* op::mma(Warp& w, const Ins* i) {
    return of_whole_warp<multiply_matrices>(w, i, "an mma");
}

}  // namespace cugrade::emulator
