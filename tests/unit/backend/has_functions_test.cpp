#include <vector>

#include "backend/gpu/gpu_session.hpp"
#include "catch.hpp"
#include "config/load.hpp"
#include "tests/unit/build/place.hpp"

using namespace cugrade;

TEST_CASE("what a submission that is built for a GPU lacks is known without one", "[slow]") {
    Place place;
    place.target = {BuildTarget::Backend::gpu, {90}};
    const auto patterns = config::load_assignment(place.assignment.folder.string());
    REQUIRE(patterns.ok());
    std::vector<const TaskSpec*> tasks;
    for (const TaskSpec& task : patterns->tasks) tasks.push_back(&task);
    REQUIRE(tasks.front()->name == "map");
    const auto asked = [&](const std::string& source) {
        const Build build = place.good(place.write("student.cu", source));
        SessionOptions options{
            .home = &home, .executable = build.executable, .limits = place.limits};
        options.limits.wall_s = options.limits.cpu_s = 10;
        options.device.id = "a GPU that is not there";
        const auto has = has_functions(options, tasks);
        REQUIRE(has.ok());
        return *has;
    };
    CHECK(asked(kernel) == std::vector{true, false, false});
    // Who does not get so far as to say may have them all: a call will tell why.
    CHECK(asked(kernel + "#include <cstdlib>\nconst int ends = (std::abort(), 0);\n") ==
          std::vector{true, true, true});
}
