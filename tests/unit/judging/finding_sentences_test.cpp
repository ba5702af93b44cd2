// How a finding is told as a cause.
#include "catch.hpp"
#include "judging/finding_sentences.hpp"

using namespace cugrade;

namespace {

CheckerFinding finding(const std::string& kind, const std::string& message, int line,
                       int second = 0) {
    CheckerFinding out{.kind = kind, .message = message, .location = SourceLocation{"a.cu", line, 1}};
    if (second > 0) out.second_location = SourceLocation{"a.cu", second, 1};
    return out;
}

}  // namespace

TEST_CASE("a finding is told by its lines and its array") {
    CHECK(sentence_of(finding("shared_race", "thread (1,0,0) reads `s` in shared memory", 9, 7)) ==
          "Threads of a block use `s` in lines 7 and 9, at least one of them writes, and no barrier "
          "makes them wait.");
    CHECK(sentence_of(finding("global_race", "thread (1,0,0) reads 0x3000, 0 bytes into `out`", 9)) ==
          "Threads use `out` in line 9, at least one of them writes, and nothing orders them.");
    CHECK(sentence_of(finding("uninitialised_read", "reads byte 8 of the block's shared memory", 4)) ==
          "Line 4 uses what nobody has written in shared memory.");
    CHECK(sentence_of(finding("out_of_bounds",
                              "reads 4 bytes at 0x3000, 8 bytes before the start of `in` (4 bytes)",
                              4)) == "Line 4 accesses memory before the start of `in`.");
    CHECK(sentence_of(finding("out_of_bounds",
                              "writes at 448 bytes past the end of the block's shared memory", 4)) ==
          "Line 4 accesses memory past the end of the block's shared memory.");
    CHECK(sentence_of(finding("barrier_divergence", "but 3 threads have ended without coming", 9, 5)) ==
          "Some threads of a block have left in line 5 and do not come to the barrier in line 9, "
          "which is for all of them.");
    // No line, or nothing to add to the message.
    CHECK(sentence_of({.kind = "shared_race", .message = "races"}).empty());
    CHECK(sentence_of(finding("misaligned", "at 0x3001", 4)).empty());
    CHECK(sentence_of(finding("out_of_bounds", "what is no device address", 4)).empty());
}

TEST_CASE("a fact has no advice, and is a sentence") {
    CHECK(fact_of("thread 1 reads it; blocks run in any order: use an atomic") ==
          "Thread 1 reads it; blocks run in any order.");
    CHECK(fact_of("it waits. A barrier is for all threads of the block. Have all") == "It waits.");
    CHECK(fact_of("two lines\nmore") == "Two lines.");
    CHECK(fact_of("a.cu:7: error: no") == "a.cu:7: error: no.");
    CHECK(fact_of("").empty());
}
