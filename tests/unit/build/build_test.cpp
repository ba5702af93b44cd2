// Submissions of every kind through the real nvcc, and the cache under damage and concurrency.
#include "build/build.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "build/build_cache.hpp"
#include "build/build_messages.hpp"
#include "build/build_submission.hpp"
#include "build/includes.hpp"
#include "catch.hpp"
#include "config/load.hpp"
#include "core/files.hpp"
#include "datasets/seeds.hpp"
#include "tests/unit/build/place.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

namespace {

/// Whether a linker's message has the line depends on the version of the binutils.
std::string without_line(std::string message) {
    if (const auto at = message.find(":10:"); at != std::string::npos) message.erase(at, 3);
    return message;
}

}  // namespace

TEST_CASE("a submission becomes an executable, once", "[slow]") {
    const Place place;
    const fs::path file = place.write("student.cu", kernel);
    const Build first = place.good(file);
    CHECK_FALSE(first.from_cache);
    CHECK(first.compile_s > 0);
    CHECK(::access(first.executable.c_str(), X_OK) == 0);
    CHECK(first.compiler_output.empty());
    const Build second = place.good(file);
    CHECK(second.from_cache);
    CHECK(second.executable == first.executable);

    // What it depends on makes another build: the bytes, the name, the device.
    place.write("student.cu", kernel + "\n");
    CHECK_FALSE(place.good(file).from_cache);
    CHECK_FALSE(place.good(place.write("other.cu", kernel)).from_cache);
    Place gpu;
    gpu.target = {BuildTarget::Backend::gpu, {90}};
    ::setenv("XDG_CACHE_HOME", (place.path / "cache").c_str(), 1);
    const Build for_gpu = gpu.good(file);
    CHECK_FALSE(for_gpu.from_cache);
    // There it is linked with NVIDIA's runtime.
    CHECK(read_text(for_gpu.executable).find("cudaGetDeviceProperties") != std::string::npos);
}

TEST_CASE("kernels launch kernels where a task is about that", "[slow]") {
    Place place;
    place.assignment.tasks.resize(1);
    const std::string nested = kernel + R"(
__global__ void parent(int n) {
    if (n > 0) parent<<<1, 1, 0, cudaStreamTailLaunch>>>(n - 1);
}
)";
    const fs::path file = place.write("student.cu", nested);
    const BuildFailure failure = place.bad(file);
    CHECK(failure.verdict == Verdict::compile_error);
    CHECK(failure.message.find("student.cu:11: error: kernel launch from __device__") == 0);
    CHECK(failure.message.find("launch it from the host") != std::string::npos);

    // It is the assignment that decides, so the failure in the cache is not this one's.
    place.assignment.tasks[0].dynamic_parallelism = true;
    place.target.archs = {75, 90, 120};
    CHECK(place.good(file).compiler_output.empty());
    place.write("ada/first.cu", nested);
    place.write("ada/second.cu",
                "__global__ void child();\n"
                "__global__ void other() { child<<<1, 1>>>(); }\n"
                "__global__ void child() {}\n");
    (void)place.good(place.path / "ada");
    place.target = {BuildTarget::Backend::gpu, {90}};
    const std::string executable = read_text(place.good(file).executable);
    CHECK(executable.find("cudaGetDeviceProperties") != std::string::npos);

    // What is wrong besides is told from the second try.
    const BuildFailure wrong =
        place.bad(place.write("wrong.cu", nested + "int f() { return missing; }\n"));
    CHECK(wrong.message.find("\"missing\" is undefined") != std::string::npos);
}

