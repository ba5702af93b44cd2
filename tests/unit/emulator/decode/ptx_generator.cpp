// How a program is made. Half of its registers are written by one instruction, as a compiler writes
// them, the others by several. Readers choose among all registers of a type, mostly among those
// that the text wrote last, so that values are read across branches, around loops, and before
// anything has written them (the emulated GPU then reads 0). Control is either structured, as from
// a compiler, or jumps at random between blocks. A counter that each block decrements ends all of
// it.
//
// Values are watched in three ways: a hash of registers in the middle, stores of registers in the
// middle, and a store of all registers, or of a few, at the end. A program that stores few shares
// more rows.
#include "ptx_generator.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace cugrade::emulator::test {
namespace {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15 + 1) {}
    std::uint32_t below(std::uint32_t n) {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t z = state_;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return static_cast<std::uint32_t>((z ^ z >> 31) >> 33) % n;
    }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    template <std::size_t N>
    const char* any(const char* const (&of)[N]) {
        return of[below(N)];
    }

private:
    std::uint64_t state_;
};

enum Kind : std::uint8_t { word, wide, half, single, twice, flag, kinds };
struct KindOf {
    const char *name, *type;
    std::uint32_t count;
};
constexpr KindOf kind_of[] = {{"%r", "b32", 14}, {"%rd", "b64", 10}, {"%rs", "b16", 6},
                              {"%f", "f32", 5},  {"%fd", "f64", 4},  {"%p", "pred", 6}};

/// One function's body.
class Body {
public:
    Body(Random& random, bool is_kernel, std::uint32_t functions)
        : random_(random), is_kernel_(is_kernel), functions_(functions) {
        for (std::size_t k = 0; k < kinds; ++k) {
            written_[k].assign(kind_of[k].count, 0);
            for (std::uint32_t n = 0; n < kind_of[k].count; ++n)
                once_[k].push_back(random_.chance(55));
        }
    }

    /// Of declarations, the code between entry and END, and what is stored at END.
    std::string text() {
        const std::uint32_t fuel = is_kernel_ ? 12 + random_.below(30) : 4 + random_.below(8);
        line("mov.b32 %hash, 1;");
        line("mov.b64 %hashd, 1;");
        line("mov.b32 %fuel, " + std::to_string(fuel) + ";");
        line("mov.u64 %local, mine;");
        statements(2 + random_.below(4));
        if (random_.chance(50))
            structured(3);
        else
            jumps();
        line("END:");
        return out_;
    }

    /// Stores each register, or one in some, 8 bytes each; returns how many words that takes.
    std::uint32_t store_registers() {
        const std::uint32_t percent = random_.chance(40) ? 100 : random_.below(40);
        for (std::size_t k = 0; k < kinds; ++k)
            for (std::uint32_t n = 0; n < kind_of[k].count; ++n)
                if (random_.chance(percent)) store(static_cast<Kind>(k), name(k, n));
        line("bar.warp.sync 0xFFFFFFFF;");
        line("shfl.sync.bfly.b32 %t0, " + from(word) + ", 1, 31, 0xFFFFFFFF;");
        line("add.u32 %hash, %hash, %t0;");
        line("vote.sync.ballot.b32 %t0, " + from(flag) + ", 0xFFFFFFFF;");
        line("xor.b32 %hash, %hash, %t0;");
        line("st.global.u32 [%out], %hash;");
        line("st.global.u64 [%out+8], %hashd;");
        return words_;
    }
    [[nodiscard]] std::string& out() { return out_; }
    [[nodiscard]] std::uint32_t words() const { return words_; }

private:
    static std::string name(std::size_t kind, std::uint32_t n) {
        return kind_of[kind].name + std::to_string(n);
    }
    void line(const std::string& text) { (out_ += text) += '\n'; }

