// A session on the emulated GPU in which a submission runs with something changed.
#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/emulator/emulator_session.hpp"
#include "backend/session.hpp"
#include "catch.hpp"
#include "tests/unit/build/place.hpp"

using namespace cugrade;
using emulator::Intervention;
using emulator::InterventionKind;

namespace {

SessionOptions options_for(const Place& place, const Build& build) {
    SessionOptions options{.home = &home, .executable = build.executable, .limits = place.limits};
    options.limits.wall_s = options.limits.cpu_s = 10;
    options.limits.device_memory_bytes = 64 << 20;
    options.limits.warp_instructions = 1'000'000;
    return options;
}

std::unique_ptr<Session> open(const SessionOptions& options) {
    auto session = open_emulator_session(options);
    if (!session) FAIL(session.error().text());
    return std::move(*session);
}

/// Maps four numbers to their doubles; the verdict, and the results.
std::pair<Verdict, std::vector<float>> doubled(Session& session) {
    const std::vector<float> x{1, 2, 3, 4};
    std::vector<float> y(4, -1);
    const auto in = session.allocate("x", 16), out = session.allocate("y", 16);
    REQUIRE(in.ok());
    REQUIRE(out.ok());
    REQUIRE(session.write(*in, std::as_bytes(std::span(x))).ok());
    REQUIRE(session.write(*out, std::as_bytes(std::span(y))).ok());
    const auto number = [](float f) {
        return CallRequest::Argument{.scalar = std::bit_cast<std::uint32_t>(f)};
    };
    CallRequest request{.task = "map"};
    request.sets = {{{.buffer = *in},
                     {.scalar = 4},
                     number(2),
                     number(0),
                     number(0),
                     number(0),
                     {.buffer = *out}}};
    const auto outcome = session.call(request);
    if (!outcome) FAIL(outcome.error().text());
    INFO(outcome->message << outcome->said);
    REQUIRE(session.read(*out, 0, std::as_writable_bytes(std::span(y))).ok());
    return {outcome->verdict, y};
}

}  // namespace

TEST_CASE("a session says what can be changed, and runs with the change", "[slow]") {
    const Place place;
    std::string source = kernel;
    source.replace(source.find("i < n"), 5, "i <= n");
    const SessionOptions options =
        options_for(place, place.good(place.write("student.cu", source)));
    auto session = open(options);
    CHECK(doubled(*session).first == Verdict::out_of_bounds);
    const auto possible = session->possible_interventions();
    REQUIRE(possible.ok());
    SessionOptions changed = options;
    for (const Intervention& one : *possible)
        if (one.kind == InterventionKind::comparison && one.value == -1) {
            CHECK(one.place.line == 4);
            CHECK(one.place.file.ends_with("student.cu"));
            CHECK(one.text == "`<=` to `<`");
            changed.interventions.push_back(one);
        }
    REQUIRE(changed.interventions.size() == 1);
    // A launch has the place of its `<<<>>>`, which is in host code.
    const auto launch = std::ranges::find(*possible, InterventionKind::grid_larger,
                                          &Intervention::kind);
    REQUIRE(launch != possible->end());
    CHECK(launch->place.line == 7);
    CHECK(launch->place.file.ends_with("student.cu"));
    auto right = open(changed);
    CHECK(doubled(*right) == std::pair(Verdict::accepted, std::vector<float>{2, 4, 6, 8}));
    // What is possible is told of the code as it was.
    const auto still = right->possible_interventions();
    REQUIRE(still.ok());
    CHECK((*still == *possible));
    // The next session has nothing of it.
    CHECK(doubled(*open(options)).first == Verdict::out_of_bounds);
}