TEST_CASE("a folder: all .cu files of the top are compiled, headers are there", "[slow]") {
    const Place place;
    place.write("ada/student.cu", "#include \"parts/scale.cuh\"\n" + kernel);
    place.write("ada/second.cu", "int helper() { return 3; }\n");
    place.write("ada/parts/scale.cuh", "__device__ float scale() { return 2; }\n");
    place.write("ada/parts/unused.cu", "this does not compile\n");
    place.write("ada/.git/junk.cu", "nor this\n");
    place.write("ada/notes.txt", "not a source");
    (void)place.good(place.path / "ada");
    place.write("ada/third.cu", "int helper() { return 4; }\n");
    const BuildFailure twice = place.bad(place.path / "ada");
    CHECK(twice.verdict == Verdict::compile_error);
    CHECK(twice.message.find("helper() is defined twice") != std::string::npos);
    CHECK(twice.message.find("third.cu:1: ") == 0);
    CHECK(twice.message.find("(first in second.cu:1)") != std::string::npos);
}

TEST_CASE("many files together take no longer than a compiler and a linker may", "[slow]") {
    Place place;
    place.limits.compile_wall_s = 4;
    for (int i = 0; i < 40; ++i)
        place.write(fmt::format("many/{}.cu", i), i == 0 ? kernel : "#include <algorithm>\n");
    const auto start = std::chrono::steady_clock::now();
    const BuildFailure failure = place.bad(place.path / "many");
    CHECK(failure.verdict == Verdict::time_limit);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));  // all 40: over 60
}

TEST_CASE("compile errors are told as the student knows the file", "[slow]") {
    const Place place;
    const BuildFailure failure = place.bad(place.write(
        "student.cu", kernel + "__global__ void broken() {\n    undefined_name = 1;\n}\n"));
    CHECK(failure.verdict == Verdict::compile_error);
    CHECK(failure.message == "student.cu:10: error: identifier \"undefined_name\" is undefined");
    CHECK(failure.compiler_output.find(place.path.string()) == std::string::npos);
    CHECK(failure.compiler_output.find("cugrade.build-") == std::string::npos);

    CHECK(place.bad(place.write("e.cu", "#error \"not today\"\n")).message ==
          "e.cu:1:2: error: #error \"not today\"");
    const BuildFailure ptx =
        place.bad(place.write("asm.cu", "__device__ void f() { asm(\"\" : : \"q\"(1)); }\n"));
    CHECK(ptx.message.find("asm.cu:1: ") == 0);
    const Build warned =
        place.good(place.write("w.cu", kernel + "static void f() { int unused; }\n"));
    CHECK(warned.compiler_output.find("w.cu:9: warning") == 0);
    CHECK(warned.compiler_output.find("Remark") == std::string::npos);
    // Warnings come out of the cache too.
    CHECK(place.good(place.path / "w.cu").compiler_output == warned.compiler_output);
}

TEST_CASE("failures are remembered as they were") {
    const Place place;
    const fs::path file = place.write("student.cu", "#error \"no\"\n");
    const BuildFailure first = place.bad(file);
    const std::size_t entries = place.cache_entries();
    CHECK(entries == 1);
    const BuildFailure second = place.bad(file);
    CHECK(second.verdict == first.verdict);
    CHECK(second.message == first.message);
    CHECK(second.compiler_output == first.compiler_output);
    CHECK(place.cache_entries() == entries);
}

TEST_CASE("a header beside a submission that is one file") {
    const Place place;
    place.write("helper.cuh", "");
    const BuildFailure failure = place.bad(place.write("student.cu", "#include \"helper.cuh\"\n"));
    CHECK(failure.message.find(
              "student.cu:1:10: fatal error: helper.cuh: No such file or directory") == 0);
    CHECK(failure.message.find("hand in the folder") != std::string::npos);
}

TEST_CASE("link errors teach", "[slow]") {
    const Place place;
    const BuildFailure has_main =
        place.bad(place.write("student.cu", kernel + "int main() { return 0; }\n"));
    CHECK(has_main.verdict == Verdict::compile_error);
    CHECK(has_main.message == "student.cu:9: remove main: cugrade's own main calls your functions");
    const BuildFailure undefined = place.bad(
        place.write("student.cu", kernel + "int helper(int);\nint use() { return helper(1); }\n"));
    CHECK(without_line(undefined.message)
              .find("student.cu: helper(int) is declared but defined nowhere") == 0);
    const BuildFailure library = place.bad(
        place.write("student.cu", kernel + "extern \"C\" int cublasCreate_v2(void*);\nint use() { "
                                           "return cublasCreate_v2(0); }\n"));
    CHECK(library.message.find("cublasCreate_v2 is in a library") != std::string::npos);
    // A function of the assignment that is missing is not an error of the build.
    (void)place.good(place.write("student.cu", "int nothing_yet;\n"));
}

