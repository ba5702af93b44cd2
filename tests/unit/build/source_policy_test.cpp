// The policy on source: guilty and innocent texts, through a real preprocessor.
#include "build/source_policy.hpp"

#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "build/called_names.hpp"
#include "build/forbidden_names.hpp"
#include "build/includes.hpp"
#include "build/preprocessed.hpp"
#include "catch.hpp"
#include "config/temporary.hpp"
#include "core/clock.hpp"
#include "core/files.hpp"
#include "emulator/ptx/module.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

namespace {

const std::vector<SourceRule> rules{
    {.includes = {"cub/*", "thrust/*", "vector"},
     .calls = {"cub::*", "thrust::*", "cooperative_groups::reduce", "printf", "__shfl_down_sync",
               "atomicAdd(double*, double)"},
     .message = "by hand",
     .task = ""}};

/// A toolkit of few headers, and a preprocessor that reads them.
class Preprocessor {
public:
    Preprocessor() {
        const std::string cccl = "toolkit/include/cccl/";
        folder_.write(cccl + "cub/cub.cuh",
                      "#pragma once\nnamespace cub { namespace V { struct Sum {}; void go(); } "
                      "using namespace V; }\n");
        folder_.write(cccl + "cub/tool.cuh", "#pragma once\n");
        folder_.write(cccl + "thrust/reduce.h", "#pragma once\n\n#include <cub/cub.cuh>\n");
        folder_.write("toolkit/include/cooperative_groups.h",
                      "namespace cooperative_groups { inline namespace __v1 { int reduce(int); int "
                      "sync(int); } }\n");
        folder_.write("toolkit/include/plain.h", "int plain();\n");
        folder_.write("course/interface.cuh", "#include <cub/tool.cuh>\nvoid f();\n");
        folder_.write("src/own/cub/mine.cuh", "int mine();\n");
    }

    Preprocessed read(const std::string& text) const {
        folder_.write("src/student.cu", text);
        const std::string base = folder_.path().string();
        const std::string command = "cd '" + base +
                                    "/src' && g++ -std=c++17 -w -E -x c++ -I ../src/own -I '" +
                                    base + "/course' -I '" + base + "/toolkit/include' -isystem '" +
                                    base + "/toolkit/include/cccl' -include '" + base +
                                    "/toolkit/include/plain.h' student.cu "
                                    "-o ../student.ii 2>../errors";
        if (std::system(command.c_str()) != 0) FAIL(*read_file(folder_.path() / "errors"));
        return read_preprocessed(
            *read_file(folder_.path() / "student.ii"), [&](std::string_view f) {
                if (f.starts_with(base + "/course/")) return Owner::course;
                return fs::path(f).is_relative() ? Owner::submission : Owner::foreign;
            });
    }

    /// What is said of a student's file; empty: innocent.
    std::string judge(const std::string& text) const {
        const Preprocessed read_text = read(text);
        if (!read_text.stray_directives.empty())
            return "stray: " + read_text.stray_directives.front().text();
        if (auto found = find_forbidden_include(rules, read_text)) return *found;
        if (auto found = find_forbidden_name(compiled(rules), read_text)) return *found;
        return "";
    }

private:
    Temporary folder_;
};

const std::string groups = "#include <cooperative_groups.h>\n";

}  // namespace

