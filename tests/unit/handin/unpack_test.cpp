// Archives that are handed in: what is unpacked, and what is refused with nothing left behind.
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "core/files.hpp"
#include "handin/archive_name.hpp"
#include "handin/entry_path.hpp"
#include "handin/pack.hpp"
#include "handin/unpack.hpp"

using namespace cugrade;
using namespace cugrade::handin;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

struct Entry {
    std::string name;
    std::string text = "int x;\n";
    unsigned kind = AE_IFREG;
    std::string link = {};      ///< a symbolic link's target
    std::string hardlink = {};  ///< the file that this is another name of
    la_int64_t data_at = 0;     ///< before it there is a hole in the file
};

using Format = std::function<void(archive*)>;
void zip(archive* writer) { archive_write_set_format_zip(writer); }
void stored_zip(archive* writer) {
    archive_write_set_format_zip(writer);
    archive_write_zip_set_compression_store(writer);
}
void tar(archive* writer) { archive_write_set_format_pax_restricted(writer); }
void tar_gz(archive* writer) {
    tar(writer);
    archive_write_add_filter_gzip(writer);
}
void tar_xz(archive* writer) {
    tar(writer);
    archive_write_add_filter_xz(writer);
}

std::string packed(const Format& format, const std::vector<Entry>& entries) {
    archive* writer = archive_write_new();
    format(writer);
    std::string out(1U << 20, '\0');
    for (const Entry& entry : entries) out.resize(out.size() + entry.text.size() + 4096);
    std::size_t used = 0;
    REQUIRE(archive_write_open_memory(writer, out.data(), out.size(), &used) == ARCHIVE_OK);
    for (const Entry& entry : entries) {
        archive_entry* header = archive_entry_new();
        archive_entry_set_pathname(header, entry.name.c_str());
        archive_entry_set_filetype(header, entry.kind);
        archive_entry_set_perm(header, 0777);
        if (!entry.link.empty()) archive_entry_set_symlink(header, entry.link.c_str());
        if (!entry.hardlink.empty()) archive_entry_set_hardlink(header, entry.hardlink.c_str());
        const bool has_text = entry.kind == AE_IFREG && entry.hardlink.empty();
        if (has_text) archive_entry_set_size(header, static_cast<la_int64_t>(entry.text.size()));
        if (entry.data_at > 0)
            archive_entry_sparse_add_entry(
                header, entry.data_at, static_cast<la_int64_t>(entry.text.size()) - entry.data_at);
        REQUIRE(archive_write_header(writer, header) >= ARCHIVE_WARN);
        if (has_text) archive_write_data(writer, entry.text.data(), entry.text.size());
        archive_entry_free(header);
    }
    REQUIRE(archive_write_close(writer) == ARCHIVE_OK);
    archive_write_free(writer);
    out.resize(used);
    return out;
}

/// A folder in which an archive is unpacked, and what became of it.
class Place {
public:
    std::string unpacked(const std::string& bytes, const Limits& limits = {}) {
        std::ofstream(archive(), std::ios::binary | std::ios::trunc) << bytes;
        fs::remove_all(into());
        const auto result = unpack(archive(), into(), limits);
        if (result) {
            entries = result->entries;
            return "";
        }
        CHECK_FALSE(fs::exists(into()));
        CHECK_FALSE(result.error().message.empty());
        CHECK_FALSE(result.error().remedy.empty());
        CHECK(result.error().kind == ErrorKind::submission);
        // Nothing lies anywhere but the archive.
        CHECK(std::distance(fs::recursive_directory_iterator(folder_.path()), {}) == 1);
        return result.error().message;
    }
    /// {path: text} of all files.
    [[nodiscard]] std::map<std::string, std::string> files() const {
        std::map<std::string, std::string> out;
        for (const auto& entry : fs::recursive_directory_iterator(into()))
            if (!entry.is_directory())
                out[entry.path().lexically_relative(into())] = *read_file(entry.path());
        return out;
    }
    [[nodiscard]] fs::path archive() const { return folder_.path() / "archive"; }
    [[nodiscard]] fs::path into() const { return folder_.path() / "into"; }
    std::size_t entries = 0;

private:
    TemporaryFolder folder_ = *TemporaryFolder::make("test");
};

