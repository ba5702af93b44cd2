// Changes of the execution as edits of the text.
#include "judging/edits_in_source.hpp"
#include "catch.hpp"
#include "core/spec.hpp"

using namespace cugrade;
using emulator::Intervention;
using emulator::InterventionKind;

namespace {

std::vector<SourceFile> source(const std::string& line) {
    return {{.name = "student.cu",
             .text = "__global__ void k(const int* in, int rows, int cols, int* out) {\n" + line +
                     "\n}\n"}};
}

Intervention one(InterventionKind kind, const std::string& text) {
    return {.kind = kind,
            .function = "_Z1kPKiiiPi",
            .value = 1,
            .place = {"student.cu", 2, 5},
            .text = text};
}

/// How the edit reads; empty: there is nothing to edit.
std::string told(InterventionKind kind, const std::string& text, const std::string& line) {
    const auto edits = edits_in_source(std::vector{one(kind, text)}, source(line));
    return edits.empty() ? "" : edits.front().text;
}

}  // namespace

TEST_CASE("a comparison is told as it is written") {
    const auto comparison = [](const std::string& text, const std::string& line) {
        return told(InterventionKind::comparison, text, line);
    };
    CHECK(comparison("`<` to `<=`", "if (i < rows) out[i] = 0;") == "`<` to `<=`");
    CHECK(comparison("`>` to `>=`", "if (i <= rows) out[i] = 0;") == "`<=` to `<`");
    CHECK(comparison("`>=` to `>`", "for (; i < rows; ++i) {}") == "`<` to `<=`");
    CHECK(comparison("`>` to `>=`", "if (rows < i) return;") == "`<` to `<=`");
    CHECK(comparison("`==` to `!=`", "if (i != 0) return;") == "`!=` to `==`");
    CHECK(comparison("`!=` to `==`", "if (i & 1) return;") == "");
    CHECK(comparison("`<` to `<=`", "out[i << 1] = 0;") == "");
    // No operator: a signedness, or a number.
    CHECK(comparison("`<= 1` to `<= 2`", "while (i < 2) i *= 2;") == "`<= 1` to `<= 2`");
}

TEST_CASE("a parameter is told by its name") {
    const std::string text = "parameter 2 to parameter 3", line = "out[in[0] * rows + in[1]] = 1;";
    CHECK(told(InterventionKind::parameter, text, line) == text);
    CHECK(told(InterventionKind::parameter, text, "out[in[0] * cols] = 1;") == "");
    CHECK(told(InterventionKind::parameter, "parameter 2 to parameter 9", line) == "");
    Intervention elsewhere = one(InterventionKind::parameter, text);
    elsewhere.function = "_Z5otherii";
    CHECK(edits_in_source(std::vector{elsewhere}, source(line)).empty());

    Cause cause{.id = "wrong_element", .advice = "Change parameter 2 to parameter 3 there."};
    cause.evidence = "with parameter 2 changed to parameter 3 in line 2";
    TaskSpec task;
    tell_parameters(one(InterventionKind::parameter, text), task, source(line), cause);
    CHECK(cause.sentence == "Line 2 uses `rows` where `cols` is needed.");
    CHECK(cause.advice == "Change `rows` to `cols` there.");
    CHECK(cause.evidence == "with `rows` changed to `cols` in line 2");
    CHECK(cause.id == "wrong_element");
    task.arguments = {{.name = "image", .shape = {"height", "width"}}};
    tell_parameters(one(InterventionKind::parameter, text), task, source(line), cause);
    CHECK(cause.id == "transposed");
    tell_parameters(one(InterventionKind::parameter, text), task,
                    source("for (int i = 0; i < 9; i += rows) {}"), cause);
    CHECK(cause.id == "wrong_stride");
}
