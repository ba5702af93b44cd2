#include "core/array.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>

namespace cugrade {
namespace {

struct Row {
    std::string_view name;
    std::size_t size;
};
constexpr std::array<Row, 10> rows{{{"u8", 1},
                                    {"i8", 1},
                                    {"u16", 2},
                                    {"i16", 2},
                                    {"u32", 4},
                                    {"i32", 4},
                                    {"u64", 8},
                                    {"i64", 8},
                                    {"f32", 4},
                                    {"f64", 8}}};

}  // namespace

std::string_view name(DType t) { return rows[static_cast<std::size_t>(t)].name; }
std::size_t size_of(DType t) { return rows[static_cast<std::size_t>(t)].size; }
bool is_float(DType t) { return t == DType::f32 || t == DType::f64; }
bool is_signed(DType t) {
    return is_float(t) || t == DType::i8 || t == DType::i16 || t == DType::i32 || t == DType::i64;
}

std::optional<DType> dtype_from_name(std::string_view text) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].name == text) return static_cast<DType>(i);
    return std::nullopt;
}

Array::Array(DType type, std::vector<std::int64_t> dims) : dtype(type), shape(std::move(dims)) {
    const auto count = shape.empty() ? 0
                                     : std::accumulate(shape.begin(), shape.end(), std::int64_t{1},
                                                       std::multiplies<>());
    bytes.resize(static_cast<std::size_t>(count) * size_of(dtype));
}

std::string Array::text(std::size_t index) const {
    return with_type(dtype, [&]<class T>() {
        if constexpr (sizeof(T) == 1)
            return fmt::format("{}", static_cast<int>(as<T>()[index]));
        else
            return fmt::format("{}", as<T>()[index]);
    });
}

double Array::number(std::size_t index) const {
    return with_type(dtype, [&]<class T>() { return static_cast<double>(as<T>()[index]); });
}

}  // namespace cugrade
