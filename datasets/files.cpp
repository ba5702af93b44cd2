// Every reader takes the whole file into memory and then walks over it with a Cursor that cannot
// leave it; sizes in headers are checked against the bytes that are there before anything is
// allocated. A file that is not exactly what its format says is an error that names it.
#include "datasets/files.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <png.h>

namespace cugrade::datasets {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little,
              ".npy data is copied as it lies in memory");

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 36;
constexpr std::int64_t max_pixels = std::int64_t{1} << 30;
constexpr std::size_t max_npy_header = 1 << 16;

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::string_view png_magic = "\x89PNG\r\n\x1a\n";

Error wrong(const fs::path& path, std::string message, std::string remedy, int line = 0) {
    return {.kind = ErrorKind::configuration,
            .message = std::move(message),
            .file = path.string(),
            .line = line,
            .remedy = std::move(remedy)};
}

Result<std::string> contents(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return wrong(path, "there is no such file", "check its name");
    if (!fs::is_regular_file(path, error))
        return wrong(path, "this is not a regular file", "name a file");
    const auto size = fs::file_size(path, error);
    if (error || size > max_file_bytes)
        return wrong(path, "the file is too large or its size cannot be read",
                     fmt::format("use a file of at most {} bytes", max_file_bytes));
    std::string bytes(size, '\0');
    std::ifstream in(path, std::ios::binary);
    if (!in.read(bytes.data(), static_cast<std::streamsize>(size)))
        return wrong(path, "the file cannot be read", "check its permissions");
    return bytes;
}

Array array_of(DType type, std::vector<std::int64_t> shape, std::string_view bytes) {
    Array out(type, std::move(shape));
    if (!bytes.empty()) std::memcpy(out.bytes.data(), bytes.data(), bytes.size());
    return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// A place in a text; every step is checked against its end.
class Cursor {
public:
    explicit Cursor(std::string_view text) : rest_(text) {}
    [[nodiscard]] std::string_view rest() const { return rest_; }
    bool take(std::string_view token) {
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }
    void skip_spaces() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }
    /// Spaces and `#` comments, as between the numbers of a PGM header.
    void skip_spaces_and_comments() {
        for (skip_spaces(); take("#"); skip_spaces())
            rest_.remove_prefix(std::min(rest_.find_first_of("\r\n"), rest_.size()));
    }
    /// A decimal number of at most `limit`.
    std::optional<std::int64_t> number(std::int64_t limit) {
        std::int64_t value = 0;
        std::size_t digits = 0;
        for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
            value = value * 10 + (rest_[digits] - '0');
            if (value > limit) return std::nullopt;
        }
        if (digits == 0) return std::nullopt;
        rest_.remove_prefix(digits);
        return value;
    }
    /// What is between two quotes of the same kind, without escapes.
    std::optional<std::string_view> quoted() {
        if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
        const auto end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) return std::nullopt;
        const auto text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }

private:
    std::string_view rest_;
};

// ---------------------------------------------------------------------------------------- PGM

Result<Array> parse_pgm(const fs::path& path, std::string_view bytes) {
    Cursor in(bytes);
    const bool binary = in.take("P5");
    if (!binary && !in.take("P2"))
        return wrong(path, "this is not a PGM image: it begins with neither P2 nor P5",
                     "store the image as PGM, PNG or .npy");
    std::int64_t header[3] = {};  // width, height, the largest grey value
    constexpr std::string_view names[3] = {"width", "height", "maxval"};
    for (int i = 0; i < 3; ++i) {
        const auto before = in.rest().size();
        in.skip_spaces_and_comments();
        const bool separated = in.rest().size() != before;
        const auto value = in.number(i == 2 ? 65535 : max_pixels);
        if (!separated || !value || *value == 0)
            return wrong(
                path, fmt::format("the {} of this PGM image is missing or out of range", names[i]),
                "write the header as: P2 or P5, width, height, maxval up to 65535");
        header[i] = *value;
    }
    const auto [width, height, maxval] = header;
    if (width > max_pixels / height)
        return wrong(path, "this PGM image has too many pixels",
                     fmt::format("use one of at most {}", max_pixels));
    const auto count = static_cast<std::size_t>(width * height);
    const bool wide = maxval > 255;
    const Error short_file =
        wrong(path, fmt::format("this PGM image of {} by {} ends early", width, height),
              "check the file: it is cut off or its header is wrong");
    if (binary) {
        if (in.rest().empty() || !is_space(in.rest().front())) return short_file;
        const auto pixels = in.rest().substr(1);
        const std::size_t size = count * (wide ? 2 : 1);
        if (pixels.size() < size) return short_file;
        if (pixels.size() > size)
            return wrong(path, fmt::format("{} bytes follow the PGM image", pixels.size() - size),
                         "store one image in the file and nothing else");
    } else if (in.rest().size() < count * 2) {  // a space and a digit each: before allocating
        return short_file;
    }
    Array out(wide ? DType::u16 : DType::u8, {height, width});
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t value = 0;
        if (binary) {
            const auto byte = [&](std::size_t k) {
                return static_cast<unsigned char>(in.rest()[1 + k]);
            };
            value = wide ? byte(2 * i) << 8 | byte(2 * i + 1) : byte(i);  // big-endian
        } else {
            in.skip_spaces_and_comments();
            const auto number = in.number(65535);
            if (!number) {
                if (in.rest().empty()) return short_file;
                return wrong(path, fmt::format("pixel {} of this PGM image is not a grey value", i),
                             "write numbers from 0 to maxval");
            }
            value = *number;
        }
        if (value > maxval)
            return wrong(path,
                         fmt::format("pixel {} is {}, above the maxval of {}", i, value, maxval),
                         "write numbers from 0 to maxval");
        if (wide)
            out.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(value);
        else
            out.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(value);
    }
    if (!binary) {
        in.skip_spaces_and_comments();
        if (!in.rest().empty())
            return wrong(path, "something follows the pixels of this PGM image",
                         "store one image in the file and nothing else");
    }
    return out;
}

