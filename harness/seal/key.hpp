// The grader's own key, and the message authentication codes that it makes.
//
// Theory of operation. What a grader writes now and believes later (cache entries, the marks of
// `batch --resume`, reports) carries an HMAC-SHA256 with a key that only this user can read.
// Somebody who can write such a file, but not read the key, cannot make one that is believed. A
// code covers a purpose and a list of texts, each with its length, so that no text of one purpose
// or one place passes for another's.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace cugrade::seal {

class Key {
public:
    /// 64 hexadecimal digits.
    [[nodiscard]] static Result<Key> from_hex(std::string_view);
    /// A key that no later run knows.
    [[nodiscard]] static Key of_this_run();

    /// HMAC-SHA256 of the purpose and the parts, in lower-case hexadecimal.
    [[nodiscard]] std::string mac(std::string_view purpose,
                                  std::initializer_list<std::string_view> parts) const;
    [[nodiscard]] bool made(std::string_view mac, std::string_view purpose,
                            std::initializer_list<std::string_view> parts) const;
    /// Tells keys apart; says nothing about the key.
    [[nodiscard]] std::string id() const;
    /// Whether later runs will have this key, too.
    [[nodiscard]] bool is_kept() const { return kept_; }

private:
    Key(std::string bytes, bool kept) : bytes_(std::move(bytes)), kept_(kept) {}
    std::string bytes_;
    bool kept_;
};

/// $CUGRADE_KEY_FILE, else $XDG_CONFIG_HOME/cugrade/key, else ~/.config/cugrade/key. Empty: there
/// is no home folder.
[[nodiscard]] std::filesystem::path key_file();

/// The key in key_file(), which is made if it is missing. Where none can be kept, a key of this
/// run, after one warning on standard error. Errors: the file is no key, others may read it, or the
/// file that CUGRADE_KEY_FILE names cannot be made.
[[nodiscard]] Result<Key> grader_key();

/// The key in key_file(), for those who only verify: it is never made.
[[nodiscard]] Result<Key> existing_key();

}  // namespace cugrade::seal
