// Places of edits in a submission's text.
#include "catch.hpp"
#include "judging/place_to_edit.hpp"
#include "judging/source_places.hpp"

using namespace cugrade;

namespace {

const std::string tree = R"(// if (a < b) {
__global__ void sums(const int* in, int n, int* out) {
    extern __shared__ int s[];
    __shared__ int part[8];   // s[0] = 1;
    int t = threadIdx.x;
    if (t < n) s[t] = in[t];
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) {
            s[t] +=
                s[t + k];
        }
        else if (t == 3)
            part[0] == s[1];
        const char c = '{', *text = "if (x < y) {";
    }
    if (t == 0 || n > 3)
        if (t == 0)
            out[blockIdx.x] = s[0];
}
void run(const int* in, int n, int* out) {
    int blocks =
        (n + 255) / 256;

    sums<<<blocks, 256>>>(in, n, out);
}
)";

Cause moved(const std::string& id, int line, Proof proof, const std::string& sentence,
            const std::string& advice, std::vector<ArgumentSpec> arguments = {}) {
    TaskSpec task;
    task.arguments = std::move(arguments);
    Cause cause{.id = id, .location = {"student.cu", line, 5}};
    cause.proof = proof;
    cause.sentence = sentence;
    cause.advice = advice;
    move_to_edit(task, std::vector{SourceFile{"student.cu", tree}}, cause);
    return cause;
}

}  // namespace

TEST_CASE("a barrier goes behind the branches around a line, inside of the loop") {
    const SourceText text(tree);
    CHECK(text.line_behind_branches(6) == 6);
    CHECK(text.line_behind_branches(9) == 13);  // behind the `else`, too
    CHECK(text.line_behind_branches(13) == 13);
    CHECK(text.line_behind_branches(14) == 14);
    CHECK(text.line_behind_branches(18) == 18);
    CHECK(text.line_before_branches(18) == 15);
    CHECK(text.line_before_branches(10) == 7);
    CHECK(text.line_before_branches(6) == 5);
    CHECK(text.line_before(24) == 22);
    CHECK(text.is_below(9, 8));
    CHECK(text.is_below(18, 16));
    CHECK_FALSE(text.is_below(9, 6));
}

TEST_CASE("declarations and stores of shared arrays are found, comments are not") {
    const SourceText text(tree);
    CHECK(text.shared_declaration("part", 10) == 4);
    CHECK(text.shared_declaration("", 10) == 3);
    CHECK(text.shared_name(3) == "s");
    CHECK(text.shared_declaration("t", 10) == 0);
    CHECK(text.last_store("s", 3, 18) == 6);  // += needs a value, and so does what is compared
    CHECK(text.last_store("part", 4, 18) == 0);
    CHECK(text.definition("run") == 20);
    CHECK(text.definition("nothing") == 0);
    CHECK_FALSE(text.launches_nothing("run"));
    CHECK(SourceText("void run(int n) { // k<<<1, n>>>()\n (void)n; if (n) cudaDeviceSynchronize(); }")
              .launches_nothing("run"));
    CHECK_FALSE(SourceText("void run(int n) { helper (n); }").launches_nothing("run"));
    CHECK(definition_of("course::run", std::vector{SourceFile{"a.cu", "int run;"},
                                                   SourceFile{"b.cu", tree}}) ==
          SourceLocation{"b.cu", 20, 0});
}

TEST_CASE("a text that nobody would write by hand is not scanned") {
    CHECK(is_legible(tree));
    CHECK(is_legible(""));
    CHECK_FALSE(is_legible(std::string(200'000, '\n')));
    CHECK_FALSE(is_legible(std::string(100, '(')));
    CHECK_FALSE(is_legible("int x = " + std::string(5000, '1') + ";"));
    const auto files = legible(std::vector{SourceFile{"a.cu", tree}, SourceFile{"b.cu", "{" + std::string(64, '[')}});
    CHECK(files[0].text == tree);
    CHECK(files[1].name == "b.cu");
    CHECK(files[1].text.empty());
    CHECK(SourceText("\"").line_before(1) == 0);
    CHECK(SourceText("").line_before_branches(7) == 7);
}

TEST_CASE("a cause is moved to the line to edit, and its advice with it") {
    auto cause = moved("missing_barrier", 9, Proof::proven, "A barrier is missing after line 9.",
                       "Put __syncthreads() after line 9, where all come by.");
    CHECK(cause.location == SourceLocation{"student.cu", 13, 0});
    CHECK(cause.sentence == "A barrier is missing after line 13.");
    CHECK(cause.advice == "Put __syncthreads() after line 13, where all come by.");

    cause = moved("missing_barrier", 10, Proof::proven, "A barrier is missing before line 10.",
                  "Put __syncthreads() before line 10.");
    CHECK(cause.location == SourceLocation{"student.cu", 7, 0});
    CHECK(cause.advice == "Put __syncthreads() after line 7.");

    cause = moved("missing_barrier", 9, Proof::likely, "", "Put __syncthreads() between them.");
    CHECK(cause.location == SourceLocation{"student.cu", 9, 5});

    cause = moved("uninitialised_output", 24, Proof::proven, "", "");
    CHECK(cause.location.line == 22);
    CHECK(cause.advice == "Set the output first: cudaMemset before the launch in line 24.");
}

TEST_CASE("an array of which nobody sets a part is edited where the rest is set") {
    auto cause = moved("uninitialised_shared", 9, Proof::likely, "reads `s` in shared memory", "");
    CHECK(cause.id == "uninitialised_shared");
    CHECK(cause.location.line == 6);
    cause = moved("uninitialised_shared", 13, Proof::likely, "reads `part` in shared memory", "");
    CHECK(cause.location.line == 4);
    CHECK(cause.advice ==
          "Set `part` behind line 4: each thread stores some of its elements, then "
          "__syncthreads().");
    // In a task with a mask, the rest is the halo.
    cause = moved("uninitialised_shared", 9, Proof::likely, "reads `s` in shared memory", "",
                  {{.name = "mask"}});
    CHECK(cause.id == "halo_missing");
}

TEST_CASE("a kernel is called as its author has") {
    CHECK(kernel_name("scale(float*, int)") == "scale");
    CHECK(kernel_name("void scale<float>(float*, int)") == "scale");
    CHECK(kernel_name("void mine::scale<float>(float*, int)") == "scale");
    CHECK(kernel_name("(anonymous namespace)::scale(float*)") == "scale");
    CHECK(kernel_name("void (anonymous namespace)::scale<float>(float*)") == "scale");
    CHECK(kernel_name("void mine::(anonymous namespace)::scale<(anonymous namespace)::T>(int)") ==
          "scale");
    CHECK(kernel_name("scale((anonymous namespace)::T)") == "scale");
}
