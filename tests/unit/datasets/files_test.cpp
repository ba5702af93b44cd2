#include "datasets/files.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

#include <png.h>
#include <unistd.h>

#include "catch.hpp"

using namespace cugrade;
using namespace cugrade::datasets;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

/// A folder that goes away with the test.
class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / ("cugrade-files-" + std::to_string(getpid()))) {
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    fs::path write(const std::string& name, std::string_view bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return path_ / name;
    }
    fs::path operator/(const std::string& name) const { return path_ / name; }

private:
    fs::path path_;
};

std::string error_of(const Result<Array>& result) {
    REQUIRE_FALSE(result.ok());
    CHECK_FALSE(result.error().file.empty());
    CHECK_FALSE(result.error().remedy.empty());
    return result.error().message;
}

std::vector<double> values(const Array& array) {
    std::vector<double> out;
    for (std::size_t i = 0; i < array.size(); ++i) out.push_back(array.number(i));
    return out;
}

/// An .npy file of version 1.0 with this dict and these data.
std::string npy(std::string header, std::string_view data) {
    header += '\n';
    std::string out = "\x93NUMPY";
    out += '\1';
    out += '\0';
    out += static_cast<char>(header.size() & 0xff);
    out += static_cast<char>(header.size() >> 8);
    return out + header + std::string(data);
}

using Shape = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("any file is read as its bytes") {
    const Folder folder;
    const auto all = read_bytes(folder.write("a", std::string_view("a\0\xff", 3)));
    REQUIRE(all.ok());
    CHECK(all->shape == Shape{3});
    CHECK(values(*all) == std::vector<double>{97, 0, 255});
    const auto empty = read_bytes(folder.write("empty", ""));
    REQUIRE(empty.ok());
    CHECK(empty->shape == Shape{0});
    CHECK_THAT(error_of(read_bytes(folder / "none")), ContainsSubstring("no such file"));
    CHECK_THAT(error_of(read_bytes(fs::temp_directory_path())),
               ContainsSubstring("not a regular file"));
}

TEST_CASE(".npy files of every type and shape come back as they were written") {
    const Folder folder;
    for (int t = 0; t < 10; ++t) {
        for (const Shape& shape :
             {Shape{0}, Shape{5}, Shape{2, 3}, Shape{2, 0, 4}, Shape{1, 2, 3, 4}}) {
            Array array(static_cast<DType>(t), shape);
            for (std::size_t i = 0; i < array.bytes.size(); ++i)
                array.bytes[i] = static_cast<std::byte>(i * 37);
            REQUIRE(write_npy(folder / "a.npy", array).ok());
            const auto back = read_any(folder / "a.npy");
            REQUIRE(back.ok());
            CHECK(back->dtype == array.dtype);
            CHECK(back->shape == shape);
            CHECK(back->bytes == array.bytes);
        }
    }
    CHECK(fs::file_size(folder / "a.npy") % 64 == 24 * 8 % 64);  // data begins at a multiple of 64
    CHECK_FALSE(write_npy(folder / "no/such/folder.npy", Array(DType::u8, {1})).ok());
}

TEST_CASE(".npy headers are read as numpy and others write them") {
    const Folder folder;
    const auto read = [&](const std::string& bytes) {
        return read_npy(folder.write("a.npy", bytes));
    };
    const auto a = read(npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }   ",
                            std::string_view("\1\0\xff\xff", 4)));
    REQUIRE(a.ok());
    CHECK(values(*a) == std::vector<double>{1, -1});
    CHECK(read(npy(R"({"shape":(1,2),"fortran_order":False,"descr":"|u1"})", "ab")).ok());
    CHECK(read(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2,)}", "ab")).ok());
    std::string second = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "ab");
    second[6] = 2;  // version 2.0 has a length of four bytes
    second.insert(10, std::string(2, '\0'));
    CHECK(read(second).ok());
}

