// The parts of the command line that need no grading: names, files, the gradebook, batch layouts.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "build/build_submission.hpp"
#include "catch.hpp"
#include "cli/batch_plan.hpp"
#include "cli/choices.hpp"
#include "cli/files.hpp"
#include "cli/secret.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "record/alike.hpp"
#include "seal/private_file.hpp"

using namespace cugrade;
using namespace cugrade::cli;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path;
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "cugrade-cli-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~Folder() { fs::remove_all(path); }
    void write(const std::string& name, const std::string& text = "int x;\n") const {
        fs::create_directories((path / name).parent_path());
        std::ofstream(path / name) << text;
    }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};

std::vector<AssignmentSpec> assignments() {
    std::vector<AssignmentSpec> out(3);
    out[0].id = "reduction";
    out[1].id = "scan";
    out[2].id = "histogram";
    for (AssignmentSpec& assignment : out) assignment.tasks.emplace_back().name = "sum";
    return out;
}

/// "assignment/student=source", in order.
std::vector<std::string> names(const std::vector<BatchItem>& items, const fs::path& folder) {
    std::vector<std::string> out;
    for (const BatchItem& item : items)
        out.push_back(item.assignment->id + "/" + item.student + "=" +
                      item.source.lexically_relative(folder).string());
    return out;
}

}  // namespace

TEST_CASE("a misspelt name is recognised, another is not") {
    const std::vector<std::string> ids{"patterns", "reduction", "scan"};
    CHECK(unknown("assignment", "redcution", ids).remedy == "did you mean `reduction`?");
    CHECK(unknown("assignment", "matrix", ids).remedy == "there are patterns, reduction, scan");
    const auto all = assignments();
    CHECK(find_assignment(all, "scan").ok());
    CHECK(find_assignment(all, "Scan").error().kind == ErrorKind::usage);
    CHECK(find_task(all[0], "sun").error().remedy == "did you mean `sum`?");
}

TEST_CASE("the assignment is inferred from the Makefile, then from the folders above") {
    const auto all = assignments();
    const Folder folder;
    folder.write("scan/ada/student.cu");
    CHECK((*infer_assignment(all, folder.path / "scan/ada/student.cu"))->id == "scan");
    CHECK((*infer_assignment(all, folder.path / "scan"))->id == "scan");
    folder.write("scan/ada/Makefile", "# A := no\nCC = gcc\nA := reduction # week 3\n");
    CHECK((*infer_assignment(all, folder.path / "scan/ada/student.cu"))->id == "reduction");
    folder.write("hw/student.cu");
    auto none = infer_assignment(all, folder.path / "hw/student.cu");
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().remedy.find("reduction, scan, histogram") != std::string::npos);
    folder.write("hw/Makefile", "A := redaction\n");
    CHECK(infer_assignment(all, folder.path / "hw/student.cu").error().remedy ==
          "did you mean `reduction`?");
}

TEST_CASE("a class of one assignment: files and folders") {
    const auto all = assignments();
    const Folder folder;
    folder.write("bob.cu");
    folder.write("ada/student.cu");
    folder.write("cy/student.cu");
    folder.write("cy/helper.cuh");
    folder.write("dan/notes.txt");
    folder.write("README.md");
    folder.write(".hidden.cu");
    folder.write("._bob.cu");  // macOS puts it beside bob.cu
    folder.write(".DS_Store");
    const auto items = plan_batch(folder.path, all, &all[0]);
    REQUIRE(items.ok());
    CHECK(names(items->items, folder.path) ==
          std::vector<std::string>{"reduction/ada=ada/student.cu", "reduction/bob=bob.cu",
                                   "reduction/cy=cy", "reduction/dan=dan"});
    const std::string at = (folder.path / "").string();
    CHECK(items->passed_over ==
          std::vector<std::string>{
              at + ".hidden.cu: hidden; if it is a submission, give it a name without the dot",
              at + "README.md: not a .cu file"});
    CHECK(std::ranges::all_of(items->items, [](const BatchItem& i) { return i.problem.empty(); }));
    // One student's mistake does not keep the class from being graded.
    folder.write("ada.cu");
    const auto twice = plan_batch(folder.path, all, &all[0]);
    REQUIRE(twice.ok());
    REQUIRE(twice->items.size() == 4);
    CHECK(twice->items[0].problem ==
          "two submissions: " + at + "ada/student.cu and " + at + "ada.cu; remove one of them");
    CHECK(twice->items[1].problem.empty());
}

