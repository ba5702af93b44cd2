#include "judging/source_code.hpp"

#include "catch.hpp"

using namespace cugrade;
using Use = SourceCode::Use;

namespace {

SourceFile file(std::string text) { return {.name = "student.cu", .text = std::move(text)}; }

/// The fourth line is the kernel's name; comments and literals hold what must not be seen.
const SourceFile scan = file(R"(#include "interface.cuh"
#define THREADS 192  // not 256
const char* text = "kernel<<<1, 1>>>(\" }";
__global__ void kernel(const float* in, unsigned n, float4* to) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float* y = reinterpret_cast<float*>(to);
    if (i < n)  /* y[i] = 0; { */
        y[i] = in[i];
    atomicAdd(&y[0], 1.0f);
}
template <class T> __global__ void other(T* out) { out[0] = 1; }
void scan_all(const float* in, unsigned n, float* out) {
    const unsigned rounded = n / THREADS;
    const unsigned blocks = rounded;
    other<float><<<blocks, THREADS>>>(out + 1);
    kernel<<<(n + 255) / 256, 256>>>(in, n, (float4*)out);
}
)");

}  // namespace

TEST_CASE("tokens are cut as the language has them") {
    std::vector<std::string_view> texts;
    for (const Token& token : tokens_of("a<<<1,2>>>(b); // c\n/* d\n*/ x += 0x1F; 'e' \"f\\\"g\""))
        texts.push_back(token.text);
    CHECK(texts == std::vector<std::string_view>{"a", "<<<", "1", ",", "2", ">>>", "(", "b", ")",
                                                 ";", "x", "+=", "0x1F", ";", "'e'", "\"f\\\"g\""});
    CHECK(tokens_of("/* \n\n */ x")[0].line == 3);
    CHECK(tokens_of("").empty());
    CHECK(tokens_of("/* never closed").empty());
    CHECK(tokens_of("\"never closed").size() == 1);
    CHECK(tokens_of("\"never closed\nx")[1].line == 2);
    CHECK(tokens_of("0xffff'ffffu; 1'000.5")[0].text == "0xffff'ffffu");
    CHECK(tokens_of("0xffff'ffffu; 1'000.5")[2].text == "1'000.5");
}

TEST_CASE("functions, launches, and what is reached from a function") {
    const SourceCode code(scan);
    REQUIRE(code.functions().size() == 3);
    CHECK(code.functions()[0].name == "kernel");
    CHECK(code.functions()[0].parameters == std::vector<std::string_view>{"in", "n", "to"});
    REQUIRE(code.launches().size() == 2);
    CHECK(code.launches()[0].kernel == "other");
    CHECK(code.launches()[1].arguments.size() == 3);
    CHECK(code.reached_from("scan_all").size() == 3);
    CHECK(code.reached_from("kernel").size() == 1);
    CHECK(code.reached_from("nobody").empty());
    CHECK(code.around(8)->name == "kernel");
    CHECK(code.around(2) == nullptr);
}

TEST_CASE("where a name comes from") {
    const SourceCode code(scan);
    CHECK(code.origin_of("blocks", 15) == 13);
    CHECK(code.origin_of("i", 8) == 5);
    CHECK(code.origin_of("THREADS", 15) == 2);
    CHECK(code.origin_of("nobody", 15) == 0);
    const auto& launch = code.launches()[0];
    CHECK(code.division_of(launch.numbers[0], 15) == 13);
    CHECK(code.number_of(launch.numbers[1], 15) == 192);
    CHECK(code.division_of(code.launches()[1].numbers[0], 16) == 16);
    CHECK(code.number_of(code.launches()[1].numbers[1], 16) == 256);
}

TEST_CASE("a comparison and a product are no declarations") {
    const SourceFile text = file(
        "void f(int* a, int n) {\n    int best = 0;\n"
        "    if (a[0] > best) best = a[0];\n    n = n * best;\n}\n");
    const SourceCode code(text);
    CHECK(code.origin_of("best", 4) == 2);
    CHECK(code.origin_of("a", 3) == 1);
}

TEST_CASE("an argument is followed through launches and pointers") {
    const SourceCode code(scan);
    CHECK(code.uses_of("scan_all", 2, Use::stored) == std::vector{8, 9, 11});
    CHECK(code.uses_of("scan_all", 0, Use::read) == std::vector{8});
    CHECK(code.uses_of("scan_all", 9, Use::read).empty());
    CHECK(code.uses_of("nobody", 0, Use::read).empty());
}

TEST_CASE("a text that is cut off anywhere is no harm") {
    for (std::size_t size = 0; size <= scan.text.size(); ++size) {
        const SourceFile part = file(scan.text.substr(0, size));
        const SourceCode code(part);
        (void)code.uses_of("scan_all", 2, Use::stored);
        (void)code.origin_of("blocks", 15);
        for (const auto& launch : code.launches())
            if (!launch.numbers.empty()) (void)code.division_of(launch.numbers[0], 15);
    }
    SUCCEED();
}

TEST_CASE("a class that is named leads to its functions, and constexpr is none") {
    const SourceFile source = file(R"(struct Row {
    const float* table;
    int rows = 3;
    __device__ float operator()(int i) const { return table[i]; }
    __device__ float first() const { return table[0]; }
};
struct Other { void never() { } };
__global__ void kernel(Row row, float* out) {
    if constexpr (true) {
        out[0] = row(1);
    }
}
)");
    const SourceCode code(source);
    CHECK(code.around(9)->name == "kernel");
    CHECK(code.around(4)->parameters == std::vector<std::string_view>{"i"});
    CHECK(code.reached_from("kernel").size() == 3);
    const auto& t = code.tokens();
    const auto at = [&](std::string_view word) {
        return static_cast<std::size_t>(std::ranges::find(t, word, &Token::text) - t.begin());
    };
    CHECK(code.is_member(at("rows")));
    CHECK_FALSE(code.is_member(at("return")));
    CHECK_FALSE(code.is_member(at("kernel")));
}
