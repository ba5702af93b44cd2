// What lands in a watched folder, and in which order it is graded: times are the test's own.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/watch_copies.hpp"
#include "cli/watch_folder.hpp"
#include "cli/watch_queue.hpp"

using namespace cugrade;
using namespace cugrade::cli;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Whos = std::vector<record::Who>;
const record::Who ada{"scan", "ada"}, bob{"scan", "bob"}, cy{"scan", "cy"};

LandedCopy copy(const record::Who& who, const std::string& content, std::int64_t at,
                int lateness = 0) {
    return {.who = who,
            .sha256 = content,
            .source = fs::path("copies") / who.second / (content + std::to_string(at)),
            .landed_at = at,
            .lateness = lateness};
}

Whos whos(const std::vector<LandedCopy>& copies) {
    Whos out;
    for (const LandedCopy& one : copies) out.push_back(one.who);
    return out;
}

/// A queue, and a clock that only this test moves.
struct Watched {
    WatchQueue queue{2s};
    WatchQueue::Time now{};
    std::vector<LandedCopy> gone;
    Whos look(const std::vector<Seen>& seen, std::chrono::milliseconds later = 0ms) {
        now += later;
        return queue.look(seen, now, gone);
    }
};

struct TestFolder {
    fs::path path;
    TestFolder() {
        std::string pattern = (fs::temp_directory_path() / "cugrade-watch-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~TestFolder() { fs::remove_all(path); }
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((path / name).parent_path());
        std::ofstream(path / name) << text;
    }
};

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a hand-in has landed when it has not changed for a while, and once") {
    Watched watched;
    CHECK(watched.look({{ada, "half", 1}}).empty());
    CHECK(watched.look({{ada, "half", 1}}, 1900ms).empty());
    CHECK(watched.look({{ada, "whole", 3}}, 50ms).empty());
    CHECK(watched.look({{ada, "whole", 3}}, 1900ms).empty());
    CHECK(watched.queue.is_landing());
    CHECK(watched.queue.is_landing_until(3));
    CHECK_FALSE(watched.queue.is_landing_until(2));
    CHECK(watched.look({{ada, "whole", 3}}, 100ms) == Whos{ada});
    CHECK_FALSE(watched.queue.is_landing());
    CHECK(watched.look({{ada, "whole", 3}}, 1h).empty());
    // One that changes while it is copied lands once more, though it looks as before.
    watched.queue.land_later(ada, watched.now);
    CHECK(watched.look({{ada, "whole", 3}}, 1s).empty());
    CHECK(watched.look({{ada, "whole", 3}}, 1s) == Whos{ada});
}

TEST_CASE("a later copy takes the place of the one that waits") {
    Watched watched;
    CHECK(watched.queue.put(copy(ada, "a", 1)).empty());
    CHECK(whos(watched.queue.put(copy(ada, "b", 2))) == Whos{ada});
    CHECK(watched.queue.waiting() == 1);
    const auto next = watched.queue.next(9);
    REQUIRE(next.size() == 1);
    CHECK(next[0].sha256 == "b");
    CHECK(watched.queue.next(9).empty());
}

TEST_CASE("what lands after the end of a watch is not left for the next") {
    Watched watched;
    CHECK(watched.look({{ada, "in time", 1}, {bob, "too late", 3}}).empty());
    CHECK(watched.queue.unfinished() == 2);
    CHECK(watched.queue.unfinished(2) == 1);
}

TEST_CASE("a copy that lateness makes worth less takes no earlier one's place") {
    Watched watched;
    CHECK(watched.queue.put(copy(ada, "in time", 1)).empty());
    CHECK(watched.queue.put(copy(ada, "one day late", 2, 1)).empty());
    CHECK(whos(watched.queue.put(copy(ada, "one day late, too", 3, 1))) == Whos{ada});
    CHECK(watched.queue.waiting() == 2);
    CHECK(watched.queue.unfinished() == 1);
    // One at a time, in the order in which they came: each is an attempt.
    const auto first = watched.queue.next(9);
    REQUIRE(first.size() == 1);
    CHECK(first[0].sha256 == "in time");
    watched.queue.is_graded(ada, "in time");
    const auto second = watched.queue.next(9);
    REQUIRE(second.size() == 1);
    CHECK(second[0].sha256 == "one day late, too");
}