    /// A register to write.
    std::string to(Kind kind) {
        std::uint32_t n = random_.below(kind_of[kind].count);
        for (std::uint32_t tries = 0; tries < 8 && once_[kind][n] && written_[kind][n] != 0;
             ++tries)
            n = random_.below(kind_of[kind].count);
        ++written_[kind][n];
        last_[kind][last_count_[kind]++ % 4] = n;
        return name(kind, n);
    }
    /// A register to read.
    std::string from(Kind kind) {
        if (last_count_[kind] != 0 && random_.chance(55))
            return name(kind, last_[kind][random_.below(std::min(last_count_[kind], 4u))]);
        return name(kind, random_.below(kind_of[kind].count));
    }
    std::string number() {
        static constexpr const char* numbers[] = {"0",   "1",  "-1",    "7",
                                                  "255", "-8", "65537", "0x7FFFFFFF"};
        return random_.any(numbers);
    }
    std::string word_or_number() { return random_.chance(70) ? from(word) : number(); }
    std::string wide_or_number() { return random_.chance(70) ? from(wide) : number(); }
    std::string guard() {
        if (!random_.chance(15)) return {};
        return (random_.chance(50) ? "@!" : "@") + from(flag) + " ";
    }
    /// Two registers to write that are not the same.
    std::pair<std::string, std::string> two(Kind kind) {
        const std::string first = to(kind);
        for (;;)
            if (const std::string second = to(kind); second != first) return {first, second};
    }
    std::string slot(std::uint32_t bytes) {
        return std::to_string(random_.below(64 / bytes) * bytes);
    }

    void store(Kind kind, const std::string& reg) {
        static constexpr const char* types[] = {"u32", "u64", "u16", "f32", "f64"};
        const std::string at = "[%out+" + std::to_string(16 + 8 * (words_ / 2)) + "], ";
        words_ += 2;
        if (kind == flag) {
            line("selp.u32 %t0, 1, 0, " + reg + ";");
            line("st.global.u32 " + at + "%t0;");
        } else {
            line(std::string("st.global.") + types[kind] + " " + at + reg + ";");
        }
    }
    void hash() {
        switch (random_.below(kinds)) {
            case word: line("mad.lo.s32 %hash, %hash, 31, " + from(word) + ";"); break;
            case wide: line("mad.lo.s64 %hashd, %hashd, 31, " + from(wide) + ";"); break;
            case half:
                line("cvt.u32.u16 %t0, " + from(half) + ";");
                line("mad.lo.s32 %hash, %hash, 31, %t0;");
                break;
            case single:
                line("mov.b32 %t0, " + from(single) + ";");
                line("mad.lo.s32 %hash, %hash, 31, %t0;");
                break;
            case twice:
                line("mov.b64 %td0, " + from(twice) + ";");
                line("mad.lo.s64 %hashd, %hashd, 31, %td0;");
                break;
            default:
                line("selp.u32 %t0, 1, 0, " + from(flag) + ";");
                line("mad.lo.s32 %hash, %hash, 31, %t0;");
                break;
        }
    }

    void copy();
    void constant();
    void derived();
    void arithmetic();
    void predicate();
    void vector();
    void memory();
    void call();

    void statements(std::uint32_t count) {
        for (std::uint32_t n = 0; n < count; ++n) {
            const std::uint32_t what = random_.below(100);
            if (what < 28)
                copy();
            else if (what < 38)
                constant();
            else if (what < 42)
                derived();
            else if (what < 60)
                arithmetic();
            else if (what < 72)
                predicate();
            else if (what < 79)
                vector();
            else if (what < 88)
                memory();
            else if (what < 98)
                hash();
            else
                call();
            if (is_kernel_ && random_.chance(4)) {
                const auto kind = static_cast<Kind>(random_.below(kinds));
                store(kind, from(kind));
            }
        }
    }
    /// Every block comes by here, so that the program ends.
    void burn() {
        line("add.s32 %fuel, %fuel, -1;");
        line("setp.lt.s32 %empty, %fuel, 0;");
        line("@%empty bra END;");
    }
    /// A flag that differs between threads, now and then.
    std::string condition() {
        if (random_.chance(50)) predicate();
        return from(flag);
    }

