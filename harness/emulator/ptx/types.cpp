#include <cxxabi.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {
namespace {

struct Row {
    std::string_view name;
    int bits;
};
// In the order of Type.
constexpr std::array<Row, 21> rows = {
    {{"none", 0},    {"pred", 1}, {"b8", 8},   {"b16", 16}, {"b32", 32},   {"b64", 64},
     {"b128", 128},  {"u8", 8},   {"u16", 16}, {"u32", 32}, {"u64", 64},   {"s8", 8},
     {"s16", 16},    {"s32", 32}, {"s64", 64}, {"f16", 16}, {"f16x2", 32}, {"bf16", 16},
     {"bf16x2", 32}, {"f32", 32}, {"f64", 64}}};
static_assert(static_cast<std::size_t>(Type::f64) + 1 == rows.size());

/// A mangled name refers back to parts of itself, so that one of 300 characters can stand for
/// gigabytes. This is the most that one with so many references can stand for: the fastest growth
/// is three of them in each part, which triple it; and a letter stands for up to 20 characters.
double most_demangled(std::string_view mangled) {
    double references = 0;
    for (std::size_t i = 0; i + 1 < mangled.size(); ++i) {
        if (mangled[i] != 'S' && mangled[i] != 'T') continue;
        std::size_t end = i + 1;
        while (end < mangled.size() && ((mangled[end] >= '0' && mangled[end] <= '9') ||
                                        (mangled[end] >= 'A' && mangled[end] <= 'Z')))
            ++end;
        if (end < mangled.size() && mangled[end] == '_') ++references;
    }
    return 20 * static_cast<double>(mangled.size()) * std::pow(3, references / 3);
}

}  // namespace

std::string demangled(std::string_view name, double most) {
    // With -rdc=true nvcc puts the file's name before the names of static symbols.
    if (const auto own = name.find("__Z"); name.starts_with("__nv_static_") && own != name.npos)
        name.remove_prefix(own + 1);
    const std::string mangled(name);
    // Without this check, a variable `x` would be read as the type with that code.
    if (!name.starts_with("_Z") || most_demangled(name) > most) return mangled;
    char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr);
    std::string result = text != nullptr ? text : mangled;
    std::free(text);
    // nvcc also gives the unnamed namespace a name of its own.
    if (const auto start = result.find("_GLOBAL__N_"); start != result.npos)
        if (const auto end = result.find("::", start); end != result.npos)
            result.replace(start, end - start, "(anonymous namespace)");
    return result;
}

int bits(Type t) { return rows[static_cast<std::size_t>(t)].bits; }
std::string_view name(Type t) { return rows[static_cast<std::size_t>(t)].name; }
bool is_float(Type t) { return t >= Type::f16; }
bool is_signed(Type t) { return t >= Type::s8 && t <= Type::s64; }

Type type_from_name(std::string_view s) {
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i].name == s) return static_cast<Type>(i);
    return Type::none;
}

}  // namespace cugrade::ptx
