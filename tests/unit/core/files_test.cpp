#include "core/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "core/shell.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

TEST_CASE("a temporary folder is its owner's alone and goes with it") {
    fs::path first, second;
    {
        auto one = TemporaryFolder::make("test");
        auto two = TemporaryFolder::make("test");
        REQUIRE(one.ok());
        REQUIRE(two.ok());
        first = one->path();
        second = two->path();
        CHECK(first != second);
        const TemporaryFolder moved = *std::move(one);
        CHECK(moved.path() == first);
        std::ofstream(first / "file") << "text";
        const auto text = read_file(first / "file");
        REQUIRE(text.ok());
        CHECK(*text == "text");
    }
    CHECK_FALSE(fs::exists(first));
    CHECK_FALSE(fs::exists(second));
}

namespace {

/// Runs `work` in a process of its own, which ends itself by SIGKILL.
template <class Work>
void in_killed_process(Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        ::_exit(1);
    }
    REQUIRE(child > 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
}

std::size_t entries_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("what a killed process leaves is removed, and what others use or own is not") {
    const auto place = TemporaryFolder::make("test");
    REQUIRE(place.ok());
    const fs::path folder = place->path();
    const auto in_use = TemporaryFolder::make_in(folder, "cugrade.");
    REQUIRE(in_use.ok());
    std::ofstream(in_use->path() / "file") << "text";
    in_killed_process([&] {
        const auto left = TemporaryFolder::make_in(folder, "cugrade.");
        if (left) std::ofstream(left->path() / "file") << "text";
        ::raise(SIGKILL);
    });
    fs::create_directory(folder / "another's");
    fs::create_directory_symlink("another's", folder / "cugrade.link");
    std::ofstream(folder / "cugrade.file") << "text";
    REQUIRE(entries_in(folder) == 5);
    remove_abandoned_folders(folder, "cugrade.");
    CHECK(entries_in(folder) == 4);
    CHECK(fs::exists(in_use->path() / "file"));
    CHECK(fs::is_symlink(folder / "cugrade.link"));

    // The first folder of a later process looks among the system's temporary files.
    in_killed_process([&] {
        ::setenv("TMPDIR", folder.c_str(), 1);
        (void)TemporaryFolder::make("test");
        const auto left = TemporaryFolder::make("killed");
        if (left) ::raise(SIGKILL);
    });
    CHECK(entries_in(folder) == 5);
    ::setenv("TMPDIR", folder.c_str(), 1);
    remove_abandoned_temporary_folders();
    ::unsetenv("TMPDIR");
    CHECK(entries_in(folder) == 4);

    // One that has got its place under another name stays.
    {
        auto kept = TemporaryFolder::make_in(folder, "cugrade.");
        REQUIRE(kept.ok());
        fs::rename(kept->path(), folder / "kept");
        kept->keep();
    }
    CHECK(fs::exists(folder / "kept"));
}

TEST_CASE("files that a killed process had not finished are removed, others stay") {
    const auto place = TemporaryFolder::make("test");
    REQUIRE(place.ok());
    const fs::path folder = place->path();
    for (const char* name : {".report.json.0123abcd", ".lock", ".report.json.0123abcg",
                             "report.json.0123abcd", ".0123abcd"})
        std::ofstream(folder / name) << "text";
    const int used = ::open((folder / ".used.0123abcd").c_str(), O_WRONLY | O_CREAT, 0600);
    REQUIRE(used >= 0);
    REQUIRE(::flock(used, LOCK_EX) == 0);  // as write_atomically() holds it
    remove_unfinished_files(folder);
    ::close(used);
    CHECK(entries_in(folder) == 5);
    CHECK_FALSE(fs::exists(folder / ".report.json.0123abcd"));
    remove_unfinished_files(folder);
    CHECK(entries_in(folder) == 4);
}

TEST_CASE("nobody removes a file or folder that is being made", "[threads]") {
    const auto place = TemporaryFolder::make("test");
    REQUIRE(place.ok());
    const fs::path folder = place->path();
    std::atomic<bool> over{false};
    std::atomic<int> failed{0};
    std::thread remover([&] {
        while (!over) {
            remove_unfinished_files(folder);
            remove_abandoned_folders(folder, "cugrade.");
        }
    });
    for (int i = 0; i < 300; ++i) {
        if (!write_atomically(folder / "file", "text")) ++failed;
        const auto made = TemporaryFolder::make_in(folder, "cugrade.");
        std::ofstream out;
        if (made) out.open(made->path() / "file");
        if (!out) ++failed;
    }
    over = true;
    remover.join();
    CHECK(failed == 0);
}

TEST_CASE("what cannot be read or made is told with the place") {
    const auto text = read_file("/nowhere/at/all");
    REQUIRE_FALSE(text.ok());
    CHECK(text.error().file == "/nowhere/at/all");
    CHECK(text.error().message == "cannot read: No such file or directory");
    const auto folder = make_unique_folder("/nowhere", "x-");
    REQUIRE_FALSE(folder.ok());
    CHECK(folder.error().file == "/nowhere");
}

TEST_CASE("a folder for temporary files is absolute, or told for what is wrong with it") {
    const char* before = std::getenv("TMPDIR");
    const std::optional<std::string> old =
        before ? std::optional<std::string>(before) : std::nullopt;
    const auto own = TemporaryFolder::make("test");
    REQUIRE(own.ok());
    std::ofstream(own->path() / "file") << "text";
    const auto message_with = [](const fs::path& value) {
        ::setenv("TMPDIR", value.c_str(), 1);
        const auto folder = temporary_folder();
        return folder ? folder->string() : folder.error().file + ": " + folder.error().message;
    };
    const std::string own_path = own->path().string();
    CHECK(message_with(own->path()) == own_path);
    CHECK(message_with("") == "/tmp");
    CHECK(message_with("/nowhere/at/all") ==
          "/nowhere/at/all: the folder for temporary files is not there");
    CHECK(message_with(own->path() / "file") ==
          own_path + "/file: the folder for temporary files is no folder");
    const fs::path here = fs::current_path();
    fs::current_path(own->path());
    fs::create_directory("near");
    CHECK(message_with("near") == own_path + "/near");
    CHECK(message_with("far") == own_path +
                                     "/far: the folder for temporary files is not there: TMPDIR "
                                     "is the relative path far");
    fs::current_path(here);
    if (::geteuid() != 0) {
        fs::permissions(own->path() / "near", fs::perms::owner_read);
        CHECK(message_with(own->path() / "near") ==
              own_path +
                  "/near: the folder for temporary files cannot be written: Permission denied");
    }
    if (old)
        ::setenv("TMPDIR", old->c_str(), 1);
    else
        ::unsetenv("TMPDIR");
}

TEST_CASE("a file is the old one or the new one, however many write it", "[threads]") {
    const auto folder = TemporaryFolder::make("test");
    REQUIRE(folder.ok());
    const fs::path file = folder->path() / "file";
    std::vector<std::thread> writers;
    for (const char letter : {'a', 'b', 'c'})
        writers.emplace_back([&file, letter] {
            const std::string text(std::size_t{1} << 16, letter);
            for (int i = 0; i < 20; ++i)
                if (!write_atomically(file, text)) return;
        });
    for (int i = 0; i < 200; ++i) {
        const auto text = read_file(file);
        if (!text) continue;  // not written yet
        CHECK(*text == std::string(std::size_t{1} << 16, text->at(0)));
    }
    for (std::thread& writer : writers) writer.join();
    CHECK(std::distance(fs::directory_iterator(folder->path()), fs::directory_iterator()) == 1);
    CHECK((fs::status(file).permissions() & fs::perms::owner_write) != fs::perms::none);
    const auto nowhere = write_atomically(folder->path() / "no/file", "text");
    REQUIRE_FALSE(nowhere.ok());
    CHECK(nowhere.error().message == "cannot write: No such file or directory");
}

TEST_CASE("a shell takes a word back as it was") {
    CHECK(shell_word("a/b-c_1.cu") == "a/b-c_1.cu");
    for (const std::string word : {"", "two words", "it's", "$HOME", "a\nb", "`x`", "*", "~"}) {
        INFO(word);
        FILE* pipe = ::popen(("printf %s " + shell_word(word)).c_str(), "r");
        REQUIRE(pipe != nullptr);
        std::string back;
        for (int c = 0; (c = std::fgetc(pipe)) != EOF;) back += static_cast<char>(c);
        ::pclose(pipe);
        CHECK(back == word);
    }
}

TEST_CASE("words for a shell are read back as they were") {
    const std::vector<std::string> words{"cugrade", "", "o'hara", "a b", "$(x) `y` \"z\" \\",
                                         "\x1b\n", "--flag=7"};
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
    CHECK(shell_words(line) == words);
    CHECK(shell_words("") == std::vector<std::string>{});
    CHECK(shell_words("  a   b ") == std::vector<std::string>{"a", "b"});
    for (const char* bad : {"a 'b", "\"a b\"", "$HOME", "`a`", "a\\"})
        CHECK_FALSE(shell_words(bad).has_value());
}
