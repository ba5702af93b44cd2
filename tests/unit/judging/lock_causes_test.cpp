#include "judging/lock_causes.hpp"

#include "catch.hpp"

using namespace cugrade;
using emulator::Finding;
using emulator::FindingKind;

namespace {

const std::vector<SourceFile>& source() {
    static const std::vector<SourceFile> files{
        {"a.cu",
         "__global__ void book(int* locks, int f, int t) {\n"
         "    int one = f;\n"
         "    int two = t;\n"
         "    while (atomicCAS(locks + one, 0, 1) != 0) {}\n"
         "    while (atomicCAS(locks + two, 0, 1) != 0) {}\n"
         "}\n"
         "void f() {\n"
         "    cudaMalloc(&balance, n);\n"
         "    cudaMemset(balance, 0, n);\n"
         "    cudaMalloc(&locks, n);\n"
         "}\n"}};
    return files;
}

Cause cause_of(FindingKind kind, int line, int second) {
    Finding one;
    one.kind = kind;
    one.place = {"a.cu", line, 5};
    if (second != 0) one.second = emulator::Place{"a.cu", second, 5};
    const Finding other;  // a race
    const auto cause = lock_cause(std::vector{other, one}, source());
    REQUIRE(cause);
    CHECK(cause->proof == Proof::proven);
    return *cause;
}

}  // namespace

TEST_CASE("locks that are taken in different orders lead to the choice of the first") {
    const Cause cause = cause_of(FindingKind::lock_order, 5, 4);
    CHECK(cause.id == "lock_order");
    CHECK(cause.location.line == 2);
}

TEST_CASE("other locks lead to where they are taken") {
    CHECK(cause_of(FindingKind::lock_taken_twice, 5, 4).location.line == 5);
    CHECK(cause_of(FindingKind::lock_per_lane, 5, 4).id == "lock_per_lane");
    CHECK(cause_of(FindingKind::lock_not_released, 4, 0).sentence.find("comes back") !=
          std::string::npos);
    CHECK(cause_of(FindingKind::lock_not_released, 4, 5).sentence.find("ends without") !=
          std::string::npos);
}

TEST_CASE("a lock that was never set to free leads to its allocation") {
    CHECK(cause_of(FindingKind::lock_not_initialised, 4, 4).location.line == 10);
    CHECK_FALSE(lock_cause({}, source()));
}
