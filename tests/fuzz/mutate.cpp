#include "mutate.hpp"

#include <cctype>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <vector>

namespace cugrade::fuzz {
namespace {

constexpr std::string_view numbers[] = {"0",
                                        "1",
                                        "-1",
                                        "2",
                                        "3",
                                        "4",
                                        "7",
                                        "8",
                                        "15",
                                        "16",
                                        "17",
                                        "31",
                                        "32",
                                        "33",
                                        "63",
                                        "64",
                                        "65",
                                        "127",
                                        "128",
                                        "255",
                                        "256",
                                        "1024",
                                        "4095",
                                        "4096",
                                        "16384",
                                        "65535",
                                        "65536",
                                        "131072",
                                        "1048576",
                                        "134217727",
                                        "134217728",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483648",
                                        "4294967295",
                                        "4294967296",
                                        "1099511627776",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "0f7FC00000",
                                        "0f7F800000",
                                        "0fCF000000",
                                        "0d7FF0000000000000",
                                        "0dC3E0000000000000"};
constexpr std::string_view types[] = {"b8",  "b16", "b32",  "b64",   "b128", "u8",    "u16",
                                      "u32", "u64", "s8",   "s16",   "s32",  "s64",   "f16",
                                      "f32", "f64", "bf16", "f16x2", "pred", "bf16x2"};
constexpr std::string_view spaces[] = {"global", "shared", "local", "const", "param"};
constexpr std::string_view modifiers[] = {
    "v2",      "v4",      "v8",      "lo",     "hi",      "wide", "sat",   "rn",     "rz",
    "rni",     "ftz",     "cc",      "add",    "min",     "max",  "and",   "or",     "xor",
    "cas",     "exch",    "inc",     "dec",    "sync",    "up",   "down",  "bfly",   "idx",
    "all",     "any",     "uni",     "ballot", "l",       "r",    "clamp", "wrap",   "volatile",
    "relaxed", "acquire", "release", "gpu",    "cta",     "sys",  "to",    "eq",     "lt",
    "ge",      "nan",     "approx",  "ca",     "cg",      "nc",   "red",   "arrive", "warp",
    "popc",    "async",   "x2",      "noinc",  "cluster", "s32",  "u32",   "f32",    "shiftamt",
    "b32",     "u64"};
constexpr std::string_view statements[] = {
    "bar.sync 0;",
    "bar.warp.sync -1;",
    "ret;",
    "exit;",
    "membar.gl;",
    "fence.acq_rel.gpu;",
    "cp.async.ca.shared.global [R], [X], 4;",
    "cp.async.cg.shared.global [R], [X], 16, R;",
    "cp.async.wait_all;",
    "atom.global.add.u32 R, [X], R;",
    "atom.shared.cas.b32 R, [R], R, R;",
    "atom.add.u64 X, [X], X;",
    "red.global.max.s32 [X], R;",
    "ld.global.u32 R, [X];",
    "ld.volatile.global.u32 R, [X];",
    "ld.global.v4.u32 {R, R, R, R}, [X];",
    "ld.v2.u64 {X, X}, [X];",
    "st.global.u32 [X], R;",
    "st.shared.v2.u32 [R], {R, R};",
    "st.local.u64 [X], X;",
    "ld.local.u8 R, [X];",
    "ld.shared.u32 R, [R];",
    "mov.u32 R, %tid.x;",
    "mov.u32 R, %laneid;",
    "mov.u64 X, %clock64;",
    "mov.b64 {R, R}, X;",
    "mov.b64 X, {R, R};",
    "setp.lt.u32 P, R, R;",
    "selp.b32 R, R, R, P;",
    "shfl.sync.idx.b32 R, R, R, 31, -1;",
    "vote.sync.ballot.b32 R, P, -1;",
    "match.any.sync.b32 R, R, -1;",
    "redux.sync.add.u32 R, R, -1;",
    "activemask.b32 R;",
    "shl.b32 R, R, R;",
    "shr.s64 X, X, R;",
    "div.s32 R, R, R;",
    "rem.s64 X, X, X;",
    "cvt.u32.u64 R, X;",
    "cvt.s64.s32 X, R;",
    "cvt.rzi.s32.f32 R, R;",
    "cvta.shared.u64 X, X;",
    "cvta.local.u64 X, X;",
    "mad.lo.u32 R, R, R, R;",
    "add.u64 X, X, 4;",
    "bfe.u32 R, R, R, R;",
    "bfi.b64 X, X, X, R, R;",
    "prmt.b32 R, R, R, R;",
    "nanosleep.u32 R;",
    "trap;",
};

class Mutator {
public:
    Mutator(const std::string& text, std::uint32_t seed) : random_(seed) {
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            lines_.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        if (lines_.empty()) lines_.emplace_back();
        learn();
    }

