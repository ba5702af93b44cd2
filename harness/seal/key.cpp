#include "seal/key.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "core/files.hpp"
#include "seal/hex.hpp"
#include "seal/private_file.hpp"

namespace cugrade::seal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t key_bytes = 32;

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

void append(std::string& message, std::string_view part) {
    for (std::uint64_t size = part.size(), i = 0; i < 8; ++i)
        message += static_cast<char>(size >> (8 * i) & 0xFF);
    message += part;
}

Result<Key> read_key(const fs::path& file) {
    const auto text = read_private(file);
    if (!text) return text.error();
    std::string_view digits(*text);
    if (digits.ends_with('\n')) digits.remove_suffix(1);
    auto key = Key::from_hex(digits);
    if (key) return key;
    Error error = key.error();
    error.file = file.string();
    error.remedy =
        "restore it, or remove it: cugrade makes a new one, and nothing that the old one "
        "has sealed counts any more";
    return error;
}

/// Reads the key, or makes it. Two that make it at once get the same.
Result<Key> read_or_make(const fs::path& file) {
    std::error_code error;
    if (fs::symlink_status(file, error).type() == fs::file_type::not_found) {
        fs::create_directories(file.parent_path(), error);
        if (error) return cannot("make the folder", file.parent_path(), error.value());
        const Status written = write_private(file, random_hex(key_bytes) + "\n");
        if (!written && !is_there_already(written.error())) return written.error();
    }
    return read_key(file);
}

Key key_of_this_run(const std::string& why) {
    static const Key key = [&] {
        fmt::print(
            stderr,
            "cugrade: warning: the grader's key cannot be kept: {}\n"
            "  Later runs will not believe what this one writes: they build anew, --resume "
            "grades anew, and `cugrade verify` cannot tell. Set CUGRADE_KEY_FILE to a file in "
            "a folder of yours that can be written.\n",
            why);
        return Key::of_this_run();
    }();
    return key;
}

}  // namespace

Result<Key> Key::from_hex(std::string_view digits) {
    auto bytes = seal::from_hex(digits);
    if (!bytes || bytes->size() != key_bytes)
        return Error{
            .kind = ErrorKind::configuration,
            .message = fmt::format("is no key: {} hexadecimal digits are expected", 2 * key_bytes)};
    return Key(*std::move(bytes), true);
}

Key Key::of_this_run() {
    Key key = *from_hex(random_hex(key_bytes));
    key.kept_ = false;
    return key;
}

std::string Key::mac(std::string_view purpose,
                     std::initializer_list<std::string_view> parts) const {
    std::string message;
    append(message, purpose);
    for (const std::string_view part : parts) append(message, part);
    std::array<unsigned char, 32> code{};
    std::size_t size = 0;
    char digest[] = "SHA256";
    if (EVP_Q_mac(nullptr, "HMAC", nullptr, digest, nullptr, bytes_.data(), bytes_.size(),
                  reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                  code.data(), code.size(), &size) == nullptr ||
        size != code.size())
        throw HarnessFault("HMAC-SHA-256 is not available in libcrypto");
    return to_hex(code.data(), size);
}

bool Key::made(std::string_view mac, std::string_view purpose,
               std::initializer_list<std::string_view> parts) const {
    const std::string right = this->mac(purpose, parts);
    return mac.size() == right.size() && CRYPTO_memcmp(mac.data(), right.data(), right.size()) == 0;
}

std::string Key::id() const { return mac("key id", {}).substr(0, 8); }

fs::path key_file() {
    if (const auto named = variable("CUGRADE_KEY_FILE"); !named.empty()) return named;
    if (const auto config = variable("XDG_CONFIG_HOME"); !config.empty())
        return fs::path(config) / "cugrade/key";
    if (const auto home = variable("HOME"); !home.empty())
        return fs::path(home) / ".config/cugrade/key";
    return {};
}

Result<Key> grader_key() {
    static std::mutex mutex;
    static std::map<fs::path, Key> known;
    const std::lock_guard lock(mutex);
    const fs::path file = key_file();
    if (file.empty()) return key_of_this_run("there is no home folder (HOME is not set)");
    if (const auto found = known.find(file); found != known.end()) return found->second;
    auto key = read_or_make(file);
    if (!key) {
        const bool named = !variable("CUGRADE_KEY_FILE").empty();
        if (named || key.error().kind == ErrorKind::configuration) return key;
        return key_of_this_run(key.error().file + ": " + key.error().message);
    }
    known.emplace(file, *key);
    return key;
}

Result<Key> existing_key() {
    const fs::path file = key_file();
    std::error_code error;
    if (file.empty() || !fs::exists(fs::symlink_status(file, error)))
        return Error{.kind = ErrorKind::usage,
                     .message = "this user has no grader's key",
                     .file = file.string(),
                     .remedy =
                         "work as the user who graded, set CUGRADE_KEY_FILE, or verify with "
                         "--public-key if the course signs its reports"};
    return read_key(file);
}

}  // namespace cugrade::seal