TEST_CASE("what Gradescope exports: an item for each submitter, with the time") {
    const auto all = assignments();
    const Folder folder;
    folder.write("submission_1/student.cu");
    folder.write("submission_2/student.cu");
    folder.write("other/student.cu");
    folder.write("submission_metadata.yml",
                 "submission_1:\n  :submitters: [{:sid: '7'}, {:name: Bo}, {:sid: '7'}]\n"
                 "  :created_at: 1970-01-01 00:01:00 Z\n"
                 "submission_2:\n  :submitters: []\n  :created_at: 1970-01-01 00:02:00 Z\n"
                 "submission_3:\n  :submitters: [{:name: Cy}]\n");
    const auto plan = plan_batch(folder.path, all, &all[0]);
    if (!plan) FAIL(plan.error().text());
    CHECK(names(plan->items, folder.path) ==
          std::vector<std::string>{"reduction/7=submission_1/student.cu",
                                   "reduction/Bo=submission_1/student.cu",
                                   "reduction/other=other/student.cu",
                                   "reduction/submission_2=submission_2/student.cu"});
    for (const BatchItem& item : plan->items) CHECK(item.problem.empty());
    const auto entries = entries_of(*plan);
    CHECK(entries[0].handed_in.at == 60);
    CHECK(entries[1].handed_in.at == 60);
    CHECK_FALSE(entries[2].handed_in.at.has_value());
    CHECK(entries[3].handed_in.at == 120);
    CHECK(plan->passed_over.empty());
    REQUIRE(plan->absent.size() == 1);
    CHECK(plan->absent[0].starts_with("submission_3 ("));
    folder.write("submission_metadata.yml", "submission_1: 1\n");
    CHECK(plan_batch(folder.path, all, &all[0]).error().line == 1);
}

TEST_CASE("sources below what was handed in are found") {
    const auto all = assignments();
    const Folder folder;
    folder.write("ada/src/student.cu");
    folder.write("ada/README.md");
    folder.write("bob/project/kernels/a.cu");
    folder.write("bob/project/kernels/b.cu");
    folder.write("bob/__MACOSX/._a.cu");
    folder.write("bob/.git/config");
    folder.write("cy/one/a.cu");  // which of the two?
    folder.write("cy/two/a.cu");
    folder.write("dan/a.cu");
    folder.write("dan/old/a.cu");
    folder.write("eve/1/2/3/4/5/a.cu");
    folder.write("fay.tar.gz");
    folder.write("gil.7z");
    folder.write("hal/My Work.zip");
    folder.write("hal/.DS_Store");
    folder.write("ian/a.zip");
    folder.write("ian/b.zip");
    fs::create_directory_symlink(folder.path / "ada", folder.path / "bob/project/kernels/link");
    fs::create_directory(folder.path / "mallory");
    fs::create_directory_symlink(folder.path / "ada", folder.path / "mallory/src");
    const auto plan = plan_batch(folder.path, all, &all[0]);
    REQUIRE(plan.ok());
    CHECK(names(plan->items, folder.path) ==
          std::vector<std::string>{"reduction/ada=ada/src/student.cu",
                                   "reduction/bob=bob/project/kernels", "reduction/cy=cy",
                                   "reduction/dan=dan", "reduction/eve=eve",
                                   "reduction/fay=fay.tar.gz", "reduction/hal=hal/My Work.zip",
                                   "reduction/ian=ian", "reduction/mallory=mallory"});
    for (const BatchItem& item : plan->items)
        CHECK(item.is_archive == (item.student == "fay" || item.student == "hal"));
    CHECK(plan->passed_over ==
          std::vector<std::string>{(folder.path / "gil.7z").string() +
                                   ": an archive; unpack it into a folder of this name"});
}