    void change() {
        switch (below(16)) {
            case 0: return swap_operands();
            case 1:
            case 2: return other_register();
            case 3:
            case 4: return other_number();
            case 5:
            case 6: return other_modifier();
            case 7: {
                const std::string line = some_line();
                return insert(line);
            }
            case 8: {
                if (lines_.size() > 4) lines_.erase(lines_.begin() + std::ptrdiff_t(body_line()));
                return;
            }
            case 9: return std::swap(lines_[body_line()], lines_[body_line()]);
            case 10: return other_size();
            case 11:
            case 12: return other_setup();
            case 13:
            case 14: return new_statement();
            default: return other_guard();
        }
    }

    /// A statement of another text.
    void take(const std::string& line) {
        std::string changed;
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t end = end_of_word(line, at);
            const std::string word = line.substr(at, end - at);
            const bool is_register = word.size() > 1 && word[0] == '%' && end < line.size() &&
                                     line[end] != '.' && word != "%laneid";
            if (is_register && !all_.contains(word))
                changed += pick_register(guess(word));
            else
                changed += word;
            at = end;
        }
        insert(changed);
    }

    [[nodiscard]] std::string text() const {
        std::string result;
        for (const std::string& line : lines_) result += line + "\n";
        return result;
    }
    [[nodiscard]] std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
    [[nodiscard]] std::string some_line() { return lines_[body_line()]; }

private:
    static bool is_word(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
    }
    static std::size_t end_of_word(const std::string& line, std::size_t at) {
        std::size_t end = at;
        while (end < line.size() && is_word(line[end])) ++end;
        return end == at ? at + 1 : end;
    }
    /// 'R', 'X' or 'P': registers of 32 bits, 64 bits, predicates.
    static char kind_of(std::string_view declaration) {
        if (declaration.find(".pred") != declaration.npos) return 'P';
        return declaration.find("64") != declaration.npos ? 'X' : 'R';
    }
    static char guess(const std::string& name) {
        if (name.starts_with("%p")) return 'P';
        return name.starts_with("%rd") || name.starts_with("%fd") || name.starts_with("%x") ? 'X'
                                                                                            : 'R';
    }

    /// Which registers the text declares, and uses of families.
    void learn() {
        std::map<std::string, char> families;
        for (const std::string& line : lines_) {
            const bool declares = line.find(".reg") != line.npos;
            const char kind = kind_of(line);
            for (std::size_t at = 0; at < line.size();) {
                const std::size_t end = end_of_word(line, at);
                const std::string word = line.substr(at, end - at);
                at = end;
                if (word[0] != '%' || word.size() < 2) continue;
                if (declares && end < line.size() && line[end] == '<') {
                    families[word] = kind;
                } else if (declares) {
                    add(word, kind);
                } else {
                    const std::size_t stem = word.find_last_not_of("0123456789") + 1;
                    const auto family = families.find(word.substr(0, stem));
                    if (family != families.end() && stem < word.size()) add(word, family->second);
                }
            }
        }
    }
    void add(const std::string& name, char kind) {
        if (all_.insert(name).second) by_kind_[kind].push_back(name);
    }
    std::string pick_register(char kind) {
        const auto& names = by_kind_[kind];
        return names.empty() ? std::string(kind == 'P' ? "1" : "0") : names[below(names.size())];
    }
    std::size_t body_line() {
        const std::size_t first = std::min<std::size_t>(1, lines_.size() - 1);
        return first + below(lines_.size() - first);
    }
    void insert(const std::string& line) {
        lines_.insert(lines_.begin() + std::ptrdiff_t(body_line()), line);
    }

