#include "core/error.hpp"

#include "catch.hpp"

using namespace cugrade;

TEST_CASE("an error's text names what is known of its place") {
    Error e{.kind = ErrorKind::configuration, .message = "unknown key `x`"};
    CHECK(e.text() == "unknown key `x`");
    e.column = 7;  // of no use without a line
    CHECK(e.text() == "unknown key `x`");
    e.file = "grading.yaml";
    CHECK(e.text() == "grading.yaml: unknown key `x`");
    e.line = 3;
    CHECK(e.text() == "grading.yaml:3:7: unknown key `x`");
    e.column = 0;
    e.key = "defaults.x";
    e.remedy = "remove it";
    CHECK(e.text() == "grading.yaml:3: unknown key `x` (at defaults.x)\n  remove it");
}

TEST_CASE("a result holds a value or an error") {
    Result<std::string> value = std::string("fine");
    REQUIRE(value);
    CHECK(*value == "fine");
    CHECK(value->size() == 4);
    const Result<std::string> error = Error{.message = "not fine"};
    REQUIRE_FALSE(error);
    CHECK(error.error().message == "not fine");
    CHECK(error.error().kind == ErrorKind::harness);
}

TEST_CASE("a harness fault says in what() what its error says") {
    const HarnessFault fault(
        Error{.message = "no space left", .file = "/tmp/x", .remedy = "make room"});
    CHECK(std::string(fault.what()) == fault.error().text());
    CHECK(HarnessFault("broken").error().kind == ErrorKind::harness);
}
