#include "emulator/ptx/literals.hpp"

#include <charconv>
#include <cstring>

namespace cugrade::ptx {

std::optional<Number> to_number(std::string_view s) {
    const auto whole = [](std::string_view digits, int base) -> std::optional<Number> {
        std::uint64_t v = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
        if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
            return {};
        return Number{v, 0};
    };
    if (s.size() > 1 && s[0] == '0') {
        const char c = s[1];
        if (c == 'f' || c == 'F' || c == 'd' || c == 'D') {
            const bool wide = c == 'd' || c == 'D';
            auto n = s.size() == (wide ? 18u : 10u) ? whole(s.substr(2), 16) : std::nullopt;
            if (n) n->float_bits = wide ? 64 : 32;
            return n;
        }
    }
    if (s.find('.') != s.npos || ((s.find('e') != s.npos || s.find('E') != s.npos) &&
                                  s.substr(0, 2) != "0x" && s.substr(0, 2) != "0X")) {
        double v = 0;
        const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
        if (error != std::errc{} || end != s.data() + s.size()) return {};
        Number n{0, 64};
        std::memcpy(&n.bits, &v, sizeof v);
        return n;
    }
    if (s.back() == 'U' || s.back() == 'u') s.remove_suffix(1);
    if (s.size() > 1 && s[0] == '0') {
        if (s[1] == 'x' || s[1] == 'X') return whole(s.substr(2), 16);
        if (s[1] == 'b' || s[1] == 'B') return whole(s.substr(2), 2);
        return whole(s.substr(1), 8);
    }
    return whole(s, 10);
}

}  // namespace cugrade::ptx