TEST_CASE("what a submission uses is seen through macros, aliases and using directives") {
    const Preprocessor preprocessor;
    struct Row {
        const char* what;
        std::string text;
        const char* says;
    };
    const std::vector<Row> rows{
        {"a header", "\n#include <cub/cub.cuh>\n", "student.cu:2: the header cub/cub.cuh is ruled"},
        {"through another", "#include <thrust/reduce.h>\n", "student.cu:1: the header thrust/red"},
        {"by a macro", "#define H <cub/cub.cuh>\n#include H\n", "student.cu:2: the header cub/cub"},
        {"pasted",
         "#define S(x) #x\n#define T(x) S(x)\n#define J(a,b) T(a##b/cub.cuh)\n"
         "#include J(cu,b)\n",
         "student.cu:4: the header cub/cub.cuh"},
        {"include_next", "#include_next <cub/cub.cuh>\n", "student.cu:1: the header cub/cub"},
        {"has_include", "#if __has_include(<cub/cub.cuh>)\n#include <cub/cub.cuh>\n#endif\n",
         "student.cu:2: the header cub"},
        {"digraph", "%:include <cub/cub.cuh>\n", "student.cu:1: the header cub/cub.cuh"},
        {"line splice", "#inc\\\nlude <cub/\\\ncub.cuh>\n", "the header cub/cub.cuh"},
        {"split by a comment", "#/**/include/**/<cub/cub.cuh>\n", "student.cu:1: the header cub"},
        {"host header", "#include <vector>\n", "student.cu:1: the header vector is ruled out"},
        {"a name", "int x = cub::go();\n", "student.cu:1: cub::go is ruled out: by hand"},
        {"global", "int x = ::cub::go();\n", "student.cu:1: cub::go"},
        {"macro", "#define P(a, b) a##b\nint x =\n  P(cu, b)::go();\n", "student.cu:3: cub::go"},
        {"splice in a name", "int x = cu\\\nb::go();\n", "cub::go"},
        {"alias", "namespace c = cub;\n", "student.cu:1: cub is ruled out"},
        {"alias of a part", "namespace c = cub::V;\n", "student.cu:1: cub::V is ruled out"},
        {"using", "using namespace cub;\nint x = go();\n", "student.cu:1: cub is ruled out"},
        {"using one", "using cub::go;\n", "student.cu:1: cub::go"},
        {"reopened", "namespace cub { int y = go(); }\n", "student.cu:1: cub is ruled out"},
        {"pointer", "auto p = &cub::go;\n", "student.cu:1: cub::go"},
        {"template argument", "T<cub::Sum> t;\n", "student.cu:1: cub::Sum"},
        {"alias of a function's namespace",
         groups + "namespace cg = cooperative_groups;\nnamespace d = cg;\nint x = d::reduce(1);\n",
         "student.cu:4: cooperative_groups::reduce"},
        {"inline namespace", groups + "int x = cooperative_groups::__v1::reduce(1);\n",
         "student.cu:2: cooperative_groups::reduce"},
        {"using directive", groups + "using namespace cooperative_groups;\nint x = reduce(1);\n",
         "student.cu:3: cooperative_groups::reduce"},
        {"inside of the namespace",
         groups + "namespace cooperative_groups { int x = reduce(1); }\n",
         "student.cu:2: cooperative_groups::reduce"},
        {"C function", "void g() { printf(\"x\"); }\n", "student.cu:1: printf"},
        {"std::", "void g() { std::printf(\"x\"); }\n", "student.cu:1: std::printf"},
        {"its address", "auto p = printf;\n", "student.cu:1: printf"},
        {"intrinsic", "int x = __shfl_down_sync(1, 2, 3);\n", "student.cu:1: __shfl_down_sync"},
        {"intrinsic behind a decoy",
         "void __shfl_down_sync(S) {}\nint x = __shfl_down_sync(1, 2, 3);\n", "__shfl_down_sync"},
        {"behind a raw string",
         "auto s = R\"x(\n# 1 \"/usr/include/a.h\" 1\n)x\";\nint x = cub::go();\n",
         "student.cu:4: cub::go"},
        {"behind a digit separator", "int n = 1'000; int x = cub::go(); int m = 1'000;\n",
         "student.cu:1: cub::go"},
        {"a late directive", "#define E\nE #include \"x\"\n", "stray: student.cu:2"},
        {"a late digraph", "#define P(a, b) a##b\nP(%,:)include \"x\"\n", "stray: student.cu:2"},
        {"a late marker", "int a;\n#define E\nE # 1 \"/usr/include/x.h\" 1 3\n",
         "stray: student.cu:3"},
    };
    for (const Row& row : rows) {
        INFO(row.what);
        const std::string said = preprocessor.judge(row.text);
        INFO(said);
        CHECK(said.find(row.says) != std::string::npos);
    }
}