TEST_CASE("bad .npy files are refused") {
    const Folder folder;
    const auto error = [&](const std::string& bytes) {
        return error_of(read_npy(folder.write("a.npy", bytes)));
    };
    const std::string good =
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "12345678");
    REQUIRE(read_npy(folder.write("a.npy", good)).ok());
    for (std::size_t size = 0; size < good.size(); ++size) {
        INFO("cut to " << size);
        CHECK_FALSE(error(good.substr(0, size)).empty());
    }
    CHECK_THAT(error(good + "x"), ContainsSubstring("9 bytes of data"));
    CHECK_THAT(error(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "1234")),
               ContainsSubstring("'>f4'"));
    CHECK_THAT(error(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "1234")),
               ContainsSubstring("'|O'"));
    CHECK_THAT(error(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "1234")),
               ContainsSubstring("Fortran"));
    CHECK_THAT(error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "1234")),
               ContainsSubstring("no dimension"));
    for (const std::string header : {
             "",
             "{",
             "}",
             "{}",
             "{'descr': '<f4'}",
             "['descr']",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,}",
             "{'descr': '<f4', 'fortran_order': false, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
             "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
             "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
             "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
         }) {
        INFO(header);
        CHECK_THAT(error(npy(header, "1234")), ContainsSubstring("header of this .npy file"));
    }
    // Sizes whose product wraps to the size of the data.
    CHECK_THAT(
        error(
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 1099511627776)}",
                "")),
        ContainsSubstring("do not make"));
    // No element, and yet a product that no signed number holds on the way.
    CHECK_THAT(
        error(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776, 8388608, 0)}",
                  "")),
        ContainsSubstring("do not make"));
    std::string third = good;
    third[6] = 3;
    CHECK_THAT(error(third), ContainsSubstring("version 3.0"));
    std::string endless = good;
    endless[9] = '\xff';
    CHECK_THAT(error(endless), ContainsSubstring("cut off or too long"));
}

TEST_CASE("PGM images are read in both kinds and both depths") {
    const Folder folder;
    const auto read = [&](std::string_view bytes) {
        auto image = read_any(folder.write("a.pgm", bytes));
        if (!image) FAIL(image.error().text());
        return *image;
    };
    const Array plain =
        read("P2\n# a comment\n3 2 # another\n# and one more\n255\n0 1 2\n3 4 # five\n255\n");
    CHECK(plain.shape == Shape{2, 3});
    CHECK(plain.dtype == DType::u8);
    CHECK(values(plain) == std::vector<double>{0, 1, 2, 3, 4, 255});
    const Array binary = read(std::string_view("P5 2 1 200\n\0\xc8", 13));
    CHECK(values(binary) == std::vector<double>{0, 200});
    const Array wide = read(std::string_view("P5\n2 1\n1000\n\x03\xe8\0\1", 16));
    CHECK(wide.dtype == DType::u16);
    CHECK(values(wide) == std::vector<double>{1000, 1});
    // A pixel that looks like a space or a comment is a pixel.
    CHECK(values(read("P5 2 1 255\n #")) == std::vector<double>{32, 35});
    CHECK(values(read("P2 1 1 65535 65535")) == std::vector<double>{65535});
}

TEST_CASE("bad PGM images are refused") {
    const Folder folder;
    const auto error = [&](std::string_view bytes) {
        return error_of(read_pgm(folder.write("a.pgm", bytes)));
    };
    CHECK_THAT(error("P3 1 1 255 0 0 0"), ContainsSubstring("neither P2 nor P5"));
    CHECK_THAT(error(""), ContainsSubstring("neither"));
    CHECK_THAT(error("P5"), ContainsSubstring("width"));
    CHECK_THAT(error("P51 1 255 "), ContainsSubstring("width"));
    CHECK_THAT(error("P5 0 1 255\n"), ContainsSubstring("width"));
    CHECK_THAT(error("P5 1 -1 255\n"), ContainsSubstring("height"));
    CHECK_THAT(error("P5 1 1 65536\n1"), ContainsSubstring("maxval"));
    CHECK_THAT(error("P5 1 1 0\n1"), ContainsSubstring("maxval"));
    CHECK_THAT(error("P5 1000000 1000000 255\n"), ContainsSubstring("too many pixels"));
    CHECK_THAT(error("P5 99999999999999999999 1 255\n"), ContainsSubstring("width"));
    CHECK_THAT(error("P5 2 2 255\nabc"), ContainsSubstring("ends early"));
    CHECK_THAT(error("P5 2 2 255"), ContainsSubstring("ends early"));
    CHECK_THAT(error("P2 2 2 255\n1 2 3"), ContainsSubstring("ends early"));
    CHECK_THAT(error("P2 30000 30000 255\n1 2 3"), ContainsSubstring("ends early"));
    CHECK_THAT(error("P5 1 1 255\nab"), ContainsSubstring("1 bytes follow"));
    CHECK_THAT(error("P2 1 1 255\n1 2"), ContainsSubstring("something follows"));
    CHECK_THAT(error("P2 1 1 255\n x"), ContainsSubstring("pixel 0"));
    CHECK_THAT(error("P2 1 1 100\n101"), ContainsSubstring("above the maxval"));
    CHECK_THAT(error("P5 1 1 64\na"), ContainsSubstring("above the maxval"));
}