TEST_CASE("the same content is not graded twice") {
    Watched watched;
    watched.queue.is_graded(ada, "a");
    const LandedCopy again = copy(ada, "a", 5);
    const auto back = watched.queue.put(again);
    REQUIRE(back.size() == 1);
    CHECK(back[0].source == again.source);
    CHECK(watched.queue.waiting() == 0);
    // Nor while it waits, and then it keeps the time at which it came first.
    CHECK(watched.queue.put(copy(bob, "b", 1)).empty());
    CHECK(watched.queue.put(copy(bob, "b", 7)).size() == 1);
    // The same copy, found once more: its files are those that wait.
    CHECK(watched.queue.put(copy(bob, "b", 1)).empty());
    const auto next = watched.queue.next(9);
    REQUIRE(next.size() == 1);
    CHECK(next[0].landed_at == 1);
    // Nor while it is being graded.
    CHECK(watched.queue.put(copy(bob, "b", 8)).size() == 1);
    CHECK(watched.queue.waiting() == 0);
    // What could not be graded may come again.
    watched.queue.has_failed(bob);
    CHECK(watched.queue.put(copy(bob, "b", 9)).empty());
    CHECK(watched.queue.waiting() == 1);
}

TEST_CASE("what comes while an older copy is graded waits, and stays when that one is done") {
    Watched watched;
    CHECK(watched.queue.put(copy(ada, "a", 1)).empty());
    const auto first = watched.queue.next(1);
    CHECK(watched.queue.put(copy(ada, "b", 2)).empty());
    watched.queue.is_graded(ada, "a");
    CHECK(watched.queue.put(copy(ada, "b", 3)).size() == 1);
    CHECK(watched.queue.waiting() == 1);
    // The same where it fails.
    const auto second = watched.queue.next(1);
    CHECK(watched.queue.put(copy(ada, "c", 4)).empty());
    watched.queue.has_failed(ada);
    CHECK(watched.queue.waiting() == 1);
    // One that was taken out and not graded is the older one again.
    watched.queue.put_back(second.front());
    CHECK(watched.queue.next(1).front().sha256 == "b");
    CHECK(watched.queue.next(1).front().sha256 == "c");
}

TEST_CASE("who has no grading comes first, then who landed first") {
    Watched watched;
    watched.queue.is_graded(ada, "old");
    CHECK(watched.queue.put(copy(ada, "a", 1)).empty());
    CHECK(watched.queue.put(copy(bob, "b", 3)).empty());
    CHECK(watched.queue.put(copy(cy, "c", 2)).empty());
    CHECK(whos(watched.queue.next(2)) == Whos{cy, bob});
    CHECK(whos(watched.queue.next(2)) == Whos{ada});
}

TEST_CASE("the queue does not grow with the copies of a student") {
    Watched watched;
    std::size_t replaced = 0;
    for (int i = 0; i < 1000; ++i)
        for (const record::Who& who : {ada, bob, cy})
            replaced += watched.queue.put(copy(who, std::to_string(i), i, i / 400)).size();
    CHECK(watched.queue.waiting() == 9);
    CHECK(replaced == 3000 - 9);
}

TEST_CASE("who takes a hand-in back does not wait, and may come again") {
    Watched watched;
    (void)watched.look({{ada, "a", 1}, {bob, "b", 1}});
    CHECK(watched.look({{ada, "a", 1}, {bob, "b", 1}}, 3s).size() == 2);
    CHECK(watched.queue.put(copy(ada, "a", 1)).empty());
    CHECK(watched.queue.put(copy(bob, "b", 1)).empty());
    CHECK(watched.look({{bob, "b", 1}}).empty());
    CHECK(whos(watched.gone) == Whos{ada});
    CHECK(watched.queue.waiting() == 1);
    (void)watched.look({{ada, "a", 1}, {bob, "b", 1}});
    CHECK(watched.look({{ada, "a", 1}, {bob, "b", 1}}, 3s) == Whos{ada});
    CHECK(watched.queue.put(copy(ada, "a", 1)).empty());
    CHECK(watched.queue.waiting() == 2);
}

