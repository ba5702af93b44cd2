#include "report/hints.hpp"

#include "catch.hpp"
#include "report/format.hpp"
#include "sample.hpp"

using namespace cugrade;
using report::for_student;

namespace {

std::string yaml(Hints hints) {
    return report::find("yaml")->write(for_student(sample_causes(), hints), {});
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("with `proof` a student gets all of the report") {
    CHECK(yaml(Hints::proof) == report::find("yaml")->write(sample_causes(), {}));
}

TEST_CASE("with `cause` it says nothing of how sure a cause is") {
    const auto text = yaml(Hints::cause);
    CHECK(has(text, "missing_barrier"));
    CHECK(has(text, "__syncthreads"));
    for (const auto* part : {"proof:", "evidence:", "with a barrier after line 12"})
        CHECK_FALSE(has(text, part));
    const Report reduced = for_student(sample_causes(), Hints::cause);
    CHECK(report::read_report(text)->tasks[0].outcome.causes == reduced.tasks[0].outcome.causes);
    for (const auto& format : report::formats())
        for (const auto* part : {"Likely", "likely", "Proven", "proven"}) {
            INFO(format.name);
            CHECK_FALSE(has(format.write(reduced, {}), part));
        }
}

TEST_CASE("with `facts` it has messages, values and findings, and no causes") {
    const auto text = yaml(Hints::facts);
    for (const auto* part : {"shared_race", "498.25", "no barrier lies between", "all elements"})
        CHECK(has(text, part));
    for (const auto* part : {"causes:", "missing_barrier", "__syncthreads"})
        CHECK_FALSE(has(text, part));
}

TEST_CASE("with `verdict` it has verdicts and points, whatever the format") {
    const Report all = sample_report();
    const Report reduced = for_student(all, Hints::verdict);
    for (const auto& format : report::formats()) {
        const auto text = format.write(reduced, {});
        INFO(format.name);
        for (const auto* part :
             {"student.cu:57", "32 warps wait", "7.998046875", "multiple of 16", "n=1025",
              "nobody has written", "hangs_before_volta", "global_atomics_per_element"})
            CHECK_FALSE(has(text, part));
        CHECK(report::score_line(reduced) == report::score_line(all));
    }
    CHECK(has(report::find("table")->write(reduced, {}), "tell verdicts and points only"));
    CHECK(reduced.tasks[1].outcome.cases[7].verdict == Verdict::deadlock);
    CHECK(reduced.tasks[1].outcome.cases[0].data_sha256 ==
          all.tasks[1].outcome.cases[0].data_sha256);
    const Report broken = for_student(sample_compile_error(), Hints::verdict);
    CHECK(broken.tasks[0].outcome.cases[0].message == "nvcc reports 1 error; see below");
}