    /// Replaces one of the words for which `wanted` holds by what `with` gives for it.
    template <class Wanted, class With>
    void replace_word(Wanted wanted, With with) {
        for (int attempt = 0; attempt < 20; ++attempt) {
            std::string& line = lines_[body_line()];
            std::vector<std::pair<std::size_t, std::size_t>> found;
            for (std::size_t at = 0; at < line.size();) {
                const std::size_t end = end_of_word(line, at);
                if (wanted(line, at, end)) found.emplace_back(at, end);
                at = end;
            }
            if (found.empty()) continue;
            const auto [from, to] = found[below(found.size())];
            line.replace(from, to - from, with(line.substr(from, to - from)));
            return;
        }
    }
    void other_register() {
        replace_word([&](const std::string& line, std::size_t at,
                         std::size_t end) { return all_.contains(line.substr(at, end - at)); },
                     [&](const std::string& word) {
                         const char kinds[] = {'R', 'X', 'P'};
                         char kind = guess(word);
                         for (const auto& [k, names] : by_kind_)
                             if (std::find(names.begin(), names.end(), word) != names.end())
                                 kind = k;
                         if (below(8) == 0) kind = kinds[below(3)];
                         if (below(12) == 0) return std::string(numbers[below(std::size(numbers))]);
                         return pick_register(kind);
                     });
    }
    void other_number() {
        replace_word(
            [&](const std::string& line, std::size_t at, std::size_t) {
                return std::isdigit(static_cast<unsigned char>(line[at])) != 0;
            },
            [&](const std::string&) {
                return below(4) == 0 ? std::to_string(random_() % 512)
                                     : std::string(numbers[below(std::size(numbers))]);
            });
    }
    void other_modifier() {
        replace_word(
            [&](const std::string& line, std::size_t at, std::size_t end) {
                return end > at && at > 0 && line[at - 1] == '.' && is_word(line[at]);
            },
            [&](const std::string& word) -> std::string {
                const auto one_of = [&](const auto& list) {
                    return std::string(list[below(std::size(list))]);
                };
                const auto is_in = [&](const auto& list) {
                    return std::find(std::begin(list), std::end(list), word) != std::end(list);
                };
                if (below(6) != 0 && is_in(types)) return one_of(types);
                if (below(6) != 0 && is_in(spaces)) return one_of(spaces);
                if (below(5) == 0) return word + "." + one_of(modifiers);
                return one_of(modifiers);
            });
    }
    void other_size() {
        for (int attempt = 0; attempt < 40; ++attempt) {
            std::string& line = lines_[body_line()];
            const std::size_t open = line.find('[');
            if (open == line.npos || line.find('.') == line.npos) continue;
            const std::size_t close = line.find(']', open);
            if (close == line.npos) continue;
            const std::string number(numbers[below(std::size(numbers))]);
            if (below(4) == 0)
                line.insert(close + 1, "[" + number + "]");
            else if (is_word(line[open + 1]) && line[open + 1] != '%' && below(3) != 0)
                line.replace(open + 1, close - open - 1, number);
            else
                line.insert(close, "+" + number);
            return;
        }
    }
    void other_setup() {
        static constexpr std::string_view mark = "// run ";
        if (!lines_[0].starts_with(mark)) lines_.insert(lines_.begin(), "// run 00000000");
        lines_[0].resize(mark.size() + 8, '0');
        lines_[0][mark.size() + below(8)] = "0123456789ABCDEF"[below(16)];
    }
    void swap_operands() {
        for (int attempt = 0; attempt < 20; ++attempt) {
            std::string& line = lines_[body_line()];
            const std::size_t space = line.find(' '), end = line.find(';');
            if (space == line.npos || end == line.npos || end < space) continue;
            std::vector<std::string> operands;
            for (std::size_t at = space + 1; at <= end;) {
                const std::size_t comma = std::min(line.find(',', at), end);
                operands.push_back(line.substr(at, comma - at));
                at = comma + 1;
            }
            if (operands.size() < 2) continue;
            switch (below(4)) {
                case 0: operands.pop_back(); break;
                case 1: operands.push_back(operands[below(operands.size())]); break;
                default:
                    std::swap(operands[below(operands.size())], operands[below(operands.size())]);
            }
            std::string changed = line.substr(0, space + 1);
            for (std::size_t n = 0; n < operands.size(); ++n)
                changed += (n == 0 ? "" : ",") + operands[n];
            line = changed + line.substr(end);
            return;
        }
    }
    void new_statement() {
        const std::string_view form = statements[below(std::size(statements))];
        std::string line;
        for (std::size_t n = 0; n < form.size(); ++n) {
            const bool alone = (n == 0 || !is_word(form[n - 1])) &&
                               (n + 1 == form.size() || !is_word(form[n + 1]));
            if (alone && (form[n] == 'R' || form[n] == 'X' || form[n] == 'P'))
                line += pick_register(form[n]);
            else
                line += form[n];
        }
        insert(line);
    }
    void other_guard() {
        std::string& line = lines_[body_line()];
        if (line.find(';') == line.npos || line.find('.') == 0) return;
        if (line.starts_with("@"))
            line.erase(0, line.find(' ') == line.npos ? 1 : line.find(' ') + 1);
        else
            line.insert(0, (below(2) == 0 ? "@" : "@!") + pick_register('P') + " ");
    }

    std::mt19937 random_;
    std::vector<std::string> lines_;
    std::set<std::string> all_;
    std::map<char, std::vector<std::string>> by_kind_;
};

}  // namespace

std::string mutated(const std::string& ptx, std::uint32_t seed) {
    Mutator m(ptx, seed);
    for (std::size_t n = 1 + m.below(4); n != 0; --n) m.change();
    return m.text();
}

std::string spliced(const std::string& ptx, const std::string& other, std::uint32_t seed) {
    Mutator into(ptx, seed), from(other, seed + 1);
    for (std::size_t n = 1 + into.below(6); n != 0; --n) {
        const std::string line = from.some_line();
        if (line.find(';') != line.npos && line.find(".reg") == line.npos) into.take(line);
    }
    return into.text();
}

}  // namespace cugrade::fuzz