TEST_CASE("a CUDA function that the emulated GPU lacks is no error, one that CUDA lacks is",
          "[slow]") {
    const Place place;
    (void)place.good(place.write(
        "student.cu",
        kernel + "int use() { cudaGraph_t graph; return cudaGraphCreate(&graph, 0); }\n"));
    const BuildFailure failure = place.bad(place.write(
        "student.cu",
        kernel + "extern \"C\" int cudaNoSuchThing();\nint use() { return cudaNoSuchThing(); }\n"));
    CHECK(failure.verdict == Verdict::compile_error);
    CHECK(without_line(failure.message) ==
          "student.cu: CUDA has no function cudaNoSuchThing; look at its name");
}

TEST_CASE("what is no program says what it is") {
    const Place place;
    CHECK(place.bad(place.write("student.cu", "")).message == "student.cu is empty");
    CHECK(place.bad(place.write("student.cu", " \n\t\n")).message == "student.cu is empty");
    CHECK(place
              .bad(place.write("student.cu", std::string("\x7f"
                                                         "ELF\0\0",
                                                         6)))
              .message == "student.cu is not text but binary data");
    CHECK(place.bad(place.write("student.cu", std::string("\xff\xfei\0n\0", 6))).message ==
          "student.cu is not text in UTF-8 but in UTF-16: save it as UTF-8");
    CHECK(place.bad(place.write("student.cu", std::string(5 << 20, ' '))).message ==
          "student.cu is too large: 5.0 MiB, 4 MiB are allowed");
    CHECK(::mkfifo((place.path / "pipe.cu").c_str(), 0600) == 0);
    CHECK(place.bad(place.path / "pipe.cu").message ==
          "pipe.cu is a pipe: hand in a file with your source text");
    if (::mknod((place.path / "device.cu").c_str(), S_IFCHR | 0666, makedev(1, 5)) == 0)
        CHECK(place.bad(place.path / "device.cu").message ==
              "device.cu is a device: hand in a file with your source text");
    const int bound = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    (place.path / "socket.cu").string().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(bound);
    CHECK(place.bad(place.path / "socket.cu").message ==
          "socket.cu is a socket: hand in a file with your source text");
    {  // 1 GiB that takes no room
        const fs::path sparse = place.write("sparse.cu", "");
        fs::resize_file(sparse, std::uintmax_t{1} << 30);
        CHECK(place.bad(sparse).message == "sparse.cu is too large: 1024.0 MiB, 4 MiB are allowed");
    }
    place.write("ada/notes.txt", "later");
    CHECK(place.bad(place.path / "ada").message == "ada has no .cu file");
    fs::create_symlink("/etc/passwd", place.path / "ada/student.cu");
    CHECK(place.bad(place.path / "ada").message ==
          "student.cu is a symbolic link: hand in the file itself");
    fs::create_symlink(place.path / "student.cu", place.path / "link.cu");
    CHECK(place.bad(place.path / "link.cu").message ==
          "link.cu is a symbolic link: hand in the file itself");
    // Nor are links that lead to a folder, nowhere or to themselves followed.
    place.write("bob/student.cu", kernel);
    for (const auto& [name, target] : {std::pair("folder.cu", "bob"),
                                       {"folder", "bob"},
                                       {"up.cu", ".."},
                                       {"nowhere.cu", "no/such"},
                                       {"loop.cu", "loop.cu"}}) {
        fs::create_symlink(target, place.path / name);
        CHECK(place.bad(place.path / name).message ==
              fmt::format("{} is a symbolic link: hand in the file itself", name));
    }
    for (int i = 0; i < 10'001; ++i) std::ofstream(place.path / "ada" / std::to_string(i));
    fs::remove(place.path / "ada/student.cu");
    CHECK(place.bad(place.path / "ada").message ==
          "the folder holds more than 10000 files and folders: hand in the source files alone");
    CHECK(place.cache_entries() == 0);

    auto missing = place.try_build(place.path / "nobody.cu");
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().kind == ErrorKind::usage);
    // What the grader may not read is not charged to the student.
    if (::geteuid() != 0) {
        const fs::path locked = place.write("locked.cu", kernel);
        fs::permissions(locked, fs::perms::none);
        auto unreadable = place.try_build(locked);
        REQUIRE_FALSE(unreadable.ok());
        CHECK(unreadable.error().message == "cannot read: Permission denied");
        CHECK(unreadable.error().remedy.find("chmod") != std::string::npos);
    }
    auto wrong = place.try_build(place.write("student.py", "print(1)"));
    REQUIRE_FALSE(wrong.ok());
    CHECK(wrong.error().kind == ErrorKind::usage);
}

