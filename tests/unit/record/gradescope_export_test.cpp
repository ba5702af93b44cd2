// Gradescope's submission_metadata.yml: who has handed in what, and when.
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/utc.hpp"
#include "record/gradescope_export.hpp"

using namespace cugrade;
using namespace cugrade::record;

namespace {

const std::string two = R"(---
submission_4567:
  :submitters:
  - :name: Ada Lovelace
    :sid: '5107'
    :email: ada@x.edu
  :created_at: 2026-11-30 22:59:12.345678000 Z
  :score: 10.0
  :status: processed
  :history:
  - :id: 1
    :created_at: 2026-11-29 10:00:00.000000000 Z
    :score: 4.0
submission_4568:
  :submitters:
  - :name: Bob Stroud
    :sid: 88
    :email:
  - :name: Amélie Dupont
    :email: ame@x.edu
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2026-12-01 08:00:00.000000000 Z
    zone: &1 !ruby/object:ActiveSupport::TimeZone
      name: America/Los_Angeles
    time: 2026-12-01 00:00:00.000000000 Z
submission_4569:
  :submitters: []
)";

std::string fault(const std::string& text) {
    const auto out = read_gradescope_export(text, "submission_metadata.yml");
    return out ? "nothing" : out.error().text();
}

/// `two` with one part replaced.
std::string with(const std::string& part, const std::string& by) {
    std::string out = two;
    REQUIRE(out.find(part) != std::string::npos);
    return out.replace(out.find(part), part.size(), by);
}

}  // namespace

TEST_CASE("an export tells submitters and times") {
    const auto out = read_gradescope_export(two, "x");
    if (!out) FAIL(out.error().text());
    REQUIRE(out->size() == 3);
    const ExportedSubmission& ada = out->at(0);
    CHECK(ada.name == "submission_4567");
    CHECK(ada.line == 2);
    REQUIRE(ada.submitters.size() == 1);
    CHECK(ada.submitters[0].name == "Ada Lovelace");
    CHECK(ada.submitters[0].sid == "5107");
    CHECK(ada.submitters[0].email == "ada@x.edu");
    REQUIRE(ada.created_at.has_value());
    CHECK(utc_text(*ada.created_at) == "2026-11-30T22:59:12Z");
    const ExportedSubmission& group = out->at(1);
    CHECK(group.line == 14);
    REQUIRE(group.submitters.size() == 2);
    CHECK(group.submitters[0].sid == "88");
    CHECK(group.submitters[0].email.empty());
    CHECK(id_of(group.submitters[0]) == "88");
    CHECK(id_of(group.submitters[1]) == "ame@x.edu");
    REQUIRE(group.created_at.has_value());
    CHECK(utc_text(*group.created_at) == "2026-12-01T08:00:00Z");
    CHECK(out->at(2).submitters.empty());
    CHECK_FALSE(out->at(2).created_at.has_value());
    CHECK(read_gradescope_export("--- {}\n", "x")->empty());
}

TEST_CASE("a time of an export may be in any zone") {
    const auto out = read_gradescope_export(
        with("2026-11-30 22:59:12.345678000 Z", "2026-11-30 14:59:12.345678000 -08:00"), "x");
    if (!out) FAIL(out.error().text());
    CHECK(utc_text(*out->at(0).created_at) == "2026-11-30T22:59:12Z");
}

TEST_CASE("a wrong export is told by line") {
    CHECK(fault("- a\n").starts_with("submission_metadata.yml:1: this is no map"));
    CHECK(fault("a: [\n").starts_with("submission_metadata.yml:2: this is no YAML"));
    CHECK(fault("\na: 1\n")
              .starts_with(
                  "submission_metadata.yml:2: a map with `:submitters:` is expected here (at a)"));
    CHECK(fault("a:\n  :score: 1\n")
              .starts_with("submission_metadata.yml:1: the key `:submitters:` is missing (at a)"));
    CHECK(fault("a:\n  :submitters: x\n")
              .starts_with("submission_metadata.yml:2: a list of submitters is expected here "
                           "(at a.:submitters)"));
    CHECK(fault("a:\n  :submitters:\n  - x\n")
              .starts_with("submission_metadata.yml:3: a map with `:name:`"));
    CHECK(fault(with("    :sid: '5107'", "    :sid: [1]"))
              .starts_with("submission_metadata.yml:5: a single value is expected here "
                           "(at submission_4567.:submitters.:sid)"));
    CHECK(fault("a:\n  :submitters:\n  - :sid: ''\n")
              .starts_with("submission_metadata.yml:3: a submitter has neither"));
    CHECK(fault(with("22:59:12.345678000 Z", "22:59:12"))
              .starts_with("submission_metadata.yml:7: `2026-11-30 22:59:12` is no time with a "
                           "zone (at submission_4567.:created_at)"));
    CHECK(fault(with("submission_4568:", "submission_4567:"))
              .starts_with("submission_metadata.yml:14: this submission is in line 2, too"));
    CHECK(fault(with("Bob", "B\x04ob")).starts_with("submission_metadata.yml:16: a control char"));
    CHECK(fault("a:\n  :submitters: []\n---\nb: 1\n")
              .starts_with("submission_metadata.yml:3: something follows the document"));
    CHECK(fault("a: 1\n").ends_with("give the file as Gradescope has exported it, or remove it"));
}

TEST_CASE("a submitter is known by the sid, then by the email, then by the name") {
    const auto roster = Roster::read(
        "id,name,lms_id,email\n"
        "s1,Ada Lovelace,5107,Ada@X.edu\n"
        "s2,Bob Stroud,88,bob@x.edu\n"
        "s3,Dan Brown,,\n"
        "s4,Dan Brown,,dan@x.edu\n",
        "roster.csv");
    REQUIRE(roster.ok());
    const auto whose = [&](const Submitter& who) -> std::string {
        const Named named = roster->whose(who);
        if (!named.problem.empty()) return named.problem;
        return named.student == nullptr ? "nobody" : named.student->id;
    };
    CHECK(whose({.name = "Bob Stroud", .sid = "5107", .email = "bob@x.edu"}) == "s1");
    CHECK(whose({.name = "Bob Stroud", .sid = "s1", .email = "bob@x.edu"}) == "s1");
    CHECK(whose({.name = "Bob Stroud", .sid = "9", .email = "ada@x.EDU"}) == "s1");
    CHECK(whose({.name = "bob stroud", .sid = "9", .email = "else@x.edu"}) == "s2");
    CHECK(whose({.name = "Dan Brown", .sid = "", .email = "dan@x.edu"}) == "s4");
    CHECK(whose({.name = "Dan Brown", .sid = "", .email = ""}) ==
          "Dan Brown may be s3 or s4; call it by the id");
    CHECK(whose({.name = "Eve", .sid = "9", .email = "eve@x.edu"}) == "nobody");
    // Students without a number, email or name are not those who have none, either.
    CHECK(whose({.name = "", .sid = "", .email = "eve@x.edu"}) == "nobody");
    CHECK(whose({.name = "Eve", .sid = "", .email = ""}) == "nobody");
}
