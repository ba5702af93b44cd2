// Interventions as values: their names and their JSON.
#include "emulator/interventions/intervention.hpp"

#include "catch.hpp"

using namespace cugrade;
using namespace cugrade::emulator;

TEST_CASE("interventions survive JSON") {
    const std::vector<Intervention> list{{.kind = InterventionKind::comparison,
                                          .function = "_Z3sumPKfPfi",
                                          .instruction = 0xFFFFFFFF,
                                          .value = -1,
                                          .place = {"a \"b\".cu", 12, 3},
                                          .text = "`<=` to `<`"},
                                         {}};
    const auto back = interventions_from_json(to_json(list));
    REQUIRE(back.ok());
    CHECK(*back == list);
    const auto none = interventions_from_json(to_json({}));
    REQUIRE(none.ok());
    CHECK(none->empty());
}

TEST_CASE("every kind has a name of its own") {
    for (std::size_t n = 0; n < static_cast<std::size_t>(InterventionKind::count); ++n) {
        const auto kind = static_cast<InterventionKind>(n);
        CHECK(intervention_kind(name_of(kind)) == kind);
    }
    CHECK_FALSE(intervention_kind("magic").has_value());
}

TEST_CASE("what is no list of interventions is refused in words") {
    for (const char* text : {"", "7", "[7]", "[{}]", "{\"kind\": \"comparison\"}",
                             "[{\"kind\": \"magic\", \"function\": \"\"}]"}) {
        const auto list = interventions_from_json(text);
        REQUIRE_FALSE(list.ok());
        CHECK(list.error().message.find("cannot be read") != std::string::npos);
        CHECK_FALSE(list.error().remedy.empty());
    }
    std::string deep(100, '[');
    CHECK_FALSE(interventions_from_json(deep + std::string(100, ']')).ok());
}
