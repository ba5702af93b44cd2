#include "build/build_dependencies.hpp"

#include <fmt/format.h>

#include <fstream>

#include "build/build_lacking.hpp"
#include "catch.hpp"
#include "core/files.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

TEST_CASE("the prerequisites of a rule are its words, without what makefiles add") {
    CHECK(prerequisites("m.o : m.cu \\\n    ./forced.h \\\n  a\\ b.h c\\#d.h e$$f.h\n\nm.cu:\n") ==
          std::vector<std::string>{"m.cu", "./forced.h", "a b.h", "c#d.h", "e$f.h"});
    CHECK(prerequisites("m.o:\n").empty());
    CHECK(prerequisites("").empty());
}

TEST_CASE("a list of files knows a change, a removal and a header that would come first") {
    auto folder = TemporaryFolder::make("test");
    REQUIRE(folder);
    const fs::path& in = folder->path();
    write(in / "main.cu", "main");
    write(in / "second/deep/value.h", "1");
    fs::create_directories(in / "first");
    Dependencies made({"/usr/"}, {(in / "first").string(), (in / "second").string()});
    made.add({(in / "main.cu").string(), (in / "second/deep/value.h").string()});
    made.look_for_gaps();
    Dependencies read({"/usr/"}, {});
    read.from_text(made.text());
    const std::string before = made.state();
    CHECK(read.state() == before);

    write(in / "first/other.h", "1");  // nobody asked for that
    CHECK(read.state() == before);
    write(in / "first/deep/value.h", "1");
    CHECK(read.state() != before);
    fs::remove_all(in / "first/deep");
    CHECK(read.state() == before);
    write(in / "second/deep/value.h", "2");
    CHECK(read.state() != before);
    write(in / "second/deep/value.h", "1");
    CHECK(read.state() == before);
    fs::remove(in / "second/deep/value.h");
    CHECK(read.state() != before);
}

TEST_CASE("a list says where it cannot tell") {
    auto folder = TemporaryFolder::make("test");
    REQUIRE(folder);
    const fs::path file = folder->path() / "main.cu";
    const auto unclear = [&](std::string_view text, std::chrono::seconds later) {
        write(file, text);
        Dependencies list({"/usr/"}, {});
        list.add({file.string()});
        return !list.unclear(fs::file_time_type::clock::now() + later).empty();
    };
    using namespace std::chrono_literals;
    CHECK(!unclear("int main() {}", 60s));
    CHECK(unclear("int main() {}", -60s));  // written while the compiler ran
    CHECK(unclear("#if __has_include(<x>)", 60s));
    CHECK(unclear("asm(\".incbin \\\"data\\\"\");", 60s));
    CHECK(unclear("puts(__TIME__);", 60s));
}

TEST_CASE("functions of CUDA's runtime are told from names that it does not have") {
    const std::vector<std::string> runtime{"cudaGraphCreate", "cudaLaunchKernelExC"};
    const std::string output =
        "/usr/bin/ld: a.o: in function `f':\n"
        "student.cu:12: undefined reference to `cudaGraphCreate'\n"
        "/usr/bin/ld: student.cu:40: undefined reference to `cudaGraphCreate'\n"
        "/usr/bin/ld: /usr/local/cuda/include/cuda_runtime.h:9: undefined reference to "
        "`cudaLaunchKernelExC'\n"
        "student.cu:13: undefined reference to `cudaGraphCraete'\n"
        "student.cu:14: undefined reference to `cudaish(int)'\n";
    const std::string source =
        "#include <x>\nvoid cudaLaunchKernelExtra();\n cudaLaunchKernelEx(1);";
    const auto found = lacking_functions(output, runtime, {{"student.cu", source}});
    REQUIRE(found.size() == 2);
    CHECK(found[0].name == "cudaGraphCreate");
    CHECK(found[0].places == std::vector<std::string>{"student.cu:12", "student.cu:40"});
    CHECK(found[1].places == std::vector<std::string>{"student.cu:3"});
    const std::string text = stand_ins(found);
    CHECK(text.find("cugrade_lacks(\"cudaGraphCreate (called in student.cu:12, student.cu:40)\", "
                    "\"student.cu\", 12)") != std::string::npos);
    CHECK(text.find("cugrade_lacks(\"cudaLaunchKernelExC\", \"student.cu\", 3)") !=
          std::string::npos);
    CHECK(no_such_function("cudaGraphCraete", runtime) ==
          "CUDA has no function cudaGraphCraete; did you mean cudaGraphCreate?");
    CHECK(no_such_function("cudaNoSuchThing", runtime) ==
          "CUDA has no function cudaNoSuchThing; look at its name");
    // Without the toolkit's library nobody can tell.
    CHECK(lacking_functions(output, {}, {}).size() == 3);
}

TEST_CASE("the index of a static library is read, and what is none is no index") {
    auto folder = TemporaryFolder::make("test");
    REQUIRE(folder);
    const fs::path file = folder->path() / "lib.a";
    const std::string names("main\0cudaMalloc\0__cudaRegister\0cudaFree\0", 39);
    std::string index("\0\0\0\4", 4);
    index += std::string(16, '\1') + names;
    std::string head = "/               0           0     0     0       ";
    head += fmt::format("{:<10}`\n", index.size());
    write(file, "!<arch>\n" + head + index);
    CHECK(runtime_functions(file) ==
          std::vector<std::string>{"__cudaRegister", "cudaFree", "cudaMalloc"});
    write(file, "!<arch>\n" + head + index.substr(0, 30));  // cut off
    CHECK(runtime_functions(file).empty());
    CHECK(runtime_functions(folder->path() / "none").empty());
}

}  // namespace