    void structured(std::uint32_t depth) {
        const std::uint32_t parts = 1 + random_.below(3);
        for (std::uint32_t n = 0; n < parts; ++n) {
            statements(1 + random_.below(5));
            if (depth == 0) continue;
            const std::string label = "L" + std::to_string(labels_++);
            if (random_.chance(50)) {  // if, if and else
                const bool has_else = random_.chance(50);
                line("@" + condition() + " bra " + label + "a;");
                structured(depth - 1);
                if (has_else) line("bra " + label + "b;");
                line(label + "a:");
                if (has_else) {
                    structured(depth - 1);
                    line(label + "b:");
                }
            } else {  // a loop that is left at the top, in the middle or at the end
                line(label + "a:");
                burn();
                if (random_.chance(40)) line("@" + condition() + " bra " + label + "b;");
                structured(depth - 1);
                if (random_.chance(40)) line("@!" + condition() + " bra " + label + "b;");
                statements(random_.below(4));
                line("@" + condition() + " bra " + label + "a;");
                line(label + "b:");
            }
        }
    }

    void jumps() {
        const std::uint32_t blocks = 2 + random_.below(9);
        const auto target = [&] {
            return random_.chance(5) ? std::string("END")
                                     : "B" + std::to_string(random_.below(blocks));
        };
        for (std::uint32_t b = 0; b < blocks; ++b) {
            line("B" + std::to_string(b) + ":");
            burn();
            statements(1 + random_.below(7));
            const std::uint32_t end = random_.below(10);
            if (end < 5) {
                const std::string by = condition();
                line((random_.chance(30) ? "@!" : "@") + by + " bra " + target() + ";");
            } else if (end < 7) {
                line("bra " + target() + ";");
            } else if (end == 7) {
                const std::string table = "T" + std::to_string(labels_++);
                line("{ " + table + ": .branchtargets " + target() + ", " + target() + ", " +
                     target() + ", " + target() + ";");
                line("and.b32 %t0, " + from(word) + ", 3;");
                line("brx.idx %t0, " + table + "; }");
            }
        }
    }

    Random& random_;
    const bool is_kernel_;
    const std::uint32_t functions_;  ///< that can be called: f0, f1...
    std::string out_;
    std::array<std::vector<std::uint32_t>, kinds> written_;
    std::array<std::vector<bool>, kinds> once_;
    std::array<std::array<std::uint32_t, 4>, kinds> last_{};
    std::array<std::uint32_t, kinds> last_count_{};
    std::uint32_t words_ = 0, labels_ = 0;
};

void Body::copy() {
    const std::string g = guard();
    switch (random_.below(13)) {
        case 0:
        case 1:
        case 2: line(g + "mov.u32 " + to(word) + ", " + from(word) + ";"); break;
        case 3:
        case 4: line(g + "mov.b64 " + to(wide) + ", " + from(wide) + ";"); break;
        case 5:
        case 6: line(g + "mov.u16 " + to(half) + ", " + from(half) + ";"); break;
        case 7: line(g + "mov.f32 " + to(single) + ", " + from(single) + ";"); break;
        case 8: line(g + "mov.f64 " + to(twice) + ", " + from(twice) + ";"); break;
        case 9: line(g + "mov.pred " + to(flag) + ", " + from(flag) + ";"); break;
        case 10: {
            const bool there = random_.chance(50);
            const std::string a = there ? from(word) : from(single);
            line(g + "mov.b32 " + (there ? to(single) : to(word)) + ", " + a + ";");
            break;
        }
        case 11: {
            const bool there = random_.chance(50);
            const std::string a = there ? from(wide) : from(twice);
            line(g + "mov.b64 " + (there ? to(twice) : to(wide)) + ", " + a + ";");
            break;
        }
        default: {
            static constexpr const char* spaces[] = {"global", "to.global", "const",
                                                     "shared", "to.shared", "shared::cta",
                                                     "local",  "to.local"};
            line(g + "cvta." + random_.any(spaces) + ".u64 " + to(wide) + ", " + from(wide) + ";");
        }
    }
}

