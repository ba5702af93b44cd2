// Functions that device code calls but no PTX defines: vprintf, __assertfail, malloc, free, and
// those of the device runtime (device_runtime.cpp).
//
// Arguments are in the caller's parameter areas. vprintf's second one points to a block in which
// each variable argument is aligned to its size: 4 bytes for int, 8 for long, double and pointers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "emulator/ops/builtin.hpp"
#include "emulator/state/observer.hpp"

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

constexpr int widest = 1000;  ///< largest width and precision of a printed number

/// The conversion with its width and precision cut down to `widest`.
std::string bounded(const std::string& spec) {
    std::string result;
    for (std::size_t n = 0; n < spec.size();) {
        const std::size_t end = std::min(spec.find_first_not_of("0123456789", n), spec.size());
        if (end == n) {
            result.push_back(spec[n++]);
            continue;
        }
        // Leading zeros are a flag.
        const std::size_t first = std::min(spec.find_first_not_of('0', n), end);
        result.append(spec, n, first - n);
        if (end - first > 4 || (end - first == 4 && spec.substr(first, 4) > "1000"))
            result += std::to_string(widest);
        else
            result.append(spec, first, end - first);
        n = end;
    }
    return result;
}

template <class T>
void append(std::string& out, const std::string& unbounded, T value) {
    const std::string spec = bounded(unbounded);
    // The format is the student's, but `convert` has made its type match `value`.
    std::array<char, 1024> buffer;
    const int n = std::snprintf(buffer.data(), buffer.size(), spec.c_str(), value);
    if (n > 0)
        out.append(buffer.data(),
                   std::min<std::size_t>(static_cast<std::size_t>(n), buffer.size() - 1));
}

/// Reads the values in vprintf's block one after the other, each at its own alignment.
class PrintedValues {
public:
    PrintedValues(Warp& w, const Ins* i, u32 lane, u64 block)
        : w_(w), i_(i), lane_(lane), block_(block) {}

    template <class T>
    T next() {
        offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        T value{};
        if (Observer* observer = w_.launch->options->observer)
            observer->consumed(w_, i_, lane_, block_ + offset_, sizeof(T));
        if (const std::byte* p = probe(w_, lane_, block_ + offset_, sizeof(T)))
            std::memcpy(&value, p, sizeof(T));
        offset_ += sizeof(T);
        return value;
    }
    std::string next_string() { return read_string(w_, lane_, next<u64>()); }

private:
    Warp& w_;
    const Ins* i_;
    u32 lane_;
    u64 block_;
    u64 offset_ = 0;
};

/// Appends the next value as the conversion `c` says. `spec` has '%' and the flags before `c`.
void convert(std::string& out, std::string spec, char c, bool is_long, PrintedValues& values) {
    switch (c) {
        case 'd':
        case 'i':
            if (is_long) return append(out, spec + "lld", values.next<long long>());
            return append(out, spec + c, values.next<int>());
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            if (is_long) return append(out, spec + "ll" + c, values.next<unsigned long long>());
            return append(out, spec + c, values.next<unsigned>());
        case 'f':
        case 'F':
        case 'e':
        case 'E':
        case 'g':
        case 'G':
        case 'a':
        case 'A': return append(out, spec + c, values.next<double>());
        case 'c': return append(out, spec + c, values.next<int>());
        case 's': return append(out, spec + c, values.next_string().c_str());
        case 'p': return append(out, spec + c, reinterpret_cast<void*>(values.next<u64>()));
        default: out += spec + c;  // not a conversion: printed as it is
    }
}

/// Formats as the device's printf does; `count` is the number of conversions.
std::string format(const std::string& text, PrintedValues values, u32& count) {
    constexpr std::string_view flags = "0123456789.-+ #", lengths = "ljzthL", long_lengths = "ljzt";
    constexpr std::size_t longest_spec = 16;
    std::string out;
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
        bool is_long = false;
        for (++n; n < text.size(); ++n) {
            const char c = text[n];
            if (lengths.find(c) != lengths.npos) {
                is_long = is_long || long_lengths.find(c) != long_lengths.npos;
            } else if (c == '*') {
                spec += fmt::format("{}", std::clamp(values.next<s32>(), -widest, widest));
            } else if (flags.find(c) != flags.npos) {
                if (spec.size() < longest_spec) spec.push_back(c);
            } else {
                convert(out, spec, c, is_long, values);
                break;
            }
        }
        ++count;
    }
    return out;
}

bool print(Warp& w, const Ins* i, u32 lane) {
    u32 count = 0;
    const std::string text = format(read_string(w, lane, argument(w, i, 0, lane)),
                                    {w, i, lane, argument(w, i, 1, lane)}, count);
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
    // No instruction may go on using a cached range: its memory may have been freed.
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
