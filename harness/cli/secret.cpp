#include "cli/secret.hpp"
#include "cli/command_table.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "core/files.hpp"
#include "core/printable.hpp"
#include "seal/private_file.hpp"
#include "seal/signature.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "CUGRADE_SECRET";
constexpr std::size_t wanted_bits = 128;
constexpr std::size_t fewest_distinct = 8;  // of 32 random hexadecimal digits, fewer are 1 in 10^6
constexpr std::size_t most_bytes = 64 << 10;  // chosen: a secret is a line
constexpr const char* remedy = "make one: cugrade secret new FILE";

std::string& from_environment() {
    static std::string secret;
    return secret;
}

bool all_of(std::string_view text, bool (*f)(char)) { return std::ranges::all_of(text, f); }
bool any_of(std::string_view text, bool (*f)(char)) { return std::ranges::any_of(text, f); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_base64(char c) {
    return is_digit(c) || is_small(c) || is_capital(c) ||
           std::string_view("+/-_=").find(c) != std::string_view::npos;
}

std::size_t bits_per_character(std::string_view secret) {
    if (all_of(secret, is_hex)) return 4;
    const bool mixed =
        any_of(secret, is_digit) && any_of(secret, is_small) && any_of(secret, is_capital);
    return mixed && all_of(secret, is_base64) ? 6 : 2;
}

/// "abcabc": a shorter text, again and again.
bool repeats(std::string_view secret) {
    for (std::size_t period = 1; period <= secret.size() / 2; ++period)
        if (secret.substr(period) == secret.substr(0, secret.size() - period)) return true;
    return false;
}

/// "0123456789abcdef": most steps from a character to the next are alike.
bool is_sequence(std::string_view secret) {
    std::map<int, std::size_t> steps;
    std::size_t most = 0;
    for (std::size_t i = 1; i < secret.size(); ++i)
        most = std::max(most, ++steps[secret[i] - secret[i - 1]]);
    return 2 * most > secret.size();
}

Error wrong(std::string message, std::string where) {
    return {.kind = ErrorKind::usage,
            .message = std::move(message),
            .file = std::move(where),
            .remedy = remedy};
}

/// Reads to the end and closes.
Result<std::string> read_all(int fd, const std::string& where) {
    std::string text(most_bytes + 1, '\0');
    std::size_t size = 0;
    int failed = 0;
    while (size < text.size()) {
        const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failed = errno;
        if (got <= 0) break;
        size += static_cast<std::size_t>(got);
    }
    ::close(fd);
    if (failed != 0)
        return wrong(fmt::format("the secret cannot be read: {}", std::strerror(failed)), where);
    if (size > most_bytes)
        return wrong(fmt::format("the secret has more than {} bytes", most_bytes), where);
    text.resize(size);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (text.empty()) return wrong("the secret file is empty", where);
    return text;
}

/// A file for all to read is told, and used: the instructor may be alone on the machine.
void warn_if_open(int fd, const std::string& file) {
    struct stat info {};
    if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 077) != 0)
        fmt::print(stderr,
                   "cugrade: warning: {}: other users may read the course secret\n  chmod 600 {}\n",
                   printable(file), printable(file));
}

/// Not `remedy`: whoever makes a new secret in the place of a course's own gets other hidden cases.
Error unreadable(const std::string& file, int error_number) {
    Error error = cannot("read the secret", file, error_number);
    error.kind = ErrorKind::usage;
    error.remedy += (error.remedy.empty() ? "" : "; ") +
                    std::string("a course that has none yet: cugrade secret new FILE");
    return error;
}

Result<std::string> read_file_of_secret(const std::string& file) {
    if (std::error_code ignored; fs::is_directory(file, ignored))
        return Error{.kind = ErrorKind::usage,
                     .message = "the secret file is a folder",
                     .file = file,
                     .remedy = "name the file in it that holds the secret"};
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return unreadable(file, errno);
    warn_if_open(fd, file);
    return read_all(fd, file);
}

