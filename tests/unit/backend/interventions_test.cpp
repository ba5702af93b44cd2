// A session on the emulated GPU in which a submission runs with something changed.
#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/emulator/emulator_session.hpp"
#include "backend/session.hpp"
#include "build/device_code.hpp"
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
    const auto launch =
        std::ranges::find(*possible, InterventionKind::grid_larger, &Intervention::kind);
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

TEST_CASE("one session runs with one change after the other", "[slow]") {
    const Place place;
    // The call before it leaves its mark in a device variable.
    std::string source = kernel;
    source.replace(source.find("__global__"), 0, "__device__ float times = 1;\n");
    source.replace(source.find("y[i] = c * x[i]"), 15, "y[i] = c * x[i] * times, times = 7");
    source.replace(source.find("i < n"), 5, "i + 1 < n");
    const SessionOptions options =
        options_for(place, place.good(place.write("student.cu", source)));
    const auto idle = std::make_shared<IdleEmulator>();
    auto opened = open_emulator_session(options, idle);
    if (!opened) FAIL(opened.error().text());
    Session& session = **opened;
    const std::vector<float> three{2, 4, 6, -1};
    CHECK(doubled(session) == std::pair(Verdict::accepted, three));
    CHECK(doubled(session).second != three);
    const auto possible = session.possible_interventions();
    REQUIRE(possible.ok());
    const auto up_to_it = std::ranges::find_if(*possible, [](const Intervention& one) {
        return one.kind == InterventionKind::comparison && one.text == "`<` to `<=`";
    });
    REQUIRE(up_to_it != possible->end());
    REQUIRE(session.change(std::vector{*up_to_it}, options.limits.warp_instructions));
    CHECK(doubled(session) == std::pair(Verdict::accepted, std::vector<float>{2, 4, 6, 8}));
    REQUIRE(session.change({}, options.limits.warp_instructions));
    CHECK(doubled(session) == std::pair(Verdict::accepted, three));
    // The budget is the new one, and what has failed cannot go on.
    REQUIRE(session.change({}, 3));
    CHECK(doubled(session).first == Verdict::time_limit);
    CHECK_FALSE(session.change({}, options.limits.warp_instructions));
}

TEST_CASE("a session with a managed variable does not change", "[slow]") {
    const Place place;
    std::string source = kernel;
    source.replace(source.find("__global__"), 0, "__managed__ float times = 1;\n");
    source.replace(source.find("c * x[i]"), 8, "c * x[i] * times");
    const SessionOptions options =
        options_for(place, place.good(place.write("student.cu", source)));
    auto opened = open_emulator_session(options, std::make_shared<IdleEmulator>());
    if (!opened) FAIL(opened.error().text());
    CHECK(doubled(**opened).second == std::vector<float>{2, 4, 6, 8});
    CHECK_FALSE((*opened)->change({}, options.limits.warp_instructions));
}

TEST_CASE("the emulated GPU runs a program as it is written", "[slow]") {
    const Place place;
    // A loop, which the compiler unrolls; in a kernel whose name depends on the folder in which it
    // was compiled.
    std::string source = kernel;
    source.replace(source.find("__global__"), 0, "namespace {\n");
    source.replace(source.find("y[i] = c * x[i];"), 16,
                   "{ float sum = 0; for (int k = 0; k < 4; ++k) sum += x[i]; y[i] = sum; }");
    source.replace(source.find("void map_cubic"), 0, "}\n");
    const std::filesystem::path file = place.write("student.cu", source);
    SessionOptions options = options_for(place, place.good(file));
    const auto limits_of_loop = [](Session& session) {
        CHECK(doubled(session) == std::pair(Verdict::accepted, std::vector<float>{4, 8, 12, 16}));
        const auto possible = session.possible_interventions();
        REQUIRE(possible.ok());
        return std::ranges::count_if(*possible, [](const Intervention& one) {
            return one.kind == InterventionKind::comparison && one.place.line == 5;
        });
    };
    const auto guard_alone = limits_of_loop(*open(options));
    const auto toolchain = Toolchain::find();
    REQUIRE(toolchain.ok());
    const BuildRequest request{
        .source = file, .assignment = &place.assignment, .target = {}, .limits = place.limits};
    const auto code = device_code_as_written(home, *toolchain, request, options.executable, 75);
    if (!code) FAIL(code.error().text());
    REQUIRE(code->has_value());
    options.device_code = std::make_shared<const std::vector<std::string>>(**code);
    CHECK(limits_of_loop(*open(options)) > guard_alone);
    // What does not compile has none.
    place.write("student.cu", "no C++");
    const auto none = device_code_as_written(home, *toolchain, request, options.executable, 75);
    REQUIRE(none.ok());
    CHECK_FALSE(none->has_value());
}