using Files = std::map<std::string, std::string>;

/// Replaces a field of the headers of a zip: at these offsets of local and of central headers.
void set_in_headers(std::string& zipped, std::size_t in_local, std::size_t in_central,
                    std::string_view bytes) {
    int found = 0;
    for (std::size_t at = 0; at + 4 < zipped.size(); ++at) {
        const std::string_view magic = std::string_view(zipped).substr(at, 4);
        if (magic == "PK\3\4") zipped.replace(at + in_local, bytes.size(), bytes);
        if (magic == "PK\1\2") zipped.replace(at + in_central, bytes.size(), bytes);
        found += static_cast<int>(magic == "PK\3\4") + static_cast<int>(magic == "PK\1\2");
    }
    REQUIRE(found == 2);
}

}  // namespace

TEST_CASE("names of archives") {
    for (const char* name : {"a.zip", "A.ZIP", "a.tar", "a.tar.gz", "a.Tgz", "a.tar.xz", "a.txz"})
        CHECK(kind_of(name) == ArchiveName::opened);
    for (const char* name : {"a.7z", "a.RAR", "a.gz", "a.xz", "a.tar.bz2"})
        CHECK(kind_of(name) == ArchiveName::other);
    for (const char* name : {"a.cu", "zip", ".zip", "a.zip.cu", "a", ""})
        CHECK(kind_of(name) == ArchiveName::none);
    CHECK(stem_of("a.b.TAR.GZ") == "a.b");
    CHECK(stem_of("a.zip") == "a");
    CHECK(stem_of("a.cu") == "a.cu");
}

TEST_CASE("what formats hold is unpacked, and nothing that can be executed") {
    for (const auto& format : {zip, tar, tar_gz, tar_xz}) {
        Place place;
        CHECK(place.unpacked(packed(format, {{"src/", "", AE_IFDIR},
                                             {"src/a.cu", "one"},
                                             {"./b//c.h", "two"},
                                             {"inner.zip", "PK"},
                                             {"A.cu", "x"},
                                             {"a.cu", ""},
                                             {"Am\xc3\xa9lie.cu", "e"},
                                             {"Am\xe9lie.cu", "no UTF-8"}})) == "");
        CHECK(place.files() == Files{{"src/a.cu", "one"},
                                     {"b/c.h", "two"},
                                     {"inner.zip", "PK"},
                                     {"A.cu", "x"},
                                     {"a.cu", ""},
                                     {"Am\xc3\xa9lie.cu", "e"},
                                     {"Am\xe9lie.cu", "no UTF-8"}});
        CHECK(place.entries == 9);
        struct stat info {};
        REQUIRE(::stat((place.into() / "src/a.cu").c_str(), &info) == 0);
        CHECK((info.st_mode & 07777 & ~0644U) == 0);
        REQUIRE(::stat((place.into() / "src").c_str(), &info) == 0);
        CHECK((info.st_mode & 07777 & ~0755U) == 0);
    }
}

TEST_CASE("a zip of Windows has backslashes between folders") {
    Place place;
    CHECK(place.unpacked(packed(zip, {{"src\\a.cu", "one"}, {"src\\deep\\b.h", "two"}})) == "");
    CHECK(place.files() == Files{{"src/a.cu", "one"}, {"src/deep/b.h", "two"}});
}