TEST_CASE("names that a person may take for one are told") {
    CHECK(record::as_read("Ada") == record::as_read("ada"));
    CHECK(record::as_read("Ame\u0301lie") ==
          record::as_read("Am\u00e9lie"));  // with an accent, and with a letter
    CHECK(record::as_read("\u738b\u4e94") != record::as_read("\u738b\u516d"));
    CHECK(record::as_read("\u00d8") != record::as_read("\u00e5"));
    CHECK(record::as_read("\xff?") == "\xff?");
    const auto all = assignments();
    const Folder folder;
    for (const char* name : {"Bob.cu", "ada.cu", "bob.cu", "Ame\u0301lie.cu", "Am\u00e9lie.cu"})
        folder.write(name);
    const auto plan = plan_batch(folder.path, all, &all[0]);
    REQUIRE(plan.ok());
    CHECK(plan->items.size() == 5);
    CHECK(plan->alike ==
          std::vector<std::string>{
              "Ame\u0301lie and Am\u00e9lie (reduction): rename one if they are one student",
              "Bob and bob (reduction): rename one if they are one student"});
}

TEST_CASE("a class of several assignments") {
    const auto all = assignments();
    const Folder folder;
    folder.write("scan/bob.cu");
    folder.write("reduction/bob/student.cu");
    folder.write("reduction/ada.cu");
    folder.write("class.tsv");
    const auto items = plan_batch(folder.path, all, nullptr);
    REQUIRE(items.ok());
    CHECK(names(items->items, folder.path) ==
          std::vector<std::string>{"reduction/ada=reduction/ada.cu",
                                   "reduction/bob=reduction/bob/student.cu",
                                   "scan/bob=scan/bob.cu"});
    folder.write("histogramm/ada.cu");
    const auto typo = plan_batch(folder.path, all, nullptr);
    REQUIRE_FALSE(typo.ok());
    CHECK(typo.error().remedy.find("did you mean `histogram`?") == 0);
}

TEST_CASE("an assignment that is left out says why, and its folder is passed over") {
    const auto all = assignments();
    const std::vector<LeftOut> left_out{
        {"blur", {.kind = ErrorKind::usage, .message = "the policy does not grade `blur`"}},
        {"sort", {.kind = ErrorKind::configuration, .message = "a list is expected"}}};
    CHECK(find_assignment(all, "blur", left_out).error().message ==
          "the policy does not grade `blur`");
    CHECK(find_assignment(all, "blur").error().message == "unknown assignment `blur`");
    const Folder folder;
    folder.write("blur/ada.cu");
    CHECK(infer_assignment(all, folder.path / "blur/ada.cu", left_out).error().message ==
          "the policy does not grade `blur`");
    CHECK_FALSE(plan_batch(folder.path, all, nullptr, left_out));
    folder.write("scan/bob.cu");
    const auto plan = plan_batch(folder.path, all, nullptr, left_out);
    if (!plan) FAIL(plan.error().text());
    CHECK(names(plan->items, folder.path) == std::vector<std::string>{"scan/bob=scan/bob.cu"});
    REQUIRE(plan->left_out.size() == 1);
    CHECK(plan->left_out[0].find("the policy does not grade `blur`") != std::string::npos);
    CHECK_FALSE(plan->broken);
    folder.write("sort/cy.cu");
    CHECK(plan_batch(folder.path, all, nullptr, left_out)->broken);
    // A task that is left out.
    AssignmentSpec spec = all[0];
    spec.ungraded_tasks = {"extra"};
    CHECK(find_task(spec, "extra").error().message.find("the policy does not grade") == 0);
}

