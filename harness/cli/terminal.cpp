#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "core/printable.hpp"

namespace cugrade::cli {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

int columns_of(int fd, int otherwise) {
    winsize size{};
    if (::isatty(fd) == 1 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const int columns = std::atoi(std::string(environment("COLUMNS")).c_str());
    return columns > 0 ? columns : otherwise;
}

/// Like the C library: the first of these variables that is set decides.
bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view value = environment(name);
        if (value.empty()) continue;
        for (const std::string_view utf8 : {"UTF-8", "utf8", "UTF8", "utf-8"})
            if (value.find(utf8) != std::string_view::npos) return true;
        return false;
    }
    return false;
}

}  // namespace

Result<report::Style> stdout_style(const std::string& colour) {
    report::Style style;
    style.width = columns_of(STDOUT_FILENO, style.width);
    style.unicode = locale_is_utf8();
    if (colour == "always")
        style.colour = true;
    else if (colour == "auto")
        style.colour = ::isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty() &&
                       environment("TERM") != "dumb";
    else if (colour != "never")
        return unknown("value of --colour", colour, {"auto", "always", "never"});
    return style;
}

void print(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0)
        throw HarnessFault(Error{
            .message = fmt::format("cannot write to standard output: {}", std::strerror(errno))});
}

ProgressLine::ProgressLine()
    : terminal_(::isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb") {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(std::string_view text) {
    if (!terminal_) return;
    const std::lock_guard lock(mutex_);
    if (text.empty() && !shown_) return;
    const auto width = static_cast<std::size_t>(std::max(columns_of(STDERR_FILENO, 80) - 1, 10));
    fmt::print(stderr, "\r\033[K{}", printable(text.substr(0, width)));
    std::fflush(stderr);
    shown_ = !text.empty();
}

}  // namespace cugrade::cli
