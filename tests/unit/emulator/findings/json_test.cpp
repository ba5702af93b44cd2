#include "emulator/findings/json.hpp"
#include "catch.hpp"

using namespace cugrade;
using namespace cugrade::emulator;

TEST_CASE("findings: what is written is read back") {
    Finding race;
    race.kind = FindingKind::global_race;
    race.message = "thread (1,0,0) of block (2,0,0) reads \"x\"";
    race.kernel = "k(int*)";
    race.block = {2, 0, 0};
    race.thread = {1, 0, 0};
    race.place = {"/src/a.cu", 12, 5};
    race.second = Place{"/src/b.cuh", 3, 0};
    race.callers = {{"/src/a.cu", 30, 1}, {"/src/a.cu", 40, 2}};
    race.second_callers = {{"/src/a.cu", 31, 1}};
    race.buffer = "`x`";
    race.count = 7;
    Finding leak;
    leak.kind = FindingKind::never_freed;
    leak.message = "`allocation 1` was never freed";
    const auto read = findings_from_json(to_json(FindingList{{race, leak}, 3}));
    REQUIRE(read.ok());
    CHECK(read->dropped == 3);
    REQUIRE(read->all.size() == 2);
    const Finding& first = read->all[0];
    CHECK(first.kind == race.kind);
    CHECK(first.message == race.message);
    CHECK(first.kernel == race.kernel);
    CHECK(first.block == race.block);
    CHECK(first.thread == race.thread);
    CHECK(first.place == race.place);
    CHECK(first.second == race.second);
    CHECK(first.callers == race.callers);
    CHECK(first.second_callers == race.second_callers);
    CHECK(first.buffer == race.buffer);
    CHECK(first.count == race.count);
    CHECK_FALSE(read->all[1].second);
}

TEST_CASE("findings: every kind has a name that leads back to it") {
    for (int n = 0; n < static_cast<int>(FindingKind::count); ++n) {
        const auto kind = static_cast<FindingKind>(n);
        CHECK(finding_kind(name_of(kind)) == kind);
    }
    CHECK_FALSE(finding_kind("no_such_kind"));
    CHECK_FALSE(is_warning(FindingKind::global_race));
    CHECK(is_warning(FindingKind::hangs_before_volta));
    CHECK(is_warning(FindingKind::same_value_stores));
}

TEST_CASE("findings: text that is none of ours is an error, names need not be UTF-8") {
    CHECK_FALSE(findings_from_json("").ok());
    CHECK_FALSE(findings_from_json("{}").ok());
    CHECK_FALSE(findings_from_json(R"({"dropped": 0, "findings": [{"kind": "x"}]})").ok());
    Finding f;
    f.buffer = "\xff";
    CHECK(findings_from_json(to_json(FindingList{{f}, 0})).ok());
}

TEST_CASE("findings: what a hostile emulator could send is refused in bounded time and space") {
    Finding f;
    f.count = 9;
    const std::string good = to_json(FindingList{{f}, 0});
    const auto with_count = [&](const std::string& count) {
        std::string text = good;
        const std::string before = "\"count\":9";
        REQUIRE(text.find(before) != std::string::npos);
        text.replace(text.find(before), before.size(), "\"count\":" + count);
        return findings_from_json(text);
    };
    CHECK(with_count("18446744073709551615").ok());
    for (const char* count :
         {"-1", "1e300", "1.5", "18446744073709551616", "[]", "9,\"count\":9"}) {
        INFO(count);
        CHECK_FALSE(with_count(count).ok());
    }
    // Nested deep enough to overflow the stack of whoever copies it.
    CHECK_FALSE(findings_from_json("{\"dropped\":0,\"findings\":" + std::string(1 << 20, '[') +
                                   std::string(1 << 20, ']') + "}")
                    .ok());
    // An object of so many keys takes hours where each is compared with all others.
    std::string keys = "{\"dropped\":0";
    for (int i = 0; i < 1'000'000; ++i) keys += ",\"" + std::to_string(i) + "\":0";
    const auto refused = findings_from_json(keys + ",\"findings\":[]}");
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.find("too many keys") != std::string::npos);
    // A message quotes little of the text.
    CHECK(findings_from_json("{\"" + std::string(1 << 20, '\x01')).error().message.size() < 1000);
}
