// The containers are built here field by field, from the layout in docs/fat-binaries.md; that the
// layout is nvcc's is tested with real objects in ../client.
#include "emulator/ptx/fatbin.hpp"

#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>

#include <cstring>
#include <fstream>
#include <random>

#include "catch.hpp"

using namespace cugrade;
using namespace cugrade::ptx;

namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void put(Bytes& to, std::size_t at, T value) {
    if (to.size() < at + sizeof value) to.resize(at + sizeof value);
    std::memcpy(to.data() + at, &value, sizeof value);
}

enum class Packing { none, lz4, zstd };

Bytes entry(const std::string& text, Packing packing, int arch, std::uint16_t kind = 1,
            std::uint32_t header = 64) {
    std::string payload = text;
    std::uint64_t flags = 0;
    if (packing == Packing::lz4) {
        flags = 0x2000;
        payload.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
        payload.resize(static_cast<std::size_t>(
            LZ4_compress_default(text.data(), payload.data(), static_cast<int>(text.size()),
                                 static_cast<int>(payload.size()))));
    } else if (packing == Packing::zstd) {
        flags = 0x8000;
        payload.resize(ZSTD_compressBound(text.size()));
        payload.resize(ZSTD_compress(payload.data(), payload.size(), text.data(), text.size(), 3));
    }
    const std::size_t packed = payload.size();
    payload.resize((packed + 7) / 8 * 8, '\0');
    Bytes e(header);
    put<std::uint16_t>(e, 0, kind);
    put<std::uint32_t>(e, 4, header);
    put<std::uint64_t>(e, 8, payload.size());
    put<std::uint32_t>(e, 16, packing == Packing::none ? 0 : static_cast<std::uint32_t>(packed));
    put<std::uint32_t>(e, 28, static_cast<std::uint32_t>(arch));
    put<std::uint64_t>(e, 40, flags);
    put<std::uint64_t>(e, 56, text.size());
    const auto bytes = std::as_bytes(std::span(payload));
    e.insert(e.end(), bytes.begin(), bytes.end());
    return e;
}

Bytes container(const std::vector<Bytes>& entries) {
    Bytes c(16);
    put<std::uint32_t>(c, 0, 0xBA55ED50);
    put<std::uint16_t>(c, 4, 1);
    put<std::uint16_t>(c, 6, 16);
    for (const Bytes& e : entries) c.insert(c.end(), e.begin(), e.end());
    put<std::uint64_t>(c, 8, c.size() - 16);
    return c;
}

/// An ELF64 file with one section of this name and contents.
Bytes elf(const std::string& section, const Bytes& contents) {
    Bytes f(64);
    std::memcpy(f.data(), "\177ELF\2\1\1", 7);
    const std::string names = std::string(1, '\0') + section + std::string(1, '\0');
    const std::size_t names_at = f.size();
    for (char c : names) f.push_back(static_cast<std::byte>(c));
    f.resize((f.size() + 7) / 8 * 8);
    const std::size_t contents_at = f.size();
    f.insert(f.end(), contents.begin(), contents.end());
    f.resize((f.size() + 7) / 8 * 8);
    const std::size_t table = f.size();
    f.resize(table + 3 * 64);
    put<std::uint64_t>(f, 0x28, table);
    put<std::uint16_t>(f, 0x3A, 64);
    put<std::uint16_t>(f, 0x3C, 3);
    put<std::uint16_t>(f, 0x3E, 2);
    put<std::uint32_t>(f, table + 64, 1);
    put<std::uint32_t>(f, table + 64 + 4, 1);
    put<std::uint64_t>(f, table + 64 + 24, contents_at);
    put<std::uint64_t>(f, table + 64 + 32, contents.size());
    put<std::uint32_t>(f, table + 128 + 4, 3);
    put<std::uint64_t>(f, table + 128 + 24, names_at);
    put<std::uint64_t>(f, table + 128 + 32, names.size());
    return f;
}

/// A file that is removed at the end.
class TemporaryFile {
public:
    explicit TemporaryFile(const Bytes& contents) {
        const int fd = mkstemp(path_);
        REQUIRE(fd >= 0);
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(contents.data()),
                   static_cast<std::streamsize>(contents.size()));
        close_fd(fd);
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] std::filesystem::path path() const { return path_; }

private:
    static void close_fd(int fd) { std::fclose(fdopen(fd, "r")); }
    char path_[40] = "/tmp/cugrade-fatbin-XXXXXX";
};

const std::string text = [] {
    std::string t = ".version 9.0\n";
    for (int i = 0; i < 200; ++i) t += "add.s32 %r1, %r2, " + std::to_string(i * i) + ";\n";
    return t;
}();

}  // namespace

TEST_CASE("PTX entries come out whole, however they are packed") {
    for (Packing packing : {Packing::none, Packing::lz4, Packing::zstd}) {
        const Bytes c =
            container({entry(text, packing, 75), entry("machine code", Packing::none, 75, 2),
                       entry(text + "x", packing, 90, 1, 104)});
        REQUIRE(*container_size(c) == c.size());
        const auto found = read_container(c);
        REQUIRE(found.ok());
        REQUIRE(found->size() == 2);
        CHECK((*found)[0].arch == 75);
        CHECK((*found)[0].text == text);
        CHECK((*found)[1].arch == 90);
        CHECK((*found)[1].text == text + "x");
    }
}