TEST_CASE("names that a shell would take apart are compiled as files", "[slow]") {
    const Place place;
    (void)place.good(place.write("my file (2) $(touch hacked);'.cu", kernel));
    (void)place.good(place.write("-o.cu", kernel));
}

TEST_CASE("an instruction that is ruled out is found with its line", "[slow]") {
    Place place;
    place.assignment.forbidden = {{"atom", {"add", "global"}, "build it from atomicCAS"},
                                  {"red", {"add"}, "build it from atomicCAS"}};
    (void)place.good(place.write("student.cu", kernel));
    const BuildFailure failure = place.bad(place.write(
        "student.cu",
        kernel + "__global__ void k(int* p, int* q) {\n    *q = atomicAdd(p, 7);\n}\n"));
    CHECK(failure.verdict == Verdict::forbidden);
    CHECK(failure.message.find("student.cu:10: the instruction atom.global.add.u32 is ruled out: "
                               "build it from atomicCAS") == 0);
    // Hand-written PTX is PTX.
    const BuildFailure by_hand = place.bad(place.write(
        "student.cu", kernel + "__global__ void k(int* p) {\n    asm(\"red.global.add.s32 [%0], "
                               "1;\" :: \"l\"(p));\n}\n"));
    CHECK(by_hand.verdict == Verdict::forbidden);
}

TEST_CASE("PTX that is small as text and large to parse is no program", "[slow]") {
    Place place;
    std::string code = "#define A \"ret;ret;ret;ret;ret;ret;ret;ret;\"\n";
    for (const char* next : {"B A", "C B", "D C", "E D"}) {
        code += fmt::format("#define {}", std::string_view(next, 1));
        for (int i = 0; i < 16; ++i) code += std::string(next + 1);
        code += "\n";
    }
    const auto bomb = [&](const char* text) {
        return place.write("student.cu",
                           kernel + code + "__global__ void k() { asm volatile(" + text + "); }\n");
    };
    (void)place.good(bomb("D"));
    const BuildFailure failure = place.bad(bomb("E E"));
    CHECK(failure.verdict == Verdict::compile_error);
    CHECK(failure.message.find("student.cu: it gives more PTX than cugrade reads") == 0);
    CHECK(place.cache_entries() == 2);  // no machine would decide otherwise
}

TEST_CASE("compiles are limited", "[slow]") {
    Place place;
    place.limits.compile_wall_s = 2;
    place.limits.memory_bytes = 0;
    const BuildFailure flood =
        place.bad(place.write("student.cu",
                              "#define A(x) x x x x x x x x x x x x x x x x\n"
                              "A(A(A(A(A(A(A(A(A(A(int f();))))))))))\n"));
    CHECK((flood.verdict == Verdict::time_limit || flood.verdict == Verdict::memory_limit));
    CHECK(flood.message.find("student.cu: the compiler was stopped") == 0);
    CHECK(place.cache_entries() == 0);  // another machine may decide otherwise
}