TEST_CASE("PNG images are read as grey") {
    const Folder folder;
    const auto write = [&](png_uint_32 format, png_uint_32 width, png_uint_32 height,
                           const void* pixels) {
        png_image image{};
        image.version = PNG_IMAGE_VERSION;
        image.width = width;
        image.height = height;
        image.format = format;
        REQUIRE(png_image_write_to_file(&image, (folder / "a.png").c_str(), 0, pixels, 0,
                                        nullptr) != 0);
        return folder / "a.png";
    };
    std::vector<unsigned char> grey(7 * 5);
    for (std::size_t i = 0; i < grey.size(); ++i) grey[i] = static_cast<unsigned char>(i * 7);
    const auto image = read_any(write(PNG_FORMAT_GRAY, 7, 5, grey.data()));
    REQUIRE(image.ok());
    CHECK(image->shape == Shape{5, 7});
    CHECK(std::ranges::equal(image->as<std::uint8_t>(), grey));
    const unsigned char colours[] = {255, 255, 255, 0, 0, 0, 128, 128, 128};
    const auto colour = read_png(write(PNG_FORMAT_RGB, 3, 1, colours));
    REQUIRE(colour.ok());
    CHECK(values(*colour) == std::vector<double>{255, 0, 128});
    const unsigned char transparent[] = {200, 0, 200, 255};
    const auto alpha = read_png(write(PNG_FORMAT_GA, 2, 1, transparent));
    REQUIRE(alpha.ok());
    CHECK(values(*alpha) == std::vector<double>{0, 200});

    // Every cut, and a changed byte of the pixels, is an error or an image, never more.
    std::ifstream in(write(PNG_FORMAT_GRAY, 7, 5, grey.data()), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    for (std::size_t size = 0; size + 13 < bytes.size(); ++size)
        CHECK_FALSE(read_png(folder.write("cut.png", bytes.substr(0, size))).ok());
    std::string damaged = bytes;
    const auto pixels = damaged.find("IDAT") + 8;
    damaged[pixels] = static_cast<char>(damaged[pixels] ^ 0x55);
    CHECK_THAT(error_of(read_any(folder.write("damaged.png", damaged))), ContainsSubstring("PNG"));
    std::string huge =
        bytes;  // width 2^31 - 1; the checksum of the header then fails, as it should
    std::memcpy(huge.data() + 16, "\x7f\xff\xff\xff", 4);
    CHECK_FALSE(read_png(folder.write("huge.png", huge)).ok());
    // A header that is right, and far too few bytes for 1 GiB of pixels: none is allocated.
    CHECK_THAT(error_of(read_png(CUGRADE_SOURCE_DIR "/tests/fuzz/corpus/png/huge.png")),
               ContainsSubstring("32768 by 32768 ends early"));
}

TEST_CASE("the kind of a file is told from its first bytes") {
    const Folder folder;
    const auto text = read_any(folder.write("P5.txt", "P51 is not an image"));
    REQUIRE(text.ok());
    CHECK(text->size() == 19);
    CHECK(read_any(folder.write("short", "P"))->size() == 1);
}
