#include "judging/lock_places.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

const std::vector<SourceFile>& source() {
    static const std::vector<SourceFile> files{
        {"a.cu",
         "struct Lock {\n"
         "    int* word;\n"
         "    __device__ bool try_lock() { return atomicCAS(word, 0, 1) == 0; }\n"
         "    __device__ void unlock() { __threadfence(); atomicExch(word, 0); }\n"
         "};\n"
         "__device__ void leaves(Lock l, int* sum, bool late) {\n"
         "    while (!l.try_lock()) {}\n"
         "    if (late) {\n"
         "        return;\n"
         "    }\n"
         "    sum[0] = 1;\n"
         "    l.unlock();\n"
         "}\n"
         "__device__ void keeps(Lock a, Lock b, int* sum, bool one) {\n"
         "    for (bool done = false; !done;) {\n"
         "        if (!a.try_lock()) continue;\n"
         "        if (one || b.try_lock()) {\n"
         "            sum[0] = 1;\n"
         "            if (!one) b.unlock();\n"
         "            a.unlock();\n"
         "            done = true;\n"
         "        }\n"
         "    }\n"
         "}\n"
         "__device__ void forgets(int* locks, int f, int t, int* sum) {\n"
         "    bool two = f != t;\n"
         "    if (atomicCAS(&locks[f], 0, 1) == 0) {\n"
         "        if (!two || atomicCAS(&locks[t], 0, 1) == 0) {\n"
         "            sum[0] = 1;\n"
         "            if (two) {\n"
         "                atomicExch(&locks[t], 0);\n"
         "                atomicExch(&locks[f], 0);\n"
         "            }\n"
         "        } else {\n"
         "            atomicExch(&locks[f], 0);\n"
         "        }\n"
         "    }\n"
         "}\n"}};
    return files;
}

CallChain chain(std::initializer_list<int> lines) {
    CallChain all;
    for (const int line : lines) all.push_back({"a.cu", line, 0});
    return all;
}

int line_of(const std::optional<SourceLocation>& one) { return one ? one->line : 0; }

}  // namespace

TEST_CASE("a lock that is not given back: the way out, the missing else, the release in a branch") {
    CHECK(line_of(missed_release(chain({3, 7}), LostBy::ending, source())) == 9);
    CHECK(line_of(missed_release(chain({3, 16}), LostBy::coming_back, source())) == 22);
    CHECK(line_of(missed_release(chain({27}), LostBy::ending, source())) == 32);
}

TEST_CASE("what the text does not show has no place") {
    CHECK_FALSE(missed_release(chain({3}), LostBy::ending, source()));
    CHECK_FALSE(missed_release(chain({11}), LostBy::ending, source()));
    CHECK_FALSE(missed_release({{"b.cu", 3, 0}}, LostBy::ending, source()));
}

TEST_CASE("a lock is taken where the function is called that does nothing else") {
    CHECK(call_that_takes(chain({3, 7}), source()).line == 7);
    CHECK(call_that_takes(chain({27}), source()).line == 27);
    CHECK(call_that_takes(chain({50}), source()).line == 50);
}

TEST_CASE("a second lock is decided on where its flag is set, or else at the call") {
    CHECK(decision_to_take(chain({28}), source()).line == 26);
    CHECK(decision_to_take(chain({3, 17}), source()).line == 17);
}