void Body::constant() {
    const std::string g = guard();
    switch (random_.below(12)) {
        case 0: line(g + "mov.u32 " + to(word) + ", " + number() + ";"); break;
        case 1: line(g + "mov.u64 " + to(wide) + ", " + number() + ";"); break;
        case 2:
            line(g + "mov.u16 " + to(half) + ", " + std::to_string(random_.below(65536)) + ";");
            break;
        case 3: line(g + "mov.f32 " + to(single) + ", 0f40490FDB;"); break;
        case 4: line(g + "mov.f64 " + to(twice) + ", 0d4005BF0A8B145769;"); break;
        case 5: {
            static constexpr const char* specials[] = {"%tid.x",   "%ntid.x",      "%laneid",
                                                       "%ctaid.x", "%lanemask_lt", "WARP_SZ"};
            line(g + "mov.u32 " + to(word) + ", " + random_.any(specials) + ";");
            break;
        }
        case 6: line(g + "mov.u64 " + to(wide) + ", mine;"); break;
        case 7:
            if (is_kernel_)
                line(g + "ld.param.u32 " + to(word) + ", [n];");
            else
                line(g + "ld.param.b32 " + to(word) + ", [a];");
            break;
        case 8:
            if (is_kernel_)
                line(g + "ld.param." + (random_.chance(50) ? "s16 " : "u8 ") + to(word) + ", [h];");
            else
                line(g + "ld.param.b64 " + to(wide) + ", [b];");
            break;
        case 9:
            if (is_kernel_) {
                const auto [x, y] = two(word);
                line(g + "ld.param.v2.u32 {" + x + ", " + y + "}, [v+8];");
            }
            break;
        case 10: line(g + "add.s64 " + to(wide) + ", " + from(wide) + ", " + number() + ";"); break;
        default:
            line(g + "add.f64 " + to(twice) + ", " + from(twice) + ", 0d3FF8000000000000;");
            break;
    }
}

/// What the decoder may compute beforehand, and what looks like it.
void Body::derived() {
    static constexpr const char* forms[] = {
        "cvta.shared.u64",   "cvta.shared::cta.u64",    "cvta.to.shared.u64", "cvta.local.u64",
        "cvta.to.local.u64", "cvta.to.shared::cta.u64", "cvta.to.global.u64"};
    switch (random_.below(4)) {
        case 0: {
            const std::string a = to(twice);
            line("mov.f64 " + a + ", 0d4005BF0A8B145769;");
            line("add.f64 " + to(twice) + ", " + a + ", 0d3FF8000000000000;");
            break;
        }
        case 1: {
            const std::string a = to(wide);
            line("mov.u64 " + a + ", " + number() + ";");
            line("add.cc.u64 " + to(wide) + ", " + a + ", " + number() + ";");
            line("addc.u64 " + to(wide) + ", " + from(wide) + ", 0;");
            break;
        }
        case 2: {
            const std::string a = to(wide);
            line("mov.u64 " + a + ", " + (random_.chance(50) ? "mine;" : "64;"));
            line(std::string(random_.any(forms)) + " " + to(wide) + ", " + a + ";");
            break;
        }
        default: {
            const std::string a = to(wide), b = to(wide);
            line("mov.u64 " + a + ", mine;");
            line("add.s64 " + b + ", " + a + ", " + number() + ";");
            line("mov.u64 " + to(wide) + ", " + b + ";");
        }
    }
}

