#include "core/array.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace cugrade;

TEST_CASE("every element type has a name that reads back to it and the size of its C++ type") {
    for (int i = 0; i <= static_cast<int>(DType::f64); ++i) {
        const auto type = static_cast<DType>(i);
        INFO(name(type));
        CHECK(dtype_from_name(name(type)) == type);
        with_type(type, [&]<class T>() {
            CHECK(size_of(type) == sizeof(T));
            CHECK(is_float(type) == std::is_floating_point_v<T>);
            CHECK(is_signed(type) == std::is_signed_v<T>);
            CHECK(dtype_of<T>::value == type);
        });
    }
    CHECK_FALSE(dtype_from_name("f16").has_value());
    CHECK_FALSE(dtype_from_name("").has_value());
}

TEST_CASE("an array has as many zeros as its shape says") {
    const Array a(DType::i32, {3, 4});
    CHECK(a.size() == 12);
    CHECK(a.bytes.size() == 48);
    for (const auto x : a.as<std::int32_t>()) CHECK(x == 0);
    CHECK(Array(DType::f64, {5, 0}).size() == 0);
    CHECK(Array(DType::f64, {}).size() == 0);
    CHECK(Array().size() == 0);
}

TEST_CASE("elements are told as text that reads back to the same bits") {
    Array bytes(DType::u8, {2});
    bytes.as<std::uint8_t>()[1] = 200;
    CHECK(bytes.text(0) == "0");
    CHECK(bytes.text(1) == "200");  // a number, not a character
    Array chars(DType::i8, {1});
    chars.as<std::int8_t>()[0] = -56;
    CHECK(chars.text(0) == "-56");
    CHECK(chars.number(0) == -56);

    Array words(DType::u64, {1});
    words.as<std::uint64_t>()[0] = std::numeric_limits<std::uint64_t>::max();
    CHECK(words.text(0) == "18446744073709551615");

    Array floats(DType::f32, {3});
    floats.as<float>()[0] = 0.1F;
    floats.as<float>()[1] = std::numeric_limits<float>::quiet_NaN();
    floats.as<float>()[2] = 16777216.0F;
    CHECK(floats.text(0) == "0.1");
    CHECK(floats.text(1) == "nan");
    CHECK(std::stof(floats.text(2)) == 16777216.0F);
    CHECK(floats.number(0) == static_cast<double>(0.1F));
    CHECK(std::isnan(floats.number(1)));

    Array doubles(DType::f64, {1});
    doubles.as<double>()[0] = 1.0 / 3;
    CHECK(std::stod(doubles.text(0)) == 1.0 / 3);
}
