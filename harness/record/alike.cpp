#include "record/alike.hpp"

#include <iconv.h>

#include <cstdint>

#include "core/ascii.hpp"
#include "core/printable.hpp"
#include "core/utf8_locale.hpp"

namespace cugrade::record {
namespace {

/// The C library's conversion to ASCII, which writes a letter without its accent. It needs a locale
/// of UTF-8; without one, names are only compared as they are written.
class ToAscii {
public:
    ToAscii() : conversion_(::iconv_open("ASCII//TRANSLIT", "UTF-8")) {}
    ToAscii(const ToAscii&) = delete;
    ToAscii& operator=(const ToAscii&) = delete;
    ~ToAscii() {
        if (is_open()) ::iconv_close(conversion_);
    }

    /// One character; itself if ASCII has nothing for it.
    std::string operator()(std::string_view character) {
        if (!is_open()) return std::string(character);
        std::string in(character), out(32, '\0');
        char* from = in.data();
        char* to = out.data();
        std::size_t left = in.size(), room = out.size();
        ::iconv(conversion_, nullptr, nullptr, nullptr, nullptr);
        if (::iconv(conversion_, &from, &left, &to, &room) == static_cast<std::size_t>(-1))
            return std::string(character);
        out.resize(out.size() - room);
        return out == "?" ? std::string(character) : out;
    }

private:
    // The library's own mark of failure is a pointer of -1.
    [[nodiscard]] bool is_open() const {
        return reinterpret_cast<std::intptr_t>(conversion_) != -1;
    }
    Utf8Locale locale_;
    iconv_t conversion_;
};

}  // namespace

std::string as_read(std::string_view name) {
    ToAscii to_ascii;
    std::string out;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t begin = at;
        (void)next_code_point(name, at);
        const std::string_view character = name.substr(begin, at - begin);
        for (const char c : to_ascii(character)) out += to_small(c);
    }
    return out;
}

}  // namespace cugrade::record
