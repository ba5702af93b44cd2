#include "judging/place_of_missing.hpp"

#include "catch.hpp"

using namespace cugrade;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string interface_cuh = R"(#pragma once
#ifndef CUGRADE_FUNCTION
#define CUGRADE_FUNCTION
#endif
/// Not g(int);
CUGRADE_FUNCTION void take_first(const float* in, std::size_t n, float* out);
CUGRADE_FUNCTION void take_second(const float* in,
                                  std::size_t n, float* out);
CUGRADE_FUNCTION void take_third(const int* in, std::size_t n, long long* out);
)";

const std::string first = "void take_first(const float* in, std::size_t n, float* out) {}\n";
const std::string second = "void take_second(const float* in, std::size_t n, float* out) {}\n";
const std::string third = "void take_third(const int* in, std::size_t n, long long* out) {}\n";

/// Of take_second.
Cause cause_of(const std::string& text, const std::string& difference = {}) {
    const std::vector<SourceFile> files{{.name = "student.cu", .text = text}};
    return place_of_missing({.name = "take_second",
                             .interface = declarations_in(interface_cuh),
                             .difference = difference},
                            files);
}

}  // namespace

TEST_CASE("what interface.cuh declares") {
    const auto all = declarations_in(interface_cuh);
    REQUIRE(all.size() == 3);
    CHECK(all[1].name == "take_second");
    CHECK(all[1].signature == "void take_second(const float* in, std::size_t n, float* out)");
    CHECK(declarations_in("").empty());
}

TEST_CASE("a similar name that nobody calls is a misspelled one") {
    for (const char* name : {"take_seconds", "takeSecond", "take_secnod", "Take_Second"}) {
        const Cause cause =
            cause_of(first + "\nvoid\n" + name + "(const float*, int, float*) {}\n" + third);
        CHECK(cause.id == "function_misspelled");
        CHECK(cause.location.line == 4);
        CHECK_THAT(cause.sentence, ContainsSubstring(name));
    }
    // In an unnamed namespace as well: its name comes first.
    CHECK(cause_of("namespace {\nvoid take_2nd(int) {}\n}\n").id == "function_missing");
    CHECK(cause_of("namespace {\nvoid take_secon(int) {}\n}\n").location.line == 2);
}

TEST_CASE("a helper, a kernel, and another function of the interface are no misspelled ones") {
    const std::string calls =
        "void take_first(const float* in, std::size_t n, float* out) { take_seconds(n); }\n";
    CHECK(cause_of("void take_seconds(std::size_t) {}\n" + calls).id == "function_missing");
    CHECK(cause_of("__global__ void take_seconds(int) {}\n" + first).id == "function_missing");
    CHECK(cause_of("__device__ void take_seconds(int) {}\n" + first).id == "function_missing");
    CHECK(cause_of("template <class T> void take_seconds(T) {}\n" + first).id ==
          "function_missing");
    CHECK(cause_of(first + third).id == "function_missing");
    CHECK(cause_of("#define F void take_seconds() {}\n").id == "function_missing");
    CHECK(cause_of("// void take_seconds() {}\n").id == "function_missing");
}

TEST_CASE("other parameters are another signature, and both are told") {
    const Cause cause =
        cause_of(first + "void take_second(const float* in,\n    int n, float* out) {}\n",
                 "parameter 2 is `int`, not `unsigned long`");
    CHECK(cause.id == "wrong_signature");
    CHECK(cause.location.line == 2);
    CHECK(cause.end_line == 3);
    CHECK_THAT(
        cause.sentence,
        ContainsSubstring("`void take_second(const float* in, int n, float* out)`") &&
            ContainsSubstring("`void take_second(const float* in, std::size_t n, float* out)`") &&
            ContainsSubstring("parameter 2 is"));
    // Without the linker's symbols nothing tells in what.
    CHECK(cause_of("void take_second(float* in) {}\n").id == "wrong_signature");
    CHECK(cause_of("template <class T>\nvoid take_second(T in) {}\n").location.line == 2);
    CHECK_THAT(cause_of("extern \"C\" {\n" + second + "}\n").sentence, ContainsSubstring("extern"));
    // What a macro has made stands where the name is.
    const Cause made = cause_of("#define DEFINE(f) void f() {}\n\nDEFINE(take_second)\n",
                                "it has 0 parameters, not 3");
    CHECK(made.id == "wrong_signature");
    CHECK(made.location.line == 3);
    // An overload is at hand beside the kernel.
    CHECK(cause_of("__global__ void take_second(int) {}\nvoid take_second(int, int) {}\n",
                   "it has 2 parameters, not 3")
              .location.line == 2);
}

TEST_CASE("a function that others cannot call is missing, at its line") {
    struct Row {
        std::string text;
        int line;
        std::string says;
    };
    const auto row = GENERATE(values<Row>({
        {"namespace {\n" + first + second + "}\n" + third, 3,
         "unnamed namespace that begins in line 1"},
        {"namespace a::b {\n" + second + "}\n", 2, "in `a::b`"},
        {"struct S {\n" + second + "};\n", 2, "in `S`"},
        {"namespace n { void take_second(); }\nvoid n::take_second() {}\n", 2, "in `n`"},
        {first + "static " + second, 2, "`static`"},
        {"inline " + second, 1, "`inline`"},
        {first + "#if 0\n" + second + "#endif\n" + third, 3, "`#if` in line 2"},
        {"#ifdef A\n#else\n" + second + "#endif\n", 3, "`#if` in line 2"},
        {"extern \"C++\" {\nvoid f() {\n" + second + "}\n}\n", 3, "does not see"},
    }));
    const Cause cause = cause_of(row.text);
    CHECK(cause.id == "function_missing");
    CHECK(cause.location.line == row.line);
    CHECK_THAT(cause.sentence, ContainsSubstring(row.says));
    CHECK_FALSE(cause.advice.empty());
}

TEST_CASE("a function that is nowhere belongs in the interface's order, or to the end") {
    CHECK(cause_of(first + "\n" + third).location.line == 3);
    CHECK(cause_of(first + "template <int N>\nvoid f() {}\n\n__host__\n" + third).location.line ==
          5);
    CHECK(cause_of(third + "\n" + first + "// end\n\n").location.line == 4);
    CHECK(cause_of(first + "int a;\n").location.line == 2);
    const Cause none = cause_of("");
    CHECK(none.id == "function_missing");
    CHECK(none.location.line == 0);
    const Cause kernel = cause_of("__global__ void take_second(const float* in) {}\n" + third);
    CHECK(kernel.id == "function_missing");
    CHECK(kernel.location.line == 2);
    REQUIRE(kernel.second);
    CHECK(kernel.second->line == 1);
    CHECK_THAT(kernel.sentence, ContainsSubstring("kernel"));
}