TEST_CASE("a container that is cut off or damaged is refused or read, never overrun") {
    for (Packing packing : {Packing::none, Packing::lz4, Packing::zstd}) {
        const Bytes whole = container({entry(text, packing, 75)});
        for (std::size_t n = 0; n < whole.size(); ++n) {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
            CHECK_FALSE(read_container(cut).ok());
        }
        std::mt19937 random(7);
        for (int round = 0; round < 3000; ++round) {
            Bytes damaged = whole;
            // The headers are where it hurts.
            const std::size_t range = round % 2 == 0 ? 80 : damaged.size();
            for (unsigned flips = random() % 3 + 1; flips > 0; --flips)
                damaged[random() % range] = static_cast<std::byte>(random());
            (void)read_container(damaged);
        }
    }
}

TEST_CASE("sizes that a header only claims") {
    Bytes bomb = container({entry(text, Packing::zstd, 75)});
    put<std::uint64_t>(bomb, 16 + 56, std::uint64_t{1} << 40);
    CHECK_FALSE(read_container(bomb).ok());
    put<std::uint64_t>(bomb, 16 + 56, text.size() + 1);
    CHECK_FALSE(read_container(bomb).ok());
    Bytes wrapped = container({entry(text, Packing::none, 75)});
    put<std::uint64_t>(wrapped, 16 + 8, ~std::uint64_t{0} - 40);  // header + payload overflows
    CHECK_FALSE(read_container(wrapped).ok());
    put<std::uint64_t>(wrapped, 8, ~std::uint64_t{0});
    CHECK_FALSE(container_size(wrapped).ok());
}

TEST_CASE("objects: sections, several containers, no PTX") {
    Bytes two = container({entry(text, Packing::zstd, 75)});
    two.resize((two.size() + 7) / 8 * 8 + 16);
    const Bytes second = container({entry("b", Packing::none, 90)});
    two.insert(two.end(), second.begin(), second.end());
    for (const char* section : {".nv_fatbin", "__nv_relfatbin"}) {
        const TemporaryFile file(elf(section, two));
        const auto found = read_object(file.path());
        REQUIRE(found.ok());
        REQUIRE(found->size() == 2);
        CHECK((*found)[1].text == "b");
        const auto containers = containers_of(file.path());
        REQUIRE(containers.ok());
        Bytes both = container({entry(text, Packing::zstd, 75)});
        both.insert(both.end(), second.begin(), second.end());
        CHECK(*containers == both);
    }
    const TemporaryFile machine_code(
        elf(".nv_fatbin", container({entry("x", Packing::none, 75, 2)})));
    const auto none = read_object(machine_code.path());
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().remedy.find("-gencode arch=compute_75,code=compute_75") !=
          std::string::npos);
    CHECK(none.error().message.find("no PTX") != std::string::npos);
    CHECK(none.error().file == machine_code.path().string());
    const TemporaryFile host_only(elf(".text", {}));
    CHECK(read_object(host_only.path()).error().message.find("no GPU code") != std::string::npos);
    CHECK(containers_of(host_only.path())->empty());
    Bytes cut = second;
    cut.resize(cut.size() - 1);
    CHECK_FALSE(containers_of(TemporaryFile(elf(".nv_fatbin", cut)).path()).ok());
    for (const char* missing : {"/nonexistent", "/"}) {
        CHECK_FALSE(read_object(missing).ok());
        CHECK_FALSE(containers_of(missing).ok());
    }
}

TEST_CASE("many small containers cannot unpack to more than is asked for") {
    const std::string large(std::size_t{1} << 20, ';');
    const Bytes one = container({entry(large, Packing::zstd, 75)});
    CHECK(one.size() < 4096);
    Bytes all;
    for (int i = 0; i < 8; ++i) {
        all.insert(all.end(), one.begin(), one.end());
        all.resize((all.size() + 7) / 8 * 8);
    }
    const TemporaryFile file(elf(".nv_fatbin", all));
    const auto within = [&file](std::uint64_t most) {
        const auto found = read_object_within(file.path(), most);
        REQUIRE(found.ok());
        return found->has_value() ? (*found)->size() : 0;
    };
    CHECK(within(8 * large.size()) == 8);
    CHECK(within(8 * large.size() - 1) == 0);
    CHECK(within(1) == 0);
    CHECK(read_object(file.path())->size() == 8);
}

TEST_CASE("an object that is cut off or damaged is never overrun") {
    const Bytes whole = elf(".nv_fatbin", container({entry(text, Packing::zstd, 75)}));
    std::mt19937 random(3);
    for (int round = 0; round < 400; ++round) {
        Bytes damaged = whole;
        if (round % 2 == 0) damaged.resize(random() % damaged.size());
        for (unsigned flips = random() % 3; flips > 0 && !damaged.empty(); --flips) {
            // The ELF header, or the section table at the end.
            const std::size_t near = random() % std::min<std::size_t>(damaged.size(), 192);
            damaged[random() % 2 == 0 ? near : damaged.size() - 1 - near] =
                static_cast<std::byte>(random());
        }
        const TemporaryFile file(damaged);
        (void)read_object(file.path());
    }
}