TEST_CASE("what is outside of the submission cannot be included") {
    const Place place;
    const fs::path header = place.write("elsewhere/value.cuh", "#define VALUE 1\n");
    CHECK(place.bad(place.write("student.cu", "\n#include \"" + header.string() + "\"\n" + kernel))
              .message.find("student.cu:2: #include \"" + header.string() +
                            "\" names a file outside of the submission") == 0);
    CHECK(place.cache_entries() == 0);
    const auto problem = [](std::vector<SourceFile> files) { return find_foreign_include(files); };
    for (const char* text : {
             "#include <../x.h>",
             "# /**/ include \"/etc/x\"",
             "%:include \"../x\"",
             "#define X \"x.h\"\n#include X",
             "asm(\".incbin 'x'\");",
             "asm(R\"(.incbin 'x')\");",
             "#include \\\n \"/x\"",
             "#inc\\ \nlude \"/x\"",
             "#include_next </x>",
             "#embed \"/x\"",
             "#if __has_include(\"/x\")\n#endif",
             "#if 1 && __has_include_next( <../x> )\n#endif",
             "#define X \"/x\"\n#if __has_include(X)\n#endif",
             "#include \"a/../../x\"",
             "\xEF\xBB\xBF#include \"/x\"",
             "asm(\".inc\" \"bin 'x'\");",
             "asm(\".inc\" /**/\n \"bin 'x'\");",
             "asm(\".INCBIN 'x'\");",
             "asm(\".include 'x'\");",
             // What hides a directive from a scanner that does not read as the compiler does.
             "int a = 1'0; char b = '/*';\n#include \"/x\"\n// */",
             "auto s = R\"(/*)\";\n#include \"/x\"\n// */",
             "auto s = R\"x( )x\\\n\" /* )x\";\n#include \"/x\"\n// */",
             "auto s = \"\\\"/*\";\n#include \"/x\"\n// */",
             "char c = '\"', d = '/*';\n#include \"/x\"\n// \" */",
         }) {
        INFO(text);
        CHECK_FALSE(problem({{"student.cu", text}}).empty());
    }
    for (const char* text : {
             "#include <cub/cub.cuh>",
             "#include \"parts/x.cuh\"",
             "#ifdef __has_include\n#if __has_include(<cub/cub.cuh>)\n#endif\n#endif",
             "// __has_include(\"/x\")",
             "// we #include X here",
             "/*\n#include \"/x\"\n*/",
             "// to be continued \\\n#include \"/x\"",
             "const char* s = R\"(\n#include \"/x\"\n)\";",
             "const char* s = \"#include\"; int include = 1;",
             "int x = a # include;",
             "#define include_it \"/x\"",
             "#pragma unroll // \"../x\"",
             "// the .incbin of an assembler",
             "f(\".inc\", \"bin\");",
         }) {
        INFO(text);
        CHECK(problem({{"student.cu", text}}) == "");
    }
    // ".." within the submission is fine, where the file is there.
    const SourceFile user{"parts/a.cuh", "#include \"../b.cuh\"\n"};
    CHECK(problem({user, {"b.cuh", ""}}) == "");
    CHECK(problem({user}).find("parts/a.cuh:1: ") == 0);
    CHECK(problem({{"a.cu", "int x;\n\n\\\n#include \"/x\""}}).find("a.cu:4: ") == 0);
}

