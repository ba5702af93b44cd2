#include "judging/launch_guards.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

const std::vector<std::string> parameters{"in", "n", "bins", "count"};

/// Of `run`, in calls with these n and count.
std::optional<LaunchGuard> guard_of(const std::string& text,
                                    const std::vector<std::pair<int, int>>& sizes = {{100, 256},
                                                                                     {1000, 64}}) {
    const SourceFile file{.name = "student.cu", .text = text};
    std::vector<KnownValues> calls;
    for (const auto& [n, count] : sizes) calls.push_back({{"n", n}, {"count", count}});
    return guard_of_launches(SourceCode(file), "run", parameters, calls);
}

std::string run(const std::string& body) {
    return "constexpr unsigned limit = 4096;\n"
           "void run(const int* x, size_t many, int* out, unsigned m) {\n" +
           body + "}\n";
}

}  // namespace

TEST_CASE("The condition that keeps a launch from running is evaluated") {
    struct Row {
        std::string body;
        int line;
        bool is_certain = true;
    };
    const auto row = GENERATE(values<Row>({
        {"if (many == 0) return;\nunsigned done = 0;\nwhile (done == m) {\nk<<<1, 1>>>(x);\ndone "
         "+= "
         "1;\n}\n",
         5},
        {"if (!cudaMemset(out, 0, 4 * m)) return;\nif (many == 0) return;\nk<<<1, 1>>>(x);\n", 3},
        {"cudaError_t e = cudaMemset(out, 0, 4);\nif (many < 1) return;\nif (e == cudaSuccess)\n{\n"
         "printf(\"\"); return; }\nk<<<1, 1>>>(x);\n",
         5},
        {"for (size_t i = many; i < 0; ++i) k<<<1, 1>>>(x);\n", 3},
        {"for (size_t i = 0; i < many / limit; ++i) k<<<1, 1>>>(x);\n", 3},
        {"if (m > limit) {\nk<<<1, 1>>>(x);\n} else if ((int)m > static_cast<int>(limit * 2)) {\n"
         "k<<<2, 1>>>(x);\n}\n",
         5, false},
        {"if (ready()) return;\nif (many == 0) return;\nk<<<1, 1>>>(x);\n", 3},
        {"if (a()) return;\nif (b()) return;\nk<<<1, 1>>>(x);\n", 3, false},
        {"if (many > 0) { c = 1; } else { return; }\nif (m < 8) k<<<1, 1>>>(x);\n", 4},
        {"auto go = [&] { k<<<1, 1>>>(x); };\nif (many == 0) go();\n", 0},
    }));
    const auto guard = guard_of(run(row.body));
    REQUIRE(guard);
    CHECK(guard->location.line == row.line);
    if (row.line > 0) CHECK(guard->is_certain == row.is_certain);
}

TEST_CASE("Conditions that let the launch through are not accused") {
    for (const char* body : {"if (many == 0) return;\nk<<<1, 1>>>(x);\n", "k<<<1, 1>>>(x);\n",
                             "if (m <= 64) {\na<<<1, 1>>>(x);\n} else {\nk<<<1, 1>>>(x);\n}\n",
                             "if (many < 500) return;\nk<<<1, 1>>>(x);\n",
                             "do {\nk<<<1, 1>>>(x);\n} while (many > limit);\n"}) {
        const auto guard = guard_of(run(body));
        REQUIRE(guard);
        CHECK(guard->location.line == 0);
    }
    // Nothing to launch is in the text.
    CHECK_FALSE(guard_of(run("if (many > 8) return;\ncudaMemset(out, 0, 4);\n")));
    CHECK_FALSE(guard_of("void other() {}\n"));
    CHECK_FALSE(guard_of(""));
}

TEST_CASE("A variable that is set again, and a name that is hidden, are not known") {
    const auto again =
        guard_of(run("int left = 0;\nleft = f();\nif (left == 0) return;\nk<<<1, 1>>>(x);\n"));
    REQUIRE(again);
    CHECK(again->location.line == 5);
    CHECK(again->is_certain);  // by exclusion
    const auto both = guard_of(
        run("int left = 0;\nload(&left);\nif (left) return;\nif (g()) return;\nk<<<1, 1>>>(x);\n"));
    REQUIRE(both);
    CHECK_FALSE(both->is_certain);
}

TEST_CASE("A condition in a function that is called counts, too") {
    const auto guard = guard_of(
        "void go(const int* x, int blocks) {\n    if (blocks != 0) return;\n"
        "    k<<<blocks, 1>>>(x);\n}\n"
        "void run(const int* x, size_t n, int* out, unsigned m) {\n    go(x, n + 1);\n}\n");
    REQUIRE(guard);
    CHECK(guard->location.line == 2);
    CHECK(guard->condition == "blocks != 0");
    CHECK(guard->returns);
}

TEST_CASE("What cannot be a program ends") {
    for (const std::string text :
         {"void run() { if (", "void run() { if (((((((((( k<<<1, 1>>>(); }",
          "void run() { for (;; }",
          "void run() { a = a ? : k<<<1,1>>>(); if (-!-(1) k<<<1,1>>>(); }"})
        (void)guard_of(text);
    std::string deep = "void run() { ";
    for (int i = 0; i < 2000; ++i)
        deep += "if (" + std::string(50, '(') + "1" + std::string(50, ')') + ") { ";
    (void)guard_of(deep + "k<<<1, 1>>>(x);" + std::string(2000, '}') + "}");
    std::string names = "void run(int a0) {\n";
    for (int i = 1; i < 60; ++i)
        names += "int a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + a" +
                 std::to_string(i - 1) + ";\n";
    (void)guard_of(names + "if (a59) return;\nk<<<1, 1>>>(x);\n}\n");
}