TEST_CASE("what only looks like it is not convicted") {
    const Preprocessor preprocessor;
    for (const std::string& text : std::vector<std::string>{
             "// cub::go()\n/* #include <cub/cub.cuh> */\n",
             "const char* s = \"cub::go()\"; char c = 'c';\n",
             "auto s = R\"(\n#include <cub/cub.cuh>\ncub::go();\n)\";\n",
             "auto s = R\"(\n  # include <x>\n)\";\n",
             "int my_cub = 1; int y = my_cub;\nnamespace my_cub { int f(); }\nint z = "
             "my_cub::f();\n",
             "int cub = 1; int y = cub + 1;\n",
             "struct S { int cub; }; int f(S s) { return s.cub; }\n",
             "namespace mine { namespace cub { int f(); } }\nint x = mine::cub::f();\n",
             "#if 0\n#include <cub/cub.cuh>\ncub::go();\n#endif\n",
             "#if __has_include(<cub/cub.cuh>)\n#endif\n",
             "#define GO cub::go()\n",
             "#include \"interface.cuh\"\n",  // the course's own, which reads cub/tool.cuh
             "#include \"cub/mine.cuh\"\n",   // a file of the submission
             groups + "int reduce(int x) { return x; }\nint y = reduce(1);\n",
             groups + "namespace cg = cooperative_groups;\nint y = cg::sync(1);\n",
             groups + "using namespace cooperative_groups;\nint reduce(int x) { return x; }\n"
                      "int y = reduce(1);\n",
             "struct Log { void printf(int); }; void f(Log& l, Log* p) { l.printf(1); "
             "p->printf(2); }\n",
             "void atomicAdd(float*, float); void f(float* p) { atomicAdd(p, 1.0f); }\n",
             "#pragma once\n#pragma unroll\n_Pragma(\"unroll\") int x;\n",
             "?\?=include <cub/cub.cuh>\n",  // C++17 has no trigraphs: this is no directive
         }) {
        INFO(text);
        CHECK(preprocessor.judge(text) == "");
    }
}

TEST_CASE("a header that another one reads has the line that brought it in") {
    const Preprocessor preprocessor;
    const Preprocessed text = preprocessor.read("int a;\n\n#include <thrust/reduce.h>\nint b;\n");
    REQUIRE(text.inclusions.size() == 2);
    CHECK(text.inclusions[0].direct);
    CHECK_FALSE(text.inclusions[1].direct);
    CHECK(text.inclusions[1].path.ends_with("cub/cub.cuh"));
    for (const auto& inclusion : text.inclusions) CHECK(inclusion.place.text() == "student.cu:3");
}

TEST_CASE("directives that rename places are found in the source") {
    const auto said = [](const std::string& text) {
        return find_line_directive({{.name = "student.cu", .text = text}});
    };
    for (const char* text : {"\n#line 5 \"x\"\n", "\n  %: line 5\n", "\n# 5 \"x\" 1 3\n",
                             "\n#li\\\nne 5\n", "\n#/**/line 5\n"}) {
        INFO(text);
        CHECK(said(text).starts_with("student.cu:2: "));
    }
    for (const char* text : {"// #line 5\n", "auto s = R\"(\n#line 5\n)\";\n", "#define line 5\n"})
        CHECK(said(text) == "");
}

TEST_CASE("the assembler's messages tell which file it read") {
    CHECK(foreign_assembler_file("x\n/etc/passwd:3: Error: no such instruction: `root'\n") ==
          "/etc/passwd");
    CHECK(foreign_assembler_file("../../secret:3: Warning: what\n") == "../../secret");
    CHECK(foreign_assembler_file("/tmp/ccabc.s:3: Error: junk\nstudent.cu:4: Error: junk\n"
                                 "/usr/include/x.h:3:4: error: no\n") == "");
}

TEST_CASE("names of functions come apart") {
    const auto parts = [](std::string_view text) { return parse_function_name(text).parts; };
    using Parts = std::vector<std::string>;
    CHECK(parts("f") == Parts{"f"});
    CHECK(parts("int cub::CUB_300000_SM_750::Sum<float, (int)2>(float*, int)") ==
          Parts{"cub", "Sum"});
    CHECK(parts("double cooperative_groups::__v1::reduce<a<2u, b>, c>(a<2u, b> const&, d)") ==
          Parts{"cooperative_groups", "reduce"});
    CHECK(parts("_INTERNAL_1_2_t_cu_3::atomicAdd(double*, double)") == Parts{"atomicAdd"});
    CHECK(parts("(anonymous namespace)::f(int)") == Parts{"f"});
    CHECK(parts("A::operator()(int) const") == Parts{"A", "operator_"});
    CHECK(parts("B operator<< <C>(B, C)").back() == "operator_");
    CHECK(parse_function_name("atomicAdd(double*, double)").parameters == "double*,double");
    CHECK(plain_parameters("const double *, int") == plain_parameters("double const*, int"));
    CHECK(plain_parameters("") == "");
}