Result<std::string> strong(Result<std::string> secret, const std::string& where) {
    if (!secret || secret->empty()) return secret;
    const std::string why = weakness_of(*secret);
    if (why.empty()) return secret;
    return wrong("the course secret is too weak: " + why, where);
}

struct NewArguments {
    std::string file;
    bool signing = false;
};

int make_new(const NewArguments& arguments) {
    if (arguments.signing) {
        if (arguments.file.empty())
            throw Failure(Error{.kind = ErrorKind::usage,
                                .message = "a signing key goes into a file",
                                .key = "--signing",
                                .remedy = "cugrade secret new --signing FILE"});
        check(seal::make_signing_key(arguments.file));
        print(fmt::format("Private key: {0}\nPublic key:  {0}.pub\n", arguments.file));
        return exit_graded;
    }
    const std::string secret = seal::random_hex(2 * wanted_bits / 8) + "\n";
    if (arguments.file.empty()) {
        print(secret);
    } else {
        check(seal::write_private(arguments.file, secret));
        print(fmt::format("Secret: {}\n", arguments.file));
    }
    return exit_graded;
}

}  // namespace

void SecretChoice::add(CLI::App& app) {
    auto* of_file = app.add_option("--secret-file", file,
                                   "File with the course secret, from which hidden cases are "
                                   "derived; default: $CUGRADE_SECRET")
                        ->type_name(takes::file);
    app.add_option("--secret-fd", descriptor, "The same from this open descriptor, which is closed")
        ->check(CLI::Range(0, 1 << 20))
        ->excludes(of_file);
}

void take_secret_from_environment() {
    char* value = std::getenv(variable);
    if (value == nullptr) return;
    from_environment() = value;
    // The kernel shows these bytes to whoever may read /proc/PID/environ, also after unsetenv().
    ::explicit_bzero(value, std::strlen(value));
    ::unsetenv(variable);
}

bool has_secret_variable() {
    take_secret_from_environment();
    return !from_environment().empty();
}

Result<std::string> read_secret(const SecretChoice& choice) {
    take_secret_from_environment();
    if (choice.descriptor >= 0) {
        const std::string where = fmt::format("descriptor {}", choice.descriptor);
        return strong(read_all(choice.descriptor, where), where);
    }
    if (!choice.file.empty()) return strong(read_file_of_secret(choice.file), choice.file);
    return strong(from_environment(), variable);
}

std::string weakness_of(std::string_view secret) {
    const std::size_t bits = bits_per_character(secret);
    if (const std::size_t fewest = (wanted_bits + bits - 1) / bits; secret.size() < fewest)
        return fmt::format("it has {} characters, and {} of this kind are needed for {} bits",
                           secret.size(), fewest, wanted_bits);
    if (std::set<char>(secret.begin(), secret.end()).size() < fewest_distinct)
        return fmt::format("it has fewer than {} different characters", fewest_distinct);
    if (repeats(secret)) return "it repeats itself";
    if (is_sequence(secret)) return "it is a sequence";
    return "";
}

void add_secret(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("secret", "Make a course secret, or a key to sign with");
    command->require_subcommand(1);
    CLI::App* make = command->add_subcommand("new", "Make one from the system's random numbers");
    const auto arguments = std::make_shared<NewArguments>();
    make->add_option("file", arguments->file,
                     "New file that only you may read; default: standard output")
        ->type_name(takes::file);
    make->add_flag("--signing", arguments->signing,
                   "A key that signs reports (Ed25519): FILE, and FILE.pub for those who verify");
    make->footer(
        "Examples:\n"
        "  cugrade secret new course-secret\n"
        "  cugrade secret new --signing course-key");
    make->callback([arguments, &exit_code] { exit_code = make_new(*arguments); });
    command->footer("Example:\n  cugrade secret new course-secret");
}

}  // namespace cugrade::cli