TEST_CASE("a folder without an assignment or without submissions is an error") {
    const auto all = assignments();
    const Folder folder;
    folder.write("class/bob.cu");
    CHECK(plan_batch(folder.path / "class", all, nullptr).error().message ==
          "which assignment is it?");
    folder.write("empty/notes.txt");
    CHECK(plan_batch(folder.path / "empty", all, &all[0]).error().message.find("no submission") ==
          0);
    CHECK(plan_batch(folder.path / "missing", all, &all[0]).error().kind == ErrorKind::usage);
    // A symbolic link beside or inside a submission is not followed to what it names.
    fs::create_symlink("/etc/passwd", folder.path / "class/student.cu");
    fs::create_directories(folder.path / "linked/eve");
    fs::create_symlink("/etc/passwd", folder.path / "linked/eve/student.cu");
    fs::create_directory_symlink("/etc", folder.path / "linked/mallory");
    folder.write("linked/UP.CU");
    const auto linked = plan_batch(folder.path / "linked", all, &all[0]);
    REQUIRE(linked.ok());
    REQUIRE(linked->items.size() == 1);
    CHECK(linked->items[0].source == folder.path / "linked/eve");
    const std::string at = (folder.path / "linked/").string();
    CHECK(linked->passed_over ==
          std::vector<std::string>{at + "UP.CU: nvcc wants .cu in small letters",
                                   at + "mallory: a link, and none is followed; put there what it "
                                        "leads to"});
}

TEST_CASE("a file is replaced whole or not at all") {
    const Folder folder;
    const fs::path file = folder.path / "report.json";
    REQUIRE(write_atomically(file, "old").ok());
    REQUIRE(write_atomically(file, std::string(1 << 20, 'n')).ok());
    CHECK(read_file(file)->size() == 1 << 20);
    CHECK(folder.entries() == 1);  // nothing temporary is left
    struct stat info {};
    ::stat(file.c_str(), &info);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    CHECK((info.st_mode & 0777) == (0666 & ~mask));

    // Readers at any moment see one of the two texts.
    const std::string a(100'000, 'a'), b(100'000, 'b');
    std::atomic<bool> stop{false};
    REQUIRE(write_atomically(file, a).ok());
    std::thread writer([&] {
        for (int i = 0; i < 50; ++i) (void)write_atomically(file, i % 2 == 0 ? b : a);
        stop = true;
    });
    bool whole = true;
    while (!stop) {
        const auto text = read_file(file);
        whole = whole && text && (*text == a || *text == b);
    }
    writer.join();
    CHECK(whole);
}

TEST_CASE("what cannot be written is an error with the reason") {
    const Folder folder;
    CHECK_FALSE(write_atomically(folder.path / "no/such/folder/file", "x").ok());
    const auto full = write_atomically("/dev/full", "x");
    REQUIRE_FALSE(full.ok());
    CHECK(full.error().message.find("No space left on device") != std::string::npos);
    CHECK(full.error().remedy.find("make room") != std::string::npos);
    CHECK(write_atomically("/dev/null", "x").ok());
    folder.write("file");
    CHECK_FALSE(make_folders(folder.path / "file/below").ok());
}

