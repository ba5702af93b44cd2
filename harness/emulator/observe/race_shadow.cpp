#include "emulator/observe/race_shadow.hpp"

#include <algorithm>
#include <utility>

#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator::races {

/// Splits a line's epoch into one for each word or byte, or each word's epoch into one for each
/// byte.
Epoch* Detector::make_cells(ShadowLine& line, bool by_byte) {
    if (line.cells == nullptr) {
        const u32 shift = (line.all.what & shift_mask) >> shift_at;
        const bool empty = line.all.time <= floor_;
        const auto epoch_of = [&](u32 k) {
            Epoch e;
            if (empty) return e;
            e = line.all;
            e.what &= ~shift_mask;
            if ((e.what & level_mask) != of_many) e.who += k >> shift;
            return e;
        };
        line.by_byte = by_byte;
        if (by_byte) {
            line.cells = bytes_.take()->epoch.data();
            for (u32 k = 0; k < line_bytes; ++k) line.cells[k] = epoch_of(k / 4);
        } else {
            line.cells = words_.take()->epoch.data();
            for (u32 k = 0; k < line_words; ++k) line.cells[k] = epoch_of(k);
        }
        return line.cells;
    }
    const Epoch* from = line.cells;
    Epoch* to = bytes_.take()->epoch.data();
    for (u32 k = 0; k < line_bytes; ++k) to[k] = from[k / 4];
    give(line);
    line.by_byte = true;
    line.cells = to;
    return to;
}

/// Forgets what is known of the words or bytes.
void Detector::give(ShadowLine& line) {
    if (line.cells == nullptr) return;
    // Cells have nothing but their epochs, so both have one address.
    if (line.by_byte)
        bytes_.give(reinterpret_cast<Cells<line_bytes>*>(line.cells));
    else
        words_.give(reinterpret_cast<Cells<line_words>*>(line.cells));
    line.by_byte = false;
    line.cells = nullptr;
    line.all.time = 0;
}

bool Detector::cells_settled(const Now& n, const ShadowLine& line) {
    const auto settled = [&](const Epoch& e) { return is_settled(n, e); };
    return std::all_of(line.cells, line.cells + (line.by_byte ? line_bytes : line_words), settled);
}

/// An epoch for two reads of one block that nothing orders. Of two instructions it names the first:
/// the second is often the writer's own.
Epoch Detector::of_both(const Epoch& e, const Epoch& mine) const {
    const bool one_warp = (e.who ^ mine.who) < lanes && (e.what & level_mask) != of_block &&
                          (mine.what & level_mask) != of_block;
    Epoch result = (e.what & code_mask) == (mine.what & code_mask) ? mine : e;
    result.time = std::max(e.time, mine.time);
    result.what &= ~(is_strong | level_mask);
    result.what |= (e.what & mine.what & is_strong) | ((e.what | mine.what) & is_narrow) |
                   (one_warp ? of_warp : of_block);
    return result;
}

Epoch Detector::last_write(const Now& n, u64 address) {
    const ShadowLine& line = line_at(n, address).write;
    const u32 offset = address & (line_bytes - 1);
    if (line.cells != nullptr) return line.cells[line.by_byte ? offset : offset / 4];
    Epoch e = line.all;
    e.who += offset / 4 >> ((e.what & shift_mask) >> shift_at);
    return e;
}

}  // namespace cugrade::emulator::races
