// Fixed reports in every format, compared with the files in tests/approval. Where they differ, what
// was received is written to approval/ in the build folder: look at it, and copy it if it is right.
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "catch.hpp"
#include "report/format.hpp"
#include "report/roofline.hpp"
#include "report/sweep.hpp"
#include "sample.hpp"

using namespace cugrade;

namespace fs = std::filesystem;

namespace {

std::optional<std::string> contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

void approve(const std::string& name, const std::string& received) {
    const auto approved_file = fs::path(CUGRADE_SOURCE_DIR) / "tests/approval" / name;
    const auto received_file = fs::path(CUGRADE_BUILD_DIR) / "approval" / name;
    const auto approved = contents(approved_file);
    if (approved == received) {
        std::error_code ignored;
        fs::remove(received_file, ignored);
        return;
    }
    fs::create_directories(received_file.parent_path());
    std::ofstream(received_file, std::ios::binary) << received;
    INFO("approved: " << approved_file.string() << (approved ? "" : " (missing)"));
    INFO("received: " << received_file.string());
    CHECK(approved.value_or("") == received);
}

/// A page without its head, whose style is looked at in a browser.
std::string without_head(const std::string& text) {
    const auto body = text.starts_with("<!DOCTYPE html>") ? text.find("<body>") : 0;
    return text.substr(body == std::string::npos ? 0 : body);
}

}  // namespace

TEST_CASE("reports look as approved in every format") {
    const std::vector<std::pair<std::string, Report>> samples{{"report", sample_report()},
                                                              {"compile_error", sample_sealed()},
                                                              {"gpu", sample_gpu()},
                                                              {"causes", sample_causes()}};
    for (const auto& [name, report] : samples)
        for (const auto& format : report::formats())
            approve(name + "." + std::string(format.name) + ".txt",
                    without_head(format.write(report, {})));
}

TEST_CASE("the table looks as approved in colour, in ASCII and on a narrow terminal") {
    const auto table = *report::find("table");
    approve("report.colour.txt", table.write(sample_report(), {.colour = true}));
    approve("report.narrow.txt", table.write(sample_report(), {.width = 50, .unicode = false}));
}

TEST_CASE("causes look as approved on a first screen, in colour and on a narrow terminal") {
    const auto table = *report::find("table");
    approve("causes.screen.txt", table.write(sample_causes(), {.details = false}));
    approve("causes.colour.txt", table.write(sample_causes(), {.colour = true, .details = false}));
    approve("causes.narrow.txt",
            table.write(sample_causes(), {.width = 50, .unicode = false, .details = false}));
}

TEST_CASE("sweeps look as approved on a terminal, as CSV, as JSON and as a script") {
    const Sweep sweep = sample_sweep();
    std::string terminal = report::sweep_head(sweep);
    for (std::size_t i = 0; i < sweep.sizes.size(); ++i) terminal += report::sweep_row(sweep, i);
    approve("sweep/terminal.txt", terminal + report::sweep_findings(sweep));
    approve("sweep/sweep.csv", report::sweep_csv(sweep));
    approve("sweep/sweep.json", report::sweep_json(sweep));
    approve("sweep/sweep.gp", report::sweep_gnuplot(sweep, "svg"));
}

TEST_CASE("rooflines look as approved on a terminal, as CSV, as JSON and as a script") {
    const Roofline roofline = sample_roofline();
    approve("roofline/terminal.txt", report::roofline_table(roofline));
    approve("roofline/roofline.csv", report::roofline_csv(roofline));
    approve("roofline/roofline.json", report::roofline_json(roofline));
    approve("roofline/roofline.gp", report::roofline_gnuplot(roofline, "svg"));
}

TEST_CASE("the roof is the one that asks for more time") {
    const Roofline roofline = sample_roofline();
    const RooflineTask &sum = roofline.tasks[0], &cubes = roofline.tasks[1];
    CHECK(sum.below_memory(roofline.roofs));
    CHECK(sum.share(roofline.roofs) == Approx(0.8));
    CHECK(sum.intensity() == Approx(0.5));
    CHECK_FALSE(cubes.below_memory(roofline.roofs));
    CHECK(cubes.share(roofline.roofs) == Approx(0.5));
}