// ---------------------------------------------------------------------------------------- PNG

// libpng's simplified interface: it catches its own longjmp and never exits through ours.
Result<Array> parse_png(const fs::path& path, std::string_view bytes) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    const auto failed = [&] {
        const Error error =
            wrong(path, fmt::format("this PNG image cannot be read: {}", image.message),
                  "check the file: open it in an image viewer and store it again");
        png_image_free(&image);
        return error;
    };
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return failed();
    const std::int64_t width = image.width, height = image.height;
    if (width > max_pixels / height) {
        png_image_free(&image);
        return wrong(path, "this PNG image has too many pixels",
                     fmt::format("use one of at most {}", max_pixels));
    }
    // Deflate makes at most 1032 bytes of one, and the densest image has 8 pixels in a byte.
    constexpr std::int64_t densest = 1032 * 8;
    if (width * height / densest > static_cast<std::int64_t>(bytes.size())) {
        png_image_free(&image);
        return wrong(path, fmt::format("this PNG image of {} by {} ends early", width, height),
                     "check the file: it is cut off or its header is wrong");
    }
    image.format = PNG_FORMAT_GRAY;
    Array out(DType::u8, {height, width});
    const png_color black{0, 0, 0};  // what is behind transparent pixels
    if (png_image_finish_read(&image, &black, out.bytes.data(), static_cast<png_int_32>(width),
                              nullptr) == 0)
        return failed();
    return out;
}

// ---------------------------------------------------------------------------------------- .npy

struct Descr {
    DType type;
    std::string_view text;  ///< as numpy writes it on a little-endian machine
};
constexpr Descr descrs[] = {{DType::u8, "|u1"},  {DType::i8, "|i1"},  {DType::u16, "<u2"},
                            {DType::i16, "<i2"}, {DType::u32, "<u4"}, {DType::i32, "<i4"},
                            {DType::u64, "<u8"}, {DType::i64, "<i8"}, {DType::f32, "<f4"},
                            {DType::f64, "<f8"}};

struct NpyHeader {
    std::string_view descr;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
};

/// The Python literal of the header: a dict of exactly descr, fortran_order and shape.
std::optional<NpyHeader> parse_npy_header(std::string_view text) {
    Cursor in(text);
    NpyHeader out;
    bool seen[3] = {};
    const auto next = [&](std::string_view token) {
        in.skip_spaces();
        return in.take(token);
    };
    const auto once = [&](int i) { return !std::exchange(seen[i], true); };
    if (!next("{")) return std::nullopt;
    while (!next("}")) {
        in.skip_spaces();
        const auto key = in.quoted();
        if (!key || !next(":")) return std::nullopt;
        in.skip_spaces();
        if (*key == "descr" && once(0)) {
            const auto value = in.quoted();
            if (!value) return std::nullopt;
            out.descr = *value;
        } else if (*key == "fortran_order" && once(1)) {
            out.fortran_order = in.take("True");
            if (!out.fortran_order && !in.take("False")) return std::nullopt;
        } else if (*key == "shape" && once(2)) {
            if (!in.take("(")) return std::nullopt;
            while (!next(")")) {
                const auto dim = in.number(std::int64_t{1} << 40);
                if (!dim || out.shape.size() == 32) return std::nullopt;
                out.shape.push_back(*dim);
                const bool comma = next(",");
                if (comma) continue;
                if (out.shape.size() == 1 || !next(")")) return std::nullopt;  // (3) is no tuple
                break;
            }
        } else {
            return std::nullopt;
        }
        if (!next(",")) {
            if (!next("}")) return std::nullopt;
            break;
        }
    }
    in.skip_spaces();
    if (!in.rest().empty() || !seen[0] || !seen[1] || !seen[2]) return std::nullopt;
    return out;
}

