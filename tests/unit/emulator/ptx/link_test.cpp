#include "emulator/ptx/link.hpp"

#include <algorithm>

#include "catch.hpp"
#include "emulator/ptx/parser.hpp"

using namespace cugrade;
using namespace cugrade::ptx;

namespace {

constexpr const char* head = ".version 9.0\n.target sm_75\n.address_size 64\n";

Result<std::unique_ptr<Module>> linked(std::initializer_list<const char*> texts) {
    std::vector<std::unique_ptr<Module>> modules;
    for (const char* text : texts) {
        auto module = parse(std::string(head) + text, "test");
        REQUIRE(module);
        modules.push_back(*std::move(module));
    }
    return link(std::move(modules));
}

const Function& function(const Module& m, std::string_view name) {
    const auto it = std::ranges::find(m.functions, name, &Function::name);
    REQUIRE(it != m.functions.end());
    return *it;
}

}  // namespace

TEST_CASE("declarations give way to definitions, in any order", "[emulator][ptx]") {
    for (const bool swapped : {false, true}) {
        const char* user = R"(
            .extern .global .align 4 .u32 g;
            .extern .func f;
            .file 1 "user.cu"
            .visible .entry k() { .reg .b32 %r<2>; .loc 1 7 0
                ld.global.u32 %r1, [g]; call.uni f; ret; })";
        const char* owner = R"(
            .visible .global .align 4 .u32 g = 9;
            .file 1 "owner.cu"
            .visible .func f { .loc 1 3 0
                ret; })";
        const auto m = swapped ? linked({owner, user}) : linked({user, owner});
        REQUIRE(m);
        REQUIRE((*m)->variables.size() == 1);
        CHECK((*m)->variables[0].init.size() == 1);
        REQUIRE((*m)->functions.size() == 2);
        const Function& k = function(**m, "k");
        const Function& f = function(**m, "f");
        CHECK_FALSE(f.is_declaration);
        // Lines still belong to the file that they came from.
        const auto file = [&](const Function& x) {
            return (*m)->files.at(static_cast<std::size_t>(x.instructions[0].source.file));
        };
        CHECK(file(k) == "user.cu");
        CHECK(file(f) == "owner.cu");
    }
}

TEST_CASE("what is a module's own stays apart", "[emulator][ptx]") {
    const char* text = R"(
        .global .align 1 .b8 $str[2] = {97, 0};
        .func own { ret; }
        .visible .entry %s() { .reg .b64 %rd<2>; mov.u64 %rd1, $str; call.uni own; ret; })";
    std::string a(text), b(text);
    a.replace(a.find("%s"), 2, "ka");
    b.replace(b.find("%s"), 2, "kb");
    // The third sees a name that the others have for themselves.
    const auto m = linked({a.c_str(), b.c_str(), ".visible .func own { ret; }"});
    REQUIRE(m);
    CHECK((*m)->variables.size() == 2);
    CHECK((*m)->functions.size() == 5);
    const auto used = [&](std::string_view kernel, int operand) {
        const Function& f = function(**m, kernel);
        std::vector<std::string_view> names;
        for (const Operand& o : f.operands)
            if (o.kind == OperandKind::symbol && !o.name.empty()) names.push_back(o.name);
        REQUIRE(names.size() == 2);
        return std::string(names[static_cast<std::size_t>(operand)]);
    };
    CHECK(used("ka", 0) != used("kb", 0));
    CHECK(used("ka", 1) != used("kb", 1));
    CHECK(used("ka", 1) != "own");
    for (const char* kernel : {"ka", "kb"}) {
        (void)function(**m, used(kernel, 1));
        const std::string string = used(kernel, 0);
        CHECK(std::ranges::count((*m)->variables, std::string_view(string), &Variable::name) == 1);
    }
}

TEST_CASE("one of the weak definitions stays", "[emulator][ptx]") {
    const char* weak = ".weak .func f { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }";
    const char* strong = ".visible .func f { ret; }";
    const auto two = linked({weak, weak});
    REQUIRE(two);
    CHECK((*two)->functions.size() == 1);
    const auto mixed = linked({weak, strong, weak});
    REQUIRE(mixed);
    REQUIRE((*mixed)->functions.size() == 1);
    CHECK((*mixed)->functions[0].instructions.size() == 1);
}

TEST_CASE("what cannot be linked is named", "[emulator][ptx]") {
    const char* definition = ".visible .global .align 4 .u32 twin;";
    const auto twice = linked({definition, definition});
    REQUIRE_FALSE(twice);
    CHECK(twice.error().message.find("`twin` is defined twice") != std::string::npos);
    const char* in_namespace = ".visible .global .align 4 .u32 _ZN6course4twinE;";
    const auto mangled = linked({in_namespace, in_namespace});
    REQUIRE_FALSE(mangled);
    CHECK(mangled.error().message.find("`course::twin` is defined twice") != std::string::npos);
    const auto missing = linked({".extern .global .align 4 .u32 nowhere;", definition});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("`nowhere`") != std::string::npos);
    // Dynamic shared memory is defined by the launch, and the same in all modules.
    const char* dynamic = ".extern .shared .align 16 .b8 buffer[];";
    const auto shared = linked({dynamic, dynamic});
    REQUIRE(shared);
    CHECK((*shared)->variables.size() == 1);
}