TEST_CASE("the course secret comes from a descriptor, a file or the environment") {
    const Folder folder;
    const std::string ours = seal::random_hex(32), other = seal::random_hex(16);
    // As the kernel shows the environment, so that the bytes can be looked at afterwards.
    static std::string variable = "CUGRADE_SECRET=" + ours;
    REQUIRE(::putenv(variable.data()) == 0);
    CHECK(*read_secret({}) == ours);
    CHECK(std::getenv("CUGRADE_SECRET") == nullptr);
    CHECK(variable.find(ours.substr(0, 4)) == std::string::npos);
    CHECK(*read_secret({}) == ours);  // kept for the next that asks

    folder.write("secret", other + "\r\n");
    const std::string file = (folder.path / "secret").string();
    CHECK(*read_secret({.file = file}) == other);
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    CHECK(*read_secret({.file = {}, .descriptor = fd}) == other);
    CHECK(::fcntl(fd, F_GETFD) == -1);  // it is closed
    CHECK_FALSE(read_secret({.file = {}, .descriptor = fd}).ok());
    folder.write("blank", "\n");
    folder.write("weak", "secret\n");
    folder.write("long", std::string(70'000, 'x'));
    for (const char* name : {"blank", "missing", "weak", "long", ""}) {
        const auto secret = read_secret({.file = (folder.path / name).string()});
        INFO(name);
        REQUIRE_FALSE(secret.ok());
        CHECK(secret.error().kind == ErrorKind::usage);
        CHECK_FALSE(secret.error().remedy.empty());
    }
    ::setenv("CUGRADE_SECRET", "letmein", 1);
    CHECK(read_secret({}).error().file == "CUGRADE_SECRET");
    ::setenv("CUGRADE_SECRET", "", 1);
    CHECK(read_secret({})->empty());
}

TEST_CASE("a secret that could be guessed is refused, one from random numbers is not") {
    for (int i = 0; i < 1000; ++i) {
        CHECK(weakness_of(seal::random_hex(16)).empty());
        CHECK(weakness_of(seal::random_hex(32)).empty());
    }
    for (const char* good : {
             "kB3v0Xy9QmZ7tR1nLw5cEa",    // 128 bits in base64
             "WkE2bE9LZ1JmUzB4UXZ0Yw==",  // with its padding
             "tidal oboe harbour quince lantern mosaic pebble violet anchor drum",
         }) {
        INFO(good);
        CHECK(weakness_of(good).empty());
    }
    for (const char* bad : {
             "x",
             "course secret",
             "0123456789abcdef0123456789abcdef",
             "00000000000000000000000000000000",
             "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef",
             "9f86d081884c7d659a2feaa0c55ad01",              // 31 hexadecimal digits
             "kB3v0Xy9QmZ7tR1nLw5c",                         // 20 of base64
             "the quick brown fox jumps over the lazy dog",  // 43 letters
             "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopq",
             "abcdefghijklmnopqrstuvwxyz{|}~!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGH",
             "ababababababababababababababababababababababababababababababababababab",
         }) {
        INFO(bad);
        CHECK_FALSE(weakness_of(bad).empty());
    }
}

TEST_CASE("a name of any bytes becomes a bounded one that can be shown, and stays different") {
    for (const char* plain : {"ada", "=bob, \"the builder\"", "Zoë", "a~b", "s1234~x"})
        CHECK(safe_name(plain) == plain);
    const std::string longest(150, 'a');
    CHECK(safe_name(longest) == longest);
    std::set<std::string> names;
    std::size_t made = 0;
    for (const std::string& name :
         {std::string(251, 'a'), std::string(252, 'a'), std::string(250, 'a') + "b",
          std::string("a\nb"), std::string("a\x1b[2Jb"), std::string("a\u202eb"),
          std::string("a\x85z"), std::string("a\u0085z"), std::string("a\\x85z"),
          std::string("\xff\xfe"), std::string(255, '\xff'), std::string(85, '\0'),
          std::string("\u200b"), std::string("ab")}) {
        const std::string safe = safe_name(name);
        INFO(safe);
        CHECK(safe.size() <= 150);
        CHECK(printable(safe) == safe);
        CHECK(safe.find('/') == std::string::npos);
        names.insert(safe);
        // Nobody can be called what another name was made into.
        if (safe != name) names.insert(safe_name(safe)), ++made;
        ++made;
    }
    CHECK(names.size() == made);
}

TEST_CASE("colour is for terminals, unless it is asked for") {
    CHECK_FALSE(stdout_style("never")->colour);
    CHECK(stdout_style("always")->colour);
    ::setenv("NO_COLOR", "1", 1);
    CHECK_FALSE(stdout_style("auto")->colour);
    ::unsetenv("NO_COLOR");
    CHECK(stdout_style("allways").error().remedy == "did you mean `always`?");
    CHECK(printable("a\nb\x1b[31m") == "a\\x0ab\\x1b[31m");
    CHECK(printable("\u202e\x85\t") == "\\u202e\\x85\\x09");
}