void Body::arithmetic() {
    const std::string g = guard();
    static constexpr const char* of_words[] = {"add.s32", "sub.s32", "xor.b32", "mul.lo.s32",
                                               "min.u32", "and.b32", "or.b32",  "shr.u32"};
    static constexpr const char* of_wides[] = {"add.s64", "sub.s64", "xor.b64", "mul.lo.s64",
                                               "max.u64"};
    switch (random_.below(15)) {
        case 0:
        case 1:
        case 2:
        case 3: {
            const std::string a = from(word), b = word_or_number();
            line(g + random_.any(of_words) + " " + to(word) + ", " + a + ", " + b + ";");
            break;
        }
        case 4:
        case 5: {
            const std::string a = from(wide), b = wide_or_number();
            line(g + random_.any(of_wides) + " " + to(wide) + ", " + a + ", " + b + ";");
            break;
        }
        case 6:
            line(g + "add.s16 " + to(half) + ", " + from(half) + ", " + from(half) + ";");
            break;
        case 7:
            line(g + "add.f32 " + to(single) + ", " + from(single) + ", " + from(single) + ";");
            break;
        case 8: line(g + "cvt.u16.u32 " + to(half) + ", " + from(word) + ";"); break;
        case 9: line(g + "cvt.s32.s16 " + to(word) + ", " + from(half) + ";"); break;
        case 10: line(g + "cvt.s64.s32 " + to(wide) + ", " + from(word) + ";"); break;
        case 11: line(g + "cvt.u32.u64 " + to(word) + ", " + from(wide) + ";"); break;
        case 12:
            line(g + "mul.wide.s32 " + to(wide) + ", " + from(word) + ", " + word_or_number() +
                 ";");
            break;
        case 13: {
            // A carry lives until the next instruction that takes it.
            const std::string a = from(wide), b = wide_or_number(), c = from(wide);
            const std::string low = to(wide);
            line("add.cc.u64 " + low + ", " + a + ", " + b + ";");
            line("addc.u64 " + to(wide) + ", " + c + ", 0;");
            break;
        }
        default: line(g + "popc.b32 " + to(word) + ", " + from(word) + ";"); break;
    }
}

void Body::predicate() {
    const std::string g = guard();
    static constexpr const char* tests[] = {"lt.s32", "eq.s32", "ge.u32", "ne.s32"};
    switch (random_.below(9)) {
        case 0:
        case 1:
        case 2: {
            const std::string a = from(word), b = word_or_number();
            line(g + "setp." + random_.any(tests) + " " + to(flag) + ", " + a + ", " + b + ";");
            break;
        }
        case 3: {
            line("and.b32 %t0, " + from(word) + ", 1;");
            line(g + "setp.eq.s32 " + to(flag) + ", %t0, 0;");
            break;
        }
        case 4: {
            const std::string a = from(word), b = from(word), c = from(flag);
            const auto [p, q] = two(flag);
            line(g + "setp.lt.and.s32 " + p + "|" + q + ", " + a + ", " + b + ", " + c + ";");
            break;
        }
        case 5: {
            static constexpr const char* ops[] = {"and", "or", "xor"};
            line(g + random_.any(ops) + ".pred " + to(flag) + ", " + from(flag) + ", " +
                 from(flag) + ";");
            break;
        }
        case 6: line(g + "not.pred " + to(flag) + ", " + from(flag) + ";"); break;
        case 7:
            line(g + "selp.b32 " + to(word) + ", " + from(word) + ", " + word_or_number() + ", " +
                 from(flag) + ";");
            break;
        default:
            line(g + "selp.b64 " + to(wide) + ", " + from(wide) + ", " + from(wide) + ", " +
                 from(flag) + ";");
            break;
    }
}

void Body::vector() {
    const std::string g = guard();
    switch (random_.below(4)) {
        case 0:
            line(g + "mov.b64 " + to(wide) + ", {" + from(word) + ", " + from(word) + "};");
            break;
        case 1: {
            const std::string a = from(wide);
            const auto [x, y] = two(word);
            line(g + "mov.b64 {" + x + ", " + y + "}, " + a + ";");
            break;
        }
        case 2:
            line(g + "mov.b32 " + to(word) + ", {" + from(half) + ", " + from(half) + "};");
            break;
        default: {
            const std::string a = from(word);
            const auto [x, y] = two(half);
            line(g + "mov.b32 {" + x + ", " + y + "}, " + a + ";");
        }
    }
}