TEST_CASE("a damaged entry of the cache is built anew", "[slow]") {
    const Place place;
    const fs::path file = place.write("student.cu", kernel);
    const Build built = place.good(file);
    const std::string bytes = read_text(built.executable);
    const fs::path outcome = built.executable.parent_path() / "outcome";
    const std::string text = read_text(outcome);

    std::ofstream(built.executable, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    const Build after_truncation = place.good(file);
    CHECK_FALSE(after_truncation.from_cache);
    CHECK(read_text(after_truncation.executable).size() == bytes.size());

    std::ofstream(outcome, std::ios::binary) << "cugrade build 1 nonsense\n";
    CHECK_FALSE(place.good(file).from_cache);
    fs::remove(outcome);
    CHECK_FALSE(place.good(file).from_cache);
    CHECK(place.good(file).from_cache);
    CHECK(place.cache_entries() == 1);
}

TEST_CASE("an entry of the cache that the grader has not made is never used", "[slow]") {
    const Place place;
    const fs::path right = place.write("right.cu", kernel);
    const fs::path wrong = place.write("wrong.cu", std::string(kernel) + "// another\n");
    const fs::path of_right = place.good(right).executable.parent_path();
    const fs::path of_wrong = place.good(wrong).executable.parent_path();
    REQUIRE(of_right != of_wrong);
    CHECK(place.good(wrong).from_cache);

    // The whole entry of another submission, as the grader made it.
    for (const char* part : {"outcome", "runner"})
        fs::copy_file(of_right / part, of_wrong / part, fs::copy_options::overwrite_existing);
    CHECK_FALSE(place.good(wrong).from_cache);
    CHECK(place.good(wrong).from_cache);

    // Another program, and what the checksum without a key would be.
    const std::string text = read_text(of_wrong / "outcome");
    const std::string program = "#!/bin/sh\n";
    const std::string body = "accepted\n" + datasets::sha256(program) + "\n0\n";
    std::ofstream(of_wrong / "runner", std::ios::binary) << program;
    for (const std::string& forged :
         {"cugrade build 1 " + datasets::sha256(body) + "\n" + body,
          "cugrade build 2 " + datasets::sha256(body) + "\n" + body,
          "cugrade build 2 " + seal::Key::of_this_run().mac("build cache entry", {"key", body}) +
              "\n" + body,
          text.substr(0, text.find('\n') + 1) + body}) {
        std::ofstream(of_wrong / "outcome", std::ios::binary) << forged;
        std::ofstream(of_wrong / "runner", std::ios::binary) << program;
        CHECK_FALSE(place.good(wrong).from_cache);
    }

    // Under another key there is nothing yet, and the entries of both stay.
    ::setenv("CUGRADE_KEY_FILE", (place.path / "another key").c_str(), 1);
    CHECK_FALSE(place.good(wrong).from_cache);
    CHECK(place.good(wrong).from_cache);
    ::unsetenv("CUGRADE_KEY_FILE");
    CHECK(place.good(wrong).from_cache);
}

TEST_CASE("a note of the cache counts under its own key, as the grader wrote it") {
    const Place place;
    const BuildCache cache(place.path, 1 << 20, seal::Key::of_this_run());
    cache.store_note("a", "text of a");
    cache.store_note("b", "text of b");
    CHECK(cache.find_note("a") == "text of a");
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(place.path))
        if (entry.path().extension() == ".note") files.push_back(entry.path());
    REQUIRE(files.size() == 2);
    fs::copy_file(files[0], files[1], fs::copy_options::overwrite_existing);
    CHECK(cache.find_note("a").has_value() != cache.find_note("b").has_value());
}

TEST_CASE("many builds of one submission at once agree", "[slow]") {
    const Place place;
    const fs::path file = place.write("student.cu", kernel);
    std::vector<std::thread> threads;
    std::vector<std::string> executables(4);
    for (std::size_t i = 0; i < executables.size(); ++i)
        threads.emplace_back([&, i] {
            auto outcome = place.try_build(file);
            if (outcome && outcome->build) executables[i] = outcome->build->executable.string();
        });
    for (auto& thread : threads) thread.join();
    for (const std::string& executable : executables) {
        CHECK_FALSE(executable.empty());
        CHECK(executable == executables[0]);
    }
    CHECK(place.cache_entries() == 1);
    CHECK(place.good(file).from_cache);
}