TEST_CASE("what systems put into archives is left out, whatever it is") {
    Place place;
    CHECK(place.unpacked(packed(tar, {{"a.cu", "one"},
                                      {"__MACOSX/._a.cu", "x"},
                                      {"._a.cu", "x"},
                                      {"src/.DS_Store", "x"},
                                      {".git/config", "x"},
                                      {".git/link", "", AE_IFLNK, "/etc"}})) == "");
    CHECK(place.files() == Files{{"a.cu", "one"}});
    CHECK(place.unpacked(packed(zip, {{".git/config", "x"}})) == "the archive holds no file");
    CHECK(place.unpacked(packed(tar, {})) == "the archive holds no file");
    CHECK_FALSE(place.unpacked(packed(zip, {})).empty());
    Limits limits;
    limits.skipped_bytes = 1000;
    CHECK_THAT(place.unpacked(packed(zip, {{"a.cu"}, {".git/x", std::string(1001, 'x')}}), limits),
               ContainsSubstring("more than 1000 bytes that are no hand-in, `.git/x`"));
    limits.skipped_entries = 2;
    CHECK_THAT(place.unpacked(packed(zip, {{".git/a"}, {".git/b"}, {".git/c"}}), limits),
               ContainsSubstring("files and folders"));
}

TEST_CASE("what is no file is refused, and nothing is left") {
    Place place;
    for (const auto& format : {zip, tar}) {
        CHECK(place.unpacked(packed(format, {{"ok.cu"}, {"a/b", "", AE_IFLNK, "/etc/passwd"}})) ==
              "the archive holds a link, `a/b`");
        // Whatever a link leads to, nothing is written through it.
        CHECK(place.unpacked(packed(format, {{"a", "", AE_IFLNK, ".."}, {"a/b", "x"}})) ==
              "the archive holds a link, `a`");
    }
    CHECK(place.unpacked(packed(tar, {{"a.cu"}, {.name = "b.cu", .hardlink = "a.cu"}})) ==
          "the archive holds a link, `b.cu`");
    CHECK(place.unpacked(packed(tar, {{"x.cu"}, {"pipe.cu", "", AE_IFIFO}})) ==
          "the archive holds a pipe, `pipe.cu`");
    CHECK(place.unpacked(packed(tar, {{"x.cu"}, {"zero.cu", "", AE_IFCHR}})) ==
          "the archive holds a device, `zero.cu`");
}