void Body::memory() {
    const std::string g = guard();
    switch (random_.below(10)) {
        case 0: line(g + "st.local.u32 [mine+" + slot(4) + "], " + from(word) + ";"); break;
        case 1: line(g + "ld.local.u32 " + to(word) + ", [mine+" + slot(4) + "];"); break;
        case 2: line(g + "st.local.u64 [%local+" + slot(8) + "], " + from(wide) + ";"); break;
        case 3: line(g + "ld.local.u64 " + to(wide) + ", [%local+" + slot(8) + "];"); break;
        case 4: line(g + "ld.local.u16 " + to(half) + ", [%local+" + slot(2) + "];"); break;
        case 5: {
            line("and.b64 %td0, " + from(wide) + ", 48;");
            line("add.s64 %td0, %local, %td0;");
            line("st.local.v2.b32 [%td0+8], {" + from(word) + ", " + from(word) + "};");
            const std::string y = to(wide);
            line(g + "ld.local.v2.u64 {%td0, " + y + "}, [%td0];");
            break;
        }
        case 6: {
            line("and.b64 %td0, " + from(wide) + ", 56;");
            line("add.s64 %td0, %local, %td0;");
            const auto [x, y] = two(word);
            line(g + "ld.local.v2.u32 {" + x + ", " + y + "}, [%td0];");
            break;
        }
        case 7: line(g + "ld.const.u32 " + to(word) + ", [table+" + slot(4) + "];"); break;
        case 8: line(g + "ld.global.s32 " + to(wide) + ", [list+" + slot(4) + "];"); break;
        default:
            if (!is_kernel_) break;
            line("and.b32 %t0, " + from(word) + ", 63;");
            line("mul.wide.u32 %td0, %t0, 4;");
            line("add.s64 %td0, %in, %td0;");
            line(g + "ld.global.u32 " + to(word) + ", [%td0];");
    }
}

void Body::call() {
    if (functions_ == 0) return;
    const std::string g = guard();
    line("{ .param .b32 p0; .param .b64 p1; .param .b32 result;");
    line("st.param.b32 [p0], " + from(word) + ";");
    line("st.param.b64 [p1], " + from(wide) + ";");
    line(g + "call (result), f" + std::to_string(random_.below(functions_)) + ", (p0, p1);");
    // Where the guard skips the call, the result is what lay there.
    if (g.empty()) line("ld.param.b32 " + to(word) + ", [result];");
    line("}");
}

std::string declarations() {
    std::string text = ".local .align 16 .b8 mine[80];\n";
    for (const KindOf& k : kind_of)
        text +=
            std::string(".reg .") + k.type + " " + k.name + "<" + std::to_string(k.count) + ">;\n";
    return text +
           ".reg .b32 %hash, %fuel, %t0;\n.reg .b64 %hashd, %local, %td0, %out, %in;\n"
           ".reg .pred %empty;\n";
}

/// A table of 20 words.
std::string words(Random& random) {
    std::string text = "{";
    for (int n = 0; n < 20; ++n)
        text += (n == 0 ? "" : ", ") +
                std::to_string(random.chance(50) ? random.below(64) : random.below(0x7FFFFFFF));
    return text + "};\n";
}

}  // namespace

GeneratedProgram generate_program(std::uint64_t seed) {
    Random random(seed);
    GeneratedProgram program;
    std::string& ptx = program.ptx;
    ptx = ".version 8.5\n.target sm_75\n.address_size 64\n";
    ptx += ".const .align 8 .b32 table[20] = " + words(random);
    ptx += ".global .align 8 .b32 list[20] = " + words(random);
    const std::uint32_t functions = random.chance(40) ? 1 + random.below(2) : 0;
    for (std::uint32_t n = 0; n < functions; ++n) {
        Body body(random, false, n);
        ptx += ".func (.param .b32 back) f" + std::to_string(n) +
               "(.param .b32 a, .param .b64 b)\n{\n" + declarations() + body.text() +
               "cvt.u32.u64 %t0, %hashd;\nadd.u32 %hash, %hash, %t0;\n"
               "st.param.b32 [back], %hash;\nret;\n}\n";
    }
    static constexpr std::uint32_t threads[] = {32, 40, 64};
    program.threads = threads[random.below(3)];
    Body body(random, true, functions);
    body.text();
    std::string code = std::move(body.out());
    body.out().clear();
    program.words_per_thread = 4 + body.store_registers();
    ptx +=
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, .param .u16 h, "
        ".param .align 8 .b8 v[16])\n{\n" +
        declarations() +
        "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t0, %tid.x;\n"
        "mul.wide.u32 %td0, %t0, " +
        std::to_string(4 * program.words_per_thread) + ";\nadd.s64 %out, %out, %td0;\n" + code +
        body.out() + "ret;\n}\n";
    return program;
}

}  // namespace cugrade::emulator::test
