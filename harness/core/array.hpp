// A dense, row-major host array of one of the ten element types that tasks use.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade {

enum class DType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };

[[nodiscard]] std::string_view name(DType);  ///< "u8", ..., "f64", as in assignment.yaml
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view);
[[nodiscard]] std::size_t size_of(DType);  ///< bytes
[[nodiscard]] bool is_float(DType);
[[nodiscard]] bool is_signed(DType);

template <class T>
struct dtype_of;
template <>
struct dtype_of<std::uint8_t> {
    static constexpr DType value = DType::u8;
};
template <>
struct dtype_of<std::int8_t> {
    static constexpr DType value = DType::i8;
};
template <>
struct dtype_of<std::uint16_t> {
    static constexpr DType value = DType::u16;
};
template <>
struct dtype_of<std::int16_t> {
    static constexpr DType value = DType::i16;
};
template <>
struct dtype_of<std::uint32_t> {
    static constexpr DType value = DType::u32;
};
template <>
struct dtype_of<std::int32_t> {
    static constexpr DType value = DType::i32;
};
template <>
struct dtype_of<std::uint64_t> {
    static constexpr DType value = DType::u64;
};
template <>
struct dtype_of<std::int64_t> {
    static constexpr DType value = DType::i64;
};
template <>
struct dtype_of<float> {
    static constexpr DType value = DType::f32;
};
template <>
struct dtype_of<double> {
    static constexpr DType value = DType::f64;
};

struct Array {
    DType dtype = DType::u8;
    std::vector<std::int64_t> shape;  ///< row-major; empty means no element, not a scalar
    std::vector<std::byte> bytes;     ///< element count times size_of(dtype)

    Array() = default;
    /// Zero-filled.
    Array(DType dtype, std::vector<std::int64_t> shape);
    bool operator==(const Array&) const = default;

    [[nodiscard]] std::size_t size() const { return bytes.size() / size_of(dtype); }  ///< elements

    template <class T>
    [[nodiscard]] std::span<T> as() {
        assert(dtype_of<T>::value == dtype);
        return {reinterpret_cast<T*>(bytes.data()), size()};
    }
    template <class T>
    [[nodiscard]] std::span<const T> as() const {
        assert(dtype_of<T>::value == dtype);
        return {reinterpret_cast<const T*>(bytes.data()), size()};
    }

    /// Element `index` (row-major) as text: integers in full, floats in the shortest form that
    /// reads back to the same bits.
    [[nodiscard]] std::string text(std::size_t index) const;
    /// Element `index` as a double (64-bit integers are rounded).
    [[nodiscard]] double number(std::size_t index) const;
};

/// Calls f.template operator()<T>() with the C++ type of `dtype`.
template <class F>
decltype(auto) with_type(DType dtype, F&& f) {
    switch (dtype) {
        case DType::u8: return f.template operator()<std::uint8_t>();
        case DType::i8: return f.template operator()<std::int8_t>();
        case DType::u16: return f.template operator()<std::uint16_t>();
        case DType::i16: return f.template operator()<std::int16_t>();
        case DType::u32: return f.template operator()<std::uint32_t>();
        case DType::i32: return f.template operator()<std::int32_t>();
        case DType::u64: return f.template operator()<std::uint64_t>();
        case DType::i64: return f.template operator()<std::int64_t>();
        case DType::f32: return f.template operator()<float>();
        case DType::f64: break;
    }
    return f.template operator()<double>();
}

}  // namespace cugrade
