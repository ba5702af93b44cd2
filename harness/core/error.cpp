#include "core/error.hpp"

#include <fmt/format.h>

namespace cugrade {

std::string Error::text() const {
    std::string out;
    if (!file.empty()) {
        out += file;
        if (line > 0) out += fmt::format(":{}", line);
        if (line > 0 && column > 0) out += fmt::format(":{}", column);
        out += ": ";
    }
    out += message;
    if (!key.empty()) out += fmt::format(" (at {})", key);
    if (!remedy.empty()) out += fmt::format("\n  {}", remedy);
    return out;
}

}  // namespace cugrade