TEST_CASE("a name that stands for gigabytes stays as it is, and may still be a forbidden one") {
    // f(A<A<A<int, int>, A<int, int>>, ...>): each part is twice the one before.
    std::string bomb = "_ZN3cub1fE1AIiiE";
    for (const char part : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUV"))
        bomb += std::string("S_IS") + part + "_S" + part + "_E";
    CHECK(ptx::demangled(bomb) == bomb);
    const auto covers = [](const std::string& call, std::string_view name) {
        return CallPattern(call).covers(parse_function_name(ptx::demangled(name)));
    };
    CHECK(covers("cub::f", bomb));
    CHECK(covers("cub::*", bomb));
    CHECK_FALSE(covers("cub::g", bomb));
    CHECK_FALSE(covers("thrust::*", bomb));
    CHECK(covers("cub::*", "_ZN3cub1fE1AIiiE"));
    CHECK_FALSE(covers("cub::*", "_ZN4mine1fEN3cub1AE"));
}

TEST_CASE("a submission cannot make the reader of its names work for long") {
    const auto start = Clock::now();
    std::string name = "a";
    for (int i = 0; i < 200'000; ++i) name += "::operator<";
    CHECK(parse_function_name(name).parts.size() == 200'001);

    std::string literals = "const char* s =\n";
    for (int i = 0; i < 300'000; ++i) literals += "\"aa\" ";
    const std::vector<SourceFile> files{
        {.name = "student.cu", .text = literals + "\".inc\" \"bin\";"}};
    CHECK(find_foreign_include(files).find(".incbin") != std::string::npos);

    const auto forbidden = [](const std::string& text) {
        return find_forbidden_name(
            compiled(rules), read_preprocessed("# 1 \"student.cu\"\n" + text,
                                               [](std::string_view) { return Owner::submission; }));
    };
    std::string many;
    for (int i = 0; i < 20'000; ++i)
        many += "namespace n" + std::to_string(i) + " {} using namespace n" + std::to_string(i) +
                "; int i" + std::to_string(i) + ";\n";
    CHECK(!forbidden(many));
    CHECK(forbidden(many + "using namespace cooperative_groups; int x = reduce(1);"));
    std::string aliases;
    for (int i = 0; i < 12; ++i) aliases += "namespace a = b::c; namespace b = a::c;\n";
    CHECK(!forbidden(aliases));
    std::string brackets = "int x = ";
    for (int i = 0; i < 200'000; ++i) brackets += "a(";
    CHECK(!forbidden(brackets));
    // Each of these took minutes or all memory. Sanitizers make them ten times slower.
    CHECK(seconds_since(start) < 60);
}

TEST_CASE("a line marker states a line that can be counted on from") {
    const auto read = [](const std::string& line) {
        return read_preprocessed("# 1 \"student.cu\"\n# " + line + " \"student.cu\"\nint x;\n\n",
                                 [](std::string_view) { return Owner::submission; });
    };
    CHECK(read("7").tokens.front().line == 7);
    // A file without a name cannot be told.
    const auto nameless =
        read_preprocessed("x\n# 3 \"\"\ny", [](auto) { return Owner::submission; });
    CHECK(nameless.place_of(nameless.tokens.front()).text() == "<submission>:1");
    CHECK(nameless.stray_directives.size() == 1);
    for (const char* line : {"2147483647", "-2147483648", "99999999999"}) {
        INFO(line);
        CHECK(read(line).stray_directives.size() == 1);
    }
}

TEST_CASE("of preprocessed text only the submission's own is kept, and not any amount of that") {
    const auto read = [](const std::string& text) {
        return read_preprocessed(text, [](std::string_view name) {
            return name.starts_with('/') ? Owner::foreign : Owner::submission;
        });
    };
    std::string text = "# 1 \"student.cu\"\n# 1 \"/toolkit.h\" 1\n";
    for (int i = 0; i < 1000; ++i) text += "theirs ";
    text += "\n# 2 \"student.cu\" 2\nint mine;\n";
    const Preprocessed own = read(text);
    CHECK(*own.source == "intmine;");
    REQUIRE(own.tokens.size() == 3);
    CHECK(own.tokens[1].text == "mine");
    CHECK_FALSE(own.is_too_much);

    std::string many = "# 1 \"student.cu\"\n";
    many.reserve(2 * most_source_tokens + 100);
    for (std::size_t i = 0; i < most_source_tokens; ++i) many += "x ";
    CHECK_FALSE(read(many).is_too_much);
    const Preprocessed more = read(many + "x");
    CHECK(more.is_too_much);
    CHECK(more.tokens.size() <= most_source_tokens);
    const std::string literal =
        "# 1 \"student.cu\"\nR\"(" + std::string(most_source_bytes, 'x') + ")\"\n";
    CHECK(read(literal).is_too_much);

    std::string stray = "# 1 \"student.cu\"\n";
    for (int i = 0; i < 1000; ++i) stray += "#x\n";
    CHECK(read(stray).stray_directives.size() == 1);
}

TEST_CASE("preprocessed text that is too large is refused by its size") {
    Temporary folder;
    folder.write("student.cpp1.ii", "x");
    folder.write("student.cpp4.ii", "x");
    folder.write("student.cudafe1.cpp", "any");
    std::uint64_t left = 4;
    CHECK_FALSE(SourcePolicy::check_size("student.cu", folder.path(), left));
    CHECK(left == 2);
    left = 1;
    const auto all = SourcePolicy::check_size("student.cu", folder.path(), left);
    REQUIRE(all);
    CHECK(all->verdict == Verdict::compile_error);
    CHECK(all->message.find("student.cu: the submission's source") == 0);
    fs::resize_file(folder.path() / "student.cpp4.ii", most_preprocessed_file_bytes + 1);
    left = most_preprocessed_bytes;
    const auto one = SourcePolicy::check_size("student.cu", folder.path(), left);
    REQUIRE(one);
    CHECK(one->message.find("student.cu: its source") == 0);
}

TEST_CASE("functions that PTX has inlined are named, with the submission's line") {
    const std::string ptx = R"(
.file 1 "/tmp/cugrade.build-abc/src/student.cu"
.file 2 "/usr/local/cuda/include/sm_60_atomic_functions.hpp"
.visible .entry _Z1kPd(
	.param .u64 _Z1kPd_param_0
)
{
	.loc	1 7 0
	.loc	2 294 3, function_name $L__info_string0, inlined_at 1 9 30
	atom.global.add.f64 	%fd13, [%rd1], %fd12;
	.loc	1 11 3
	{
	call.uni (retval0), 
	vprintf, 
	(
	param0
	);
	}
	call.uni 
	_Z4minePd, 
	(
	param0
	);
	ret;
}
.func _Z4minePd(
	.param .b64 _Z4minePd_param_0
)
{
	.loc	1 3 0
	ret;
}
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,57,97,116,111,109,105,99,65,100,100
.b8 80,100,100,0
	}
)";
    const auto names = names_in_ptx(ptx);
    REQUIRE(names.size() == 2);
    CHECK(names[0].name.parts == std::vector<std::string>{"atomicAdd"});
    CHECK(names[0].name.parameters == "double*,double");
    CHECK(names[0].place.text() == "student.cu:9");
    CHECK(names[1].name.parts == std::vector<std::string>{"vprintf"});
    CHECK(names[1].place.text() == "student.cu:11");
}

TEST_CASE("a file that is no object has no symbols, and damage is an error") {
    const Temporary folder;
    CHECK_FALSE(symbols_of(folder.write("text.o", "not an object")));
    CHECK_FALSE(symbols_of(folder.path() / "missing.o"));
    std::string elf(64, '\0');
    elf.replace(0, 5,
                "\x7f"
                "ELF\x02");
    elf[60] = 1;       // one section
    elf[40] = '\x7f';  // far behind the end
    CHECK_FALSE(symbols_of(folder.write("damaged.o", elf)));
    // Every section is the same table of symbols.
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shoff = sizeof header;
    header.e_shnum = 2;
    Elf64_Shdr table{};
    table.sh_type = SHT_SYMTAB;
    std::string twice(reinterpret_cast<const char*>(&header), sizeof header);
    for (int i = 0; i < 2; ++i) twice.append(reinterpret_cast<const char*>(&table), sizeof table);
    CHECK_FALSE(symbols_of(folder.write("twice.o", twice)));
}
