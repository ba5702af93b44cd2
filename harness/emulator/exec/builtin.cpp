// Functions that device code calls and nobody compiles: vprintf, __assertfail, malloc, free, and
// the device runtime's (device_runtime.cpp).
//
// Arguments are in the caller's parameter areas. vprintf's second one points to a block in which
// each variable argument is aligned to its size: 4 bytes for int, 8 for long, double and pointers.
#include <fmt/format.h>

#include <cstdio>

#include "emulator/exec/builtin.hpp"

namespace cugrade::emulator {
namespace {

std::string read_string(Warp& w, u32 lane, u64 address) {
    constexpr std::size_t longest = 4096;
    std::string text;
    for (; text.size() < longest; ++address) {
        const std::byte* p = probe(w, lane, address, 1);
        if (p == nullptr || *p == std::byte{0}) break;
        text.push_back(static_cast<char>(*p));
    }
    return text;
}

template <class T>
void append(std::string& out, const std::string& spec, T value) {
    // The format is the student's; the conversion was parsed and its type matches `value`.
    std::array<char, 1024> buffer;
    const int n = std::snprintf(buffer.data(), buffer.size(), spec.c_str(), value);
    if (n > 0)
        out.append(buffer.data(),
                   std::min<std::size_t>(static_cast<std::size_t>(n), buffer.size() - 1));
}

/// Formats as the device's printf does; `count` is the number of conversions.
std::string format(Warp& w, u32 lane, const std::string& text, u64 block, u32& count) {
    std::string out;
    u64 offset = 0;
    const auto next = [&](u32 bytes) {
        offset = (offset + bytes - 1) / bytes * bytes;
        u64 value = 0;
        if (const std::byte* p = probe(w, lane, block + offset, bytes))
            std::memcpy(&value, p, bytes);
        offset += bytes;
        return value;
    };
    for (std::size_t n = 0; n < text.size(); ++n) {
        if (text[n] != '%') {
            out.push_back(text[n]);
            continue;
        }
        if (n + 1 < text.size() && text[n + 1] == '%') {
            out.push_back('%');
            ++n;
            continue;
        }
        std::string spec = "%";
        bool is_long = false, done = false;
        for (++n; n < text.size() && !done; ++n) {
            const char c = text[n];
            switch (c) {
                case 'l':
                case 'j':
                case 'z':
                case 't': is_long = true; break;
                case 'h':
                case 'L': break;
                case '*': spec += fmt::format("{}", static_cast<s32>(next(4))); break;
                case 'd':
                case 'i':
                    if (is_long)
                        append(out, spec + "lld", static_cast<long long>(next(8)));
                    else
                        append(out, spec + c, static_cast<int>(next(4)));
                    done = true;
                    break;
                case 'u':
                case 'x':
                case 'X':
                case 'o':
                    if (is_long)
                        append(out, spec + "ll" + c, static_cast<unsigned long long>(next(8)));
                    else
                        append(out, spec + c, static_cast<unsigned>(next(4)));
                    done = true;
                    break;
                case 'c':
                    append(out, spec + c, static_cast<int>(next(4)));
                    done = true;
                    break;
                case 'f':
                case 'F':
                case 'e':
                case 'E':
                case 'g':
                case 'G':
                case 'a':
                case 'A':
                    append(out, spec + c, std::bit_cast<double>(next(8)));
                    done = true;
                    break;
                case 's':
                    append(out, spec + c, read_string(w, lane, next(8)).c_str());
                    done = true;
                    break;
                case 'p':
                    append(out, spec + c, reinterpret_cast<void*>(next(8)));
                    done = true;
                    break;
                case '0':
                case '1':
                case '2':
                case '3':
                case '4':
                case '5':
                case '6':
                case '7':
                case '8':
                case '9':
                case '.':
                case '-':
                case '+':
                case ' ':
                case '#':
                    if (spec.size() < 16) spec.push_back(c);
                    break;
                default:  // not a conversion: printed as it is
                    out += spec + c;
                    done = true;
                    break;
            }
        }
        --n;
        ++count;
    }
    return out;
}

bool print(Warp& w, const Ins* i, u32 lane) {
    u32 count = 0;
    const std::string text = format(w, lane, read_string(w, lane, argument(w, i, 0, lane)),
                                    argument(w, i, 1, lane), count);
    if (*w.launch->print) (*w.launch->print)(text);
    give_back(w, i, lane, count);
    return true;
}

bool assertion_failed(Warp& w, const Ins* i, u32 lane) {
    const std::string file = read_string(w, lane, argument(w, i, 1, lane));
    fail(w, i, FaultKind::trap, lane,
         fmt::format("failed the assertion `{}` ({}:{}, {})",
                     read_string(w, lane, argument(w, i, 0, lane)), file,
                     static_cast<u32>(argument(w, i, 2, lane)),
                     read_string(w, lane, argument(w, i, 3, lane))));
    return false;
}

bool allocate(Warp& w, const Ins* i, u32 lane) {
    const u64 bytes = argument(w, i, 0, lane);
    u64 address = 0;
    if (bytes != 0)
        if (auto result =
                w.launch->arena->allocate_on_device("memory from malloc in a kernel", bytes))
            address = *result;
    give_back(w, i, lane, address);
    return true;
}

bool release(Warp& w, const Ins* i, u32 lane) {
    const u64 address = argument(w, i, 0, lane);
    if (address == 0) return true;
    if (auto status = w.launch->arena->free_on_device(address); !status) {
        fail(w, i, FaultKind::out_of_bounds, lane,
             fmt::format("calls free({:#x}): {}", address, status.error().message), address);
        return false;
    }
    // No instruction may go on using what it cached.
    std::fill(w.launch->ranges.begin(), w.launch->ranges.end(), Range{});
    return true;
}

const Builtin builtins[] = {
    {"vprintf", print},
    {"__assertfail", assertion_failed},
    {"malloc", allocate},
    {"free", release},
};

}  // namespace

int builtin_index(std::string_view name) {
    const auto device_runtime = device_runtime_builtins();
    for (std::size_t n = 0; n < std::size(builtins); ++n)
        if (builtins[n].name == name) return static_cast<int>(n);
    for (std::size_t n = 0; n < device_runtime.size(); ++n)
        if (device_runtime[n].name == name) return static_cast<int>(std::size(builtins) + n);
    return -1;
}

/// imm is the built-in's index.
const Ins* op::call_builtin(Warp& w, const Ins* i) {
    const auto index = static_cast<std::size_t>(i->imm);
    const Builtin& builtin = index < std::size(builtins)
                                 ? builtins[index]
                                 : device_runtime_builtins()[index - std::size(builtins)];
    return for_lanes(w.current.mask, [&](u32 l) { return builtin.run(w, i, l); }) ? i + 1 : stop;
}

}  // namespace cugrade::emulator
