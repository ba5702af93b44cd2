#include "core/cause.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "catch.hpp"

using namespace cugrade;

TEST_CASE("every cause has an id of its own and a short title") {
    std::set<std::string_view> ids, titles;
    for (const CauseKind& kind : causes()) {
        INFO(kind.id);
        CHECK(ids.insert(kind.id).second);
        CHECK(titles.insert(kind.title).second);
        CHECK(
            std::ranges::all_of(kind.id, [](char c) { return std::islower(c) != 0 || c == '_'; }));
        CHECK(kind.title.size() >= 10);
        CHECK(kind.title.size() <= 60);
        CHECK(cause_kind(kind.id) == &kind);
    }
    CHECK(cause_kind("missing_barrier")->title == "a barrier is missing");
    CHECK(cause_kind("no_such_cause") == nullptr);
    CHECK(cause_kind("") == nullptr);
}

TEST_CASE("a proof has a name that reads back to it") {
    for (const Proof proof : {Proof::likely, Proof::proven, Proof::untold})
        CHECK(proof_from_name(name(proof)) == proof);
    CHECK_FALSE(proof_from_name("sure").has_value());
}