TEST_CASE("how long what waits takes, at the measured pace") {
    Pace pace;
    CHECK(waiting_text(1, pace) == "1 hand-in waits");
    pace.add(10, 20);
    CHECK(waiting_text(3, pace) == "3 hand-ins wait, about 6 s");
    CHECK(waiting_text(90, pace) == "90 hand-ins wait, about 3 min");
    for (int i = 0; i < 50; ++i) pace.add(10, 50);
    CHECK(*pace.seconds_for(1) == Approx(5).epsilon(0.01));
}

TEST_CASE("a stamp tells each change below a folder, and its time is not the author's") {
    const TestFolder folder;
    folder.write("ada/a.cu", "1");
    folder.write("ada/src/b.cuh", "1");
    const fs::path entry = folder.path / "ada";
    std::vector<fs::path> folders;
    const Stamp first = stamp_of(entry, &folders);
    CHECK(folders.size() == 2);
    CHECK(stamp_of(entry).text == first.text);
    folder.write("ada/src/b.cuh", "22");
    const Stamp second = stamp_of(entry);
    CHECK(second.text != first.text);
    const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
    REQUIRE(::utimensat(AT_FDCWD, (entry / "a.cu").c_str(), long_ago, 0) == 0);
    CHECK(stamp_of(entry).changed_at >= first.changed_at);
    CHECK(stamp_of(entry).text != second.text);
    fs::remove(entry / "src/b.cuh");
    CHECK(stamp_of(entry).text != second.text);
    // A link is what it is: what it leads to is not looked at.
    fs::create_symlink("/", folder.path / "all");
    CHECK(stamp_of(folder.path / "all", &folders).changed_at >= first.changed_at);
    CHECK(folders.size() == 2);
    CHECK(stamp_of(folder.path / "none").changed_at == 0);
}

TEST_CASE("events of a folder wake who waits for them") {
    const TestFolder folder;
    FolderEvents events;
    events.add({folder.path});
    CHECK_FALSE(events.wait(1ms));
    folder.write("ada.cu", "1");
    CHECK(events.wait(10s));
    while (events.wait(1ms)) {
    }
    CHECK_FALSE(events.wait(1ms));
}

TEST_CASE("copies that wait are what landed, whatever becomes of the hand-in") {
    const TestFolder folder;
    AssignmentSpec assignment;
    assignment.id = "scan";
    folder.write("class/ada.cu", "int x;\n");
    folder.write("class/bob/a.cu", "#include \"in/b.cuh\"\n");
    folder.write("class/bob/in/b.cuh", "int y;\n");
    folder.write("class/bob/notes.txt", "no source\n");
    folder.write("class/cy.cu", "");
    const WatchCopies copies(folder.path / "out");
    const auto item = [&](const char* student, const char* name) {
        return BatchItem{student, &assignment, folder.path / "class" / name};
    };
    const auto first = copies.make(item("ada", "ada.cu"), 20);
    const auto second = copies.make(item("bob", "bob"), 10);
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    folder.write("class/ada.cu", "int z;\n");
    fs::remove_all(folder.path / "class/bob");
    CHECK(text_of(first->source) == "int x;\n");
    CHECK(first->source.filename() == "ada.cu");
    CHECK(text_of(second->source / "in/b.cuh") == "int y;\n");
    CHECK_FALSE(fs::exists(second->source / "notes.txt"));
    CHECK((fs::status(folder.path / "out/.waiting").permissions() & fs::perms::others_all) ==
          fs::perms::none);
    // What is none is graded where it lies.
    const auto none = copies.make(item("cy", "cy.cu"), 30);
    REQUIRE(none.ok());
    CHECK(none->source == folder.path / "class/cy.cu");
    copies.remove(*none);
    CHECK(fs::exists(folder.path / "class/cy.cu"));
    // Another process finds them, oldest first.
    const auto left = WatchCopies(folder.path / "out").left();
    REQUIRE(left.size() == 2);
    CHECK(left[0].who == record::Who{"scan", "bob"});
    CHECK(left[0].source == second->source);
    CHECK(left[0].sha256 == second->sha256);
    CHECK(left[0].landed_at == 10);
    CHECK(left[1].sha256 == first->sha256);
    copies.remove(left[0]);
    copies.remove(left[1]);
    CHECK(copies.left().empty());
}
