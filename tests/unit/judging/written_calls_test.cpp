#include "judging/written_calls.hpp"

#include "catch.hpp"

#include "judging/source_places.hpp"

namespace cugrade {
namespace {

std::vector<SourceFile> source(std::string text) { return {{"a.cu", std::move(text)}}; }

TEST_CASE("Calls are found with their arguments") {
    const auto files = source(
        "cudaError_t cudaFree(void* p);\n"
        "// cudaFree(no);\n"
        "void f() {\n"
        "    printf(\"cudaFree(no)\");\n"
        "    cudaFree(a[i + g(1, 2)]);\n"
        "    if (x) cudaFree\n"
        "        (b);\n"
        "    cudaMalloc<float>(&p, n * sizeof(float));\n"
        "}\n");
    const auto frees = calls_of("cudaFree", files);
    REQUIRE(frees.size() == 2);
    CHECK(frees[0].location == SourceLocation{"a.cu", 5, 5});
    CHECK(frees[0].arguments == std::vector<std::string>{"a[i + g(1, 2)]"});
    CHECK(frees[1].location.line == 6);
    const auto mallocs = calls_of("cudaMalloc", files);
    REQUIRE(mallocs.size() == 1);
    CHECK(mallocs[0].arguments == std::vector<std::string>{"&p", "n * sizeof(float)"});
}

TEST_CASE("Launches are found with what they ask for") {
    const auto files = source(
        "template <class T> __global__ void sum(const T* in, T* out) {}\n"
        "void f() {\n"
        "    sum<float><<<(n + 255) / 256, dim3(16, 16),\n"
        "                 16 * sizeof(float)>>>(in, out);\n"
        "}\n");
    const auto launches = calls_of("sum", files);
    REQUIRE(launches.size() == 1);
    CHECK(launches[0].is_launch());
    CHECK(launches[0].location.line == 3);
    CHECK(launches[0].configuration ==
          std::vector<std::string>{"(n + 255) / 256", "dim3(16, 16)", "16 * sizeof(float)"});
    CHECK(launches[0].arguments == std::vector<std::string>{"in", "out"});
}

TEST_CASE("An argument leads to its variable") {
    CHECK(variable_of("x") == "x");
    CHECK(variable_of("&x") == "x");
    CHECK(variable_of("(void**)&x") == "x");
    CHECK(variable_of("reinterpret_cast<void**>(&x)") == "x");
    CHECK(variable_of("v.data()") == "v");
    CHECK(variable_of("p.x") == "x");
    CHECK(variable_of("a + n") == "a");
    CHECK(variable_of("f(a, b)").empty());
    CHECK(variable_of("16").empty());
}

TEST_CASE("Arrays and variables of the device are found where they are declared") {
    const auto files = source(
        "#define TAPS 4096  // of them\n"
        "__constant__ float c_mask[1024];\n"
        "__device__ int taken = 0;\n"
        "void g(const float* in) { int i = in[3]; }\n"
        "__global__ void f() {\n"
        "    __shared__ float tile[16][17], more[32];\n"
        "    extern __shared__ int all[];\n"
        "    tile[0][1] = c_mask[3];\n"
        "}\n"
        "__global__ void h() {\n"
        "    __shared__ float tile[8];\n"
        "    tile[9] = 0;\n"
        "}\n");
    const auto mask = declaration_of("c_mask", files);
    REQUIRE(mask);
    CHECK(mask->location.line == 2);
    CHECK(mask->has("__constant__"));
    CHECK(mask->extent == "1024");
    CHECK(declaration_of("taken", files)->location.line == 3);
    CHECK_FALSE(declaration_of("in", files));
    CHECK(declaration_of("tile", "a.cu", 8, files)->location.line == 6);
    CHECK(declaration_of("tile", "a.cu", 12, files)->location.line == 11);
    CHECK(declaration_of("more", "a.cu", 8, files)->extent == "32");
    CHECK(declaration_of("all", "a.cu", 8, files)->has("extern"));
    CHECK(names_in("a.cu", 8, files) == std::vector<std::string>{"tile", "c_mask"});
}

TEST_CASE("A place widens to the branch that decides about it") {
    const std::string_view text =
        "void f() {\n"
        "    if (n > room) {\n"
        "        g();\n"
        "        h();\n"
        "    }\n"
        "    if (n >= count)\n"
        "        k();\n"
        "    l();\n"
        "}\n";
    CHECK(SourceText(text).head_of_branch(4) == 2);
    CHECK(SourceText(text).head_of_branch(7) == 6);
    CHECK(SourceText(text).head_of_branch(8) == 8);
}

}  // namespace
}  // namespace cugrade