TEST_CASE("the cache stays below its limit, the longest unused goes first") {
    const Place place;
    const fs::path folder = place.path / "entries";
    fs::create_directories(folder);
    const BuildCache cache(folder, 25'000, seal::Key::of_this_run());
    const auto hours_ago = [](int hours) {
        return fs::file_time_type::clock::now() - std::chrono::hours(hours);
    };
    for (int i = 0; i < 4; ++i) {
        const std::string key(1, static_cast<char>('a' + i));
        fs::create_directories(folder / key);
        std::ofstream(folder / key / "runner") << std::string(10'000, 'x');
        fs::last_write_time(folder / key, hours_ago(10 - i));
    }
    // What others are making is locked; what a killed process has left is not.
    fs::create_directories(folder / ".making-dead");
    std::ofstream(folder / ".words.note.0123abcd") << "half a no";
    const auto alive = TemporaryFolder::make_in(folder, ".making-");
    REQUIRE(alive.ok());
    cache.prune();
    CHECK_FALSE(fs::exists(folder / "a"));
    CHECK_FALSE(fs::exists(folder / "b"));
    CHECK(fs::exists(folder / "c"));
    CHECK(fs::exists(folder / "d"));
    CHECK_FALSE(fs::exists(folder / ".making-dead"));
    CHECK_FALSE(fs::exists(folder / ".words.note.0123abcd"));
    CHECK(fs::exists(alive->path()));
}

TEST_CASE("a cache limit that is no size is an error; a cache that cannot be written is none") {
    const Place place;
    for (const char* text : {"much", "2T", "-1", "2GB", "99999999999999G"}) {
        ::setenv("CUGRADE_CACHE_LIMIT", text, 1);
        auto cache = BuildCache::open();
        INFO(text);
        REQUIRE_FALSE(cache.ok());
        CHECK(cache.error().kind == ErrorKind::configuration);
    }
    ::setenv("CUGRADE_CACHE_LIMIT", "512M", 1);
    CHECK(BuildCache::open().ok());
    ::unsetenv("CUGRADE_CACHE_LIMIT");
    place.write("file", "");
    ::setenv("XDG_CACHE_HOME", (place.path / "file").c_str(), 1);
    const auto why = BuildCache::why_not_kept();
    REQUIRE(why);
    CHECK(why->remedy.find("XDG_CACHE_HOME") != std::string::npos);
    auto cache = BuildCache::open();
    REQUIRE(cache.ok());
    // It keeps what is put there as long as this process runs, and so does one that fails later.
    place.write("program", "text");
    BuildOutcome outcome;
    outcome.build = Build{.executable = place.path / "program", .compiler_output = {}};
    auto stored = cache->store("key", outcome);
    REQUIRE(stored.ok());
    REQUIRE(cache->find("key"));
    CHECK(fs::exists(cache->find("key")->build->executable));
    auto elsewhere =
        BuildCache(place.path / "file", 1000, seal::Key::of_this_run()).store("other", outcome);
    REQUIRE(elsewhere.ok());
    CHECK(fs::exists(elsewhere->build->executable));
}

TEST_CASE("the hash of a file is the one that sha256sum prints") {
    const Place place;
    CHECK(*submission_sha256(place.write("student.cu", "abc")) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    place.write("ada/b.cu", "abc");
    place.write("ada/a.cuh", "");
    const std::string lines =
        datasets::sha256("") + "  a.cuh\n" + datasets::sha256("abc") + "  b.cu\n";
    CHECK(*submission_sha256(place.path / "ada") == datasets::sha256(lines));
}

TEST_CASE("a place in PTX is told as the student knows it") {
    CHECK(as_submitted("/tmp/cugrade.build-a1B2c3/src/student.cu") == "student.cu");
    CHECK(as_submitted("/tmp/cugrade.build-a1B2c3/src/parts/x.cuh") == "parts/x.cuh");
    CHECK(as_submitted("/usr/local/cuda/include/sm_60_atomic_functions.hpp") ==
          "/usr/local/cuda/include/sm_60_atomic_functions.hpp");
    CHECK(as_submitted("student.cu").empty() == false);
}

TEST_CASE("compiler output is tidied") {
    CHECK(tidy("/tmp/w/src/a.cu(12): error: x\r\n", {{"/tmp/w/src/", ""}, {"/tmp/w/", ""}}) ==
          "a.cu:12: error: x\n");
    CHECK(tidy("f(1): note\n", {}) == "f:1: note\n");
    CHECK(tidy("call f(12) : no\n", {}) == "call f(12) : no\n");
    CHECK(first_compile_error("a.cu:1: warning: no error: here\nb.cu:2: error: yes\n") ==
          "b.cu:2: error: yes");
    CHECK(first_compile_error("a.cu:2: catastrophic error: x\n") ==
          "a.cu:2: catastrophic error: x");
    CHECK(first_compile_error("ptxas error   : too much shared data\n") ==
          "ptxas error   : too much shared data");
    CHECK(first_compile_error("a.cu:3: error #20: x\n") == "a.cu:3: error #20: x");
    CHECK(first_compile_error("errors everywhere\nterror: x\n").empty());
    CHECK(tells_of_ended_program("a\ng++: fatal error: Killed signal terminated program as\n"));
    CHECK(tells_of_ended_program("gcc: fatal error: Terminated signal terminated program cc1plus"));
    CHECK(tells_of_ended_program("a.cu(3): warning #1: x\nCompilation terminated.\n"));
    CHECK_FALSE(tells_of_ended_program("a.cu:3: error #20: x\nCompilation terminated.\n"));
    CHECK_FALSE(tells_of_ended_program("g++: fatal error: no input files\n"));
    CHECK_FALSE(tells_of_ended_program(
        "a.cu:1:9: fatal error: Killed signal terminated program as: No such file\n"));
    CHECK(first_compile_error(std::string(100'000, 'x') + " error: y\n").size() < 400);
}

TEST_CASE("linker output is understood, with and without line numbers") {
    const LinkError numbered = first_link_error(
        "/usr/bin/ld: a.o: in function `g()':\na.cu:5: undefined reference to `foo(int)'\n");
    CHECK(numbered.kind == LinkError::Kind::undefined);
    CHECK(numbered.symbol == "foo(int)");
    CHECK(numbered.place == "a.cu:5");
    const LinkError bare =
        first_link_error("/usr/bin/ld: a.o:x.cpp:(.text+0x16): undefined reference to `f'\n");
    CHECK(bare.symbol == "f");
    CHECK(bare.place.empty());
    const LinkError newer = first_link_error(
        "/usr/bin/ld: /tmp/tmpxft_0_a.o: in function `f':\n"
        "/tmp/d/a.cu:2:(.text+0x15): undefined reference to `cudaMemcpyy'\n");
    CHECK(newer.symbol == "cudaMemcpyy");
    CHECK(newer.place == "/tmp/d/a.cu:2");
    const LinkError newer_bare = first_link_error(
        "/usr/bin/ld: a.o: in function `f()':\n"
        "tmpxft_0_a.cudafe1.cpp:(.text+0x66): undefined reference to `g'\n");
    CHECK(newer_bare.symbol == "g");
    CHECK(newer_bare.place.empty());
    const LinkError twice = first_link_error(
        "/usr/bin/ld: c.o: in function `g()':\nc.cu:7: multiple definition of `g()'; b.o:b.cu:5: "
        "first defined here\n");
    CHECK(twice.kind == LinkError::Kind::duplicate);
    CHECK(twice.place == "c.cu:7");
    CHECK(twice.first == "b.cu:5");
    CHECK(first_link_error("cannot find -lfoo\n").kind == LinkError::Kind::other);
    CHECK(unresolved_by_ptxas("ptxas fatal   : Unresolved extern function '_Z6refineif'\n") ==
          "refine(int, float)");
    CHECK(unresolved_by_ptxas("student.cu:1: error: x\n").empty());
    const auto undefined = undefined_references(
        "ld: a.o: undefined reference to `cudaA'\nld: a.o: in function `f':\n"
        "a.cu:3: undefined reference to `g(int)'\n");
    REQUIRE(undefined.size() == 2);
    CHECK(undefined[0].symbol == "cudaA");
    CHECK(undefined[0].place.empty());
    CHECK(undefined[1].symbol == "g(int)");
    CHECK(undefined[1].place == "a.cu:3");
}
