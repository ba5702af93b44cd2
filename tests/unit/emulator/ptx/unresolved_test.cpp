#include "emulator/ptx/unresolved.hpp"

#include "catch.hpp"
#include "emulator/ptx/parser.hpp"

using namespace cugrade;
using namespace cugrade::ptx;

namespace {

constexpr const char* head = ".version 9.0\n.target sm_75\n.address_size 64\n";
constexpr const char* calls =
    ".extern .func _Z6refinei(.param .b32 a);\n"
    ".visible .entry _Z5solvev() {\n.reg .b32 %r<3>;\n.loc 1 12 9\n{\n.param .b32 p0;\n"
    "st.param.b32 [p0], %r1;\ncall.uni _Z6refinei, (p0);\ncall.uni _Z6refinei, (p0);\n}\nret;\n}\n"
    ".file 1 \"student.cu\"\n";
constexpr const char* defines =
    ".visible .func _Z6refinei(.param .b32 a) {\nret;\n}\n.visible .global .align 4 .u32 table;\n";

std::vector<Unresolved> unresolved(std::vector<std::string> texts, bool together) {
    std::vector<FatbinPtx> images;
    for (const std::string& text : texts) images.push_back({.arch = 75, .text = head + text});
    return find_unresolved(std::move(images), together);
}

TEST_CASE("a function that is only declared is named once, with the place of the first call") {
    const auto found = unresolved({calls}, false);
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == "refine(int)");
    CHECK(found[0].from == "solve()");
    CHECK(found[0].file == "student.cu");
    CHECK(found[0].line == 12);
    CHECK(found[0].column == 9);
    CHECK(found[0].is_function);
}

TEST_CASE("of many that are only declared, the first twenty are named") {
    std::string declared, code = ".visible .entry _Z5solvev() {\n";
    for (int i = 0; i < 30; ++i) {
        const std::string name = "missing" + std::to_string(i);
        declared += ".extern .func " + name + "();\n";
        code += "call.uni " + name + ", ();\n";
    }
    const auto found = unresolved({declared + code + "ret;\n}\n"}, false);
    REQUIRE(found.size() == 20);
    CHECK(found.front().name == "missing0");
    CHECK(found.back().name == "missing19");
}

TEST_CASE("a name that stands for much more text than itself is told as it is") {
    std::string many = "_Z1fP1a", few = "_Z1fP1aS0_";
    for (int i = 0; i < 60; ++i) many += "S0_";
    const auto missing = [](const std::string& name) {
        return unresolved({".extern .func " + name + "(.param .b64 a);\n.visible .global .align 8 .u64 way[1] = {" +
                           name + "};\n"},
                          false);
    };
    REQUIRE(missing(many).size() == 1);
    CHECK(missing(many)[0].name == many);
    CHECK(missing(few)[0].name == "f(a*, a*)");
    CHECK(missing("f" + std::string(5000, 'x'))[0].name.size() == 1000);
}

TEST_CASE("a definition in another module counts only where the two are linked") {
    CHECK(unresolved({calls, defines}, true).empty());
    CHECK(unresolved({defines, calls}, true).empty());
    CHECK(unresolved({calls, defines}, false).size() == 1);
}

TEST_CASE("an extern variable, and a function in a table, are looked for as well") {
    const auto variable = unresolved(
        {".extern .global .align 4 .u32 table;\n.visible .entry k() {\n.reg .b32 %r<2>;\n"
         "ld.global.u32 %r1, [table];\nret;\n}\n"},
        true);
    REQUIRE(variable.size() == 1);
    CHECK(variable[0].name == "table");
    CHECK(!variable[0].is_function);
    const auto table = unresolved({".extern .func _Z6refinei(.param .b32 a);\n"
                                   ".visible .global .align 8 .u64 way[1] = {_Z6refinei};\n"},
                                  false);
    REQUIRE(table.size() == 1);
    CHECK(table[0].from.empty());
}

TEST_CASE("what the device has by itself, dynamic shared memory and what nobody uses are fine") {
    CHECK(unresolved({".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                      ".extern .func _Z6unusedi(.param .b32 a);\n"
                      ".extern .shared .align 16 .b8 tile[];\n"
                      ".visible .entry k() {\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
                      "mov.u64 %rd1, tile;\n{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\n"
                      "call.uni (r0), vprintf, (p0, p1);\n}\nret;\n}\n"},
                     false)
              .empty());
}

}  // namespace