TEST_CASE("names that lead elsewhere, or that nobody can read, are refused") {
    Place place;
    for (const auto& format : {zip, tar}) {
        for (const char* name : {"../x", "a/../../x", "..\\x", "a/..", "a\\..\\x"})
            CHECK_THAT(place.unpacked(packed(format, {{"ok.cu"}, {name}})),
                       ContainsSubstring("leads upwards, `"));
        for (const char* name : {"/etc/x", "\\x", "C:\\x", "c:x", "//x"})
            CHECK_THAT(place.unpacked(packed(format, {{"ok.cu"}, {name}})),
                       ContainsSubstring("an absolute path, `"));
        for (const char* name : {"a\nb.cu", "a\x1b[2J.cu", "a\x7f.cu", "a\xc2\x85.cu"})
            CHECK_THAT(place.unpacked(packed(format, {{"ok.cu"}, {name}})),
                       ContainsSubstring("has a control character, `a\\"));
        CHECK_THAT(place.unpacked(packed(format, {{std::string(256, 'x')}})),
                   ContainsSubstring("more than 255 bytes"));
        CHECK(place.unpacked(packed(format, {{std::string(255, 'x')}})) == "");
        std::string deep = "x";
        for (int i = 1; i < 16; ++i) deep = "d/" + deep;
        CHECK(place.unpacked(packed(format, {{deep}})) == "");
        CHECK_THAT(place.unpacked(packed(format, {{"d/" + deep}})),
                   ContainsSubstring("more than 15 folders"));
        CHECK(place.unpacked(packed(format, {{"a.cu", "1"}, {"a.cu", "2"}})) ==
              "the archive holds two files of the same name, `a.cu`");
        CHECK(place.unpacked(packed(format, {{"a", "1"}, {"a/b", "2"}})) ==
              "the archive holds a file and a folder of the same name, `a/b`");
        CHECK(place.unpacked(packed(format, {{"a/b", "2"}, {"a", "1"}})) ==
              "the archive holds two files of the same name, `a`");
    }
    CHECK(refusal("x", std::string(10'000, 'y'), "").message.size() < 300);
}

TEST_CASE("what is too much is refused by what comes out") {
    Place place;
    const std::string zeros(10'000'000, '\0');
    std::vector<Entry> bomb;
    for (int i = 0; i < 7; ++i) bomb.push_back({std::to_string(i), zeros});
    for (const auto& format : {zip, tar_gz})
        CHECK(place.unpacked(packed(format, bomb)) ==
              "the archive unpacks to more than 200 times its size");
    Limits limits;
    limits.ratio = 1'000'000;
    CHECK(place.unpacked(packed(zip, bomb), limits) == "the archive unpacks to more than 64 MiB");
    CHECK(place.unpacked(packed(zip, {{"x", std::string(16U << 20, 'x')}}), limits) == "");
    CHECK(place.unpacked(packed(zip, {{"x", std::string((16U << 20) + 1, 'x')}}), limits) ==
          "a file in the archive has more than 16 MiB, `x`");
    limits.archive_bytes = 100;
    CHECK(place.unpacked(packed(zip, {{"x"}}), limits) == "the archive has more than 100 bytes");
    std::vector<Entry> many;
    for (int i = 0; i < 1000; ++i) many.push_back({std::to_string(i), ""});
    CHECK(place.unpacked(packed(zip, many)) == "");
    many.push_back({"one more", ""});
    CHECK(place.unpacked(packed(zip, many)) ==
          "the archive holds more than 1000 files and folders");
    // Folders that are there only because something lies in them count, too.
    many.clear();
    for (int i = 0; i < 501; ++i) many.push_back({"d" + std::to_string(i) + "/x", ""});
    CHECK(place.unpacked(packed(zip, many)) ==
          "the archive holds more than 1000 files and folders");
}

TEST_CASE("a file of holes counts as what it would be") {
    Place place;
    const Entry holes{
        .name = "x.cu", .text = std::string((20U << 20) + 5, '\0'), .data_at = 20 << 20};
    const std::string sparse = packed(tar, {holes});
    CHECK(sparse.size() < 100'000);
    Limits limits;
    limits.ratio = 1'000'000;
    CHECK(place.unpacked(sparse, limits) == "a file in the archive has more than 16 MiB, `x.cu`");
}

TEST_CASE("headers that lie are not believed") {
    Place place;
    const std::vector<Entry> one{{"x.cu", std::string(100'000, 'x')}};
    std::string smaller = packed(zip, one);
    set_in_headers(smaller, 22, 24, std::string_view("\x0a\0\0\0", 4));
    CHECK_THAT(place.unpacked(smaller), ContainsSubstring("damaged"));
    std::string larger = packed(zip, one);
    set_in_headers(larger, 22, 24, std::string_view("\xff\xff\xff\x7f", 4));
    CHECK_THAT(place.unpacked(larger), ContainsSubstring("damaged"));
    std::string checksum = packed(stored_zip, one);
    set_in_headers(checksum, 14, 16, std::string_view("\1\2\3\4", 4));
    CHECK_THAT(place.unpacked(checksum), ContainsSubstring("damaged"));
    std::string encrypted = packed(stored_zip, one);
    set_in_headers(encrypted, 6, 8, std::string_view("\1\0", 2));
    CHECK(place.unpacked(encrypted) == "a file in the archive is encrypted, `x.cu`");
}

TEST_CASE("what is no archive of these formats is refused") {
    Place place;
    for (const std::string& text : {std::string(), std::string("hello"), std::string(2000, 'x'),
                                    std::string("7z\xbc\xaf\x27\x1c"), std::string("Rar!\x1a\7")})
        CHECK_FALSE(place.unpacked(text).empty());
    CHECK_FALSE(place
                    .unpacked(packed(
                        [](archive* writer) { archive_write_set_format_iso9660(writer); }, {{"x"}}))
                    .empty());
    CHECK_FALSE(place
                    .unpacked(packed(
                        [](archive* writer) { archive_write_set_format_mtree(writer); }, {{"x"}}))
                    .empty());
    CHECK_FALSE(place
                    .unpacked(packed(
                        [](archive* writer) {
                            tar(writer);
                            archive_write_add_filter_bzip2(writer);
                        },
                        {{"x"}}))
                    .empty());
    CHECK(place.unpacked(packed(
              [](archive* writer) {
                  tar_gz(writer);
                  archive_write_add_filter_gzip(writer);
              },
              {{"x"}})) == "the archive is compressed more than once");
    fs::remove(place.archive());
    CHECK_FALSE(unpack(place.archive(), place.into()));
    REQUIRE(::mkfifo(place.archive().c_str(), 0600) == 0);
    CHECK_FALSE(unpack(place.archive(), place.into()));  // and nobody waits for a writer
    fs::remove(place.archive());
    fs::create_symlink("/dev/null", place.archive());
    CHECK_FALSE(unpack(place.archive(), place.into()));
    CHECK_FALSE(fs::exists(place.into()));
}

TEST_CASE("a folder that is there stays as it is") {
    Place place;
    REQUIRE(place.unpacked(packed(zip, {{"a.cu", "1"}})) == "");
    const auto again = unpack(place.archive(), place.into());
    REQUIRE_FALSE(again);
    CHECK(again.error().kind == ErrorKind::harness);
    CHECK(place.files() == Files{{"a.cu", "1"}});
}

TEST_CASE("an archive that is cut off is refused, or nothing of it was missing") {
    std::minstd_rand random(1);
    std::string noise(20'000, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    const std::vector<Entry> entries{
        {"a.cu", noise}, {"b.cu", std::string(512, 'b')}, {"c/d.h", noise}};
    const Files all{{"a.cu", noise}, {"b.cu", std::string(512, 'b')}, {"c/d.h", noise}};
    for (const auto& format : {zip, stored_zip, tar, tar_gz, tar_xz}) {
        Place place;
        const std::string whole = packed(format, entries);
        REQUIRE(place.unpacked(whole) == "");
        REQUIRE(place.files() == all);
        std::vector<std::size_t> cuts;
        for (std::size_t i = 0; i < 25; ++i) cuts.push_back(whole.size() * i / 25);
        for (std::size_t i = 1; i < 30; ++i) cuts.push_back(whole.size() - i);
        for (std::size_t at = 512; at < whole.size(); at += 512) cuts.push_back(at);
        int refused = 0;
        for (const std::size_t cut : cuts) {
            if (place.unpacked(whole.substr(0, cut)).empty())
                CHECK(place.files() == all);
            else
                ++refused;
        }
        CHECK(refused >= 25);
    }
}

TEST_CASE("no changed byte of an archive does harm") {
    const std::vector<Entry> entries{
        {"a.cu", "int x;\n"}, {"c/d.h", std::string(300, 'd')}, {"inner.zip", "PK"}};
    int done = 0, refused = 0;
    std::minstd_rand random(7);
    for (int round = 0; round < 150; ++round)
        for (const auto& format : {zip, tar, tar_gz, tar_xz}) {
            static Place place;
            std::string bytes = packed(format, entries);
            const std::size_t used = std::min<std::size_t>(bytes.size(), 3000);
            bytes[random() % used] = static_cast<char>(random());
            ++done;
            if (!place.unpacked(bytes).empty()) {
                ++refused;
                continue;
            }
            std::uintmax_t total = 0;
            for (const auto& [name, text] : place.files()) total += text.size();
            CHECK(total < 10'000);
        }
    CHECK(done > 500);
    CHECK(refused > done / 10);
}

TEST_CASE("an archive says of its names that they are UTF-8, whatever the locale") {
    const auto made = zip_of({{"Zo\u00eb Mei\u00dfner_7/report.html", "text"}});
    REQUIRE(made);
    // Of the local header: PK 3 4, the version, then the flags, of which bit 11 says so.
    REQUIRE(made->starts_with("PK\3\4"));
    CHECK((static_cast<unsigned char>((*made)[7]) & 0x08) != 0);
    CHECK(made->find("Zo\u00eb Mei\u00dfner_7/report.html") != std::string::npos);
}