Result<Array> parse_npy(const fs::path& path, std::string_view bytes) {
    Cursor in(bytes);
    if (!in.take(npy_magic) || in.rest().size() < 2)
        return wrong(path, "this is not an .npy file", "write it with numpy.save");
    const int major = in.rest()[0], minor = in.rest()[1];
    if ((major != 1 && major != 2) || minor != 0)
        return wrong(path, fmt::format(".npy version {}.{} is not read", major, minor),
                     "store a plain array, which numpy.save writes in version 1.0");
    const std::size_t width = major == 1 ? 2 : 4;
    auto rest = in.rest().substr(2);
    std::size_t size = 0;
    if (rest.size() >= width) std::memcpy(&size, rest.data(), width);
    if (rest.size() < width || size > max_npy_header || rest.size() - width < size)
        return wrong(path, "the header of this .npy file is cut off or too long",
                     "write it again with numpy.save");
    rest.remove_prefix(width);
    const auto header = parse_npy_header(rest.substr(0, size));
    const auto data = rest.substr(size);
    if (!header)
        return wrong(path, "the header of this .npy file is not the dict that the format asks for",
                     "write it again with numpy.save");
    const auto* descr = std::ranges::find(descrs, header->descr, &Descr::text);
    if (descr == std::end(descrs))
        return wrong(
            path, fmt::format("elements of type '{}' are not read", header->descr),
            "convert with array.astype: little-endian integers of 8 to 64 bits, float32 or "
            "float64");
    if (header->fortran_order && header->shape.size() > 1)
        return wrong(path, "the array is in Fortran order", "store numpy.ascontiguousarray(array)");
    if (header->shape.empty())
        return wrong(path, "the array has no dimension", "store array.reshape(1)");
    // Signed, as elements are counted everywhere.
    auto expected = static_cast<std::int64_t>(size_of(descr->type));
    bool overflow = false;
    for (const std::int64_t dim : header->shape)
        overflow |= __builtin_mul_overflow(expected, dim, &expected);
    if (overflow || std::cmp_not_equal(data.size(), expected))
        return wrong(path,
                     fmt::format("{} bytes of data do not make [{}] elements of {}", data.size(),
                                 fmt::join(header->shape, ", "), name(descr->type)),
                     "check the file: it is cut off, or more than one array is in it");
    return array_of(descr->type, header->shape, data);
}

using Parser = Result<Array> (*)(const fs::path&, std::string_view);

Result<Array> parse_bytes(const fs::path&, std::string_view bytes) {
    return array_of(DType::u8, {static_cast<std::int64_t>(bytes.size())}, bytes);
}

Result<Array> read_with(const fs::path& path, Parser parse) {
    const auto bytes = contents(path);
    if (!bytes) return bytes.error();
    return parse(path, *bytes);
}

Parser parser_for(std::string_view bytes) {
    if (bytes.starts_with(npy_magic)) return parse_npy;
    if (bytes.starts_with(png_magic)) return parse_png;
    const bool pgm = bytes.starts_with("P2") || bytes.starts_with("P5");
    if (pgm && bytes.size() > 2 && is_space(bytes[2])) return parse_pgm;
    return parse_bytes;
}

}  // namespace

Result<Array> read_bytes(const fs::path& path) { return read_with(path, parse_bytes); }
Result<Array> read_pgm(const fs::path& path) { return read_with(path, parse_pgm); }
Result<Array> read_png(const fs::path& path) { return read_with(path, parse_png); }
Result<Array> read_npy(const fs::path& path) { return read_with(path, parse_npy); }
Result<Array> read_any(const fs::path& path) {
    return read_with(path, [](const fs::path& p, std::string_view bytes) {
        return parser_for(bytes)(p, bytes);
    });
}

Status write_npy(const fs::path& path, const Array& array) {
    const auto* descr = std::ranges::find(descrs, array.dtype, &Descr::type);
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr->text,
                    fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
    const std::size_t before = npy_magic.size() + 4;
    const std::size_t unpadded = before + header.size() + 1;
    header.append((64 - unpadded % 64) % 64, ' ');  // data begins at a multiple of 64
    header += '\n';
    const auto size = static_cast<std::uint16_t>(header.size());
    std::ofstream out(path, std::ios::binary);
    out << npy_magic << '\1' << '\0' << static_cast<char>(size & 0xff)
        << static_cast<char>(size >> 8) << header;
    out.write(reinterpret_cast<const char*>(array.bytes.data()),
              static_cast<std::streamsize>(array.bytes.size()));
    out.close();
    if (!out)
        return wrong(path, "the file cannot be written",
                     "check the folder's permissions and the space left on the disk");
    return Done{};
}

}  // namespace cugrade::datasets
