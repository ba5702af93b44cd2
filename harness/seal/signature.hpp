// Signatures of a course (Ed25519): whoever has the public key can verify, without the grader's
// key.
#pragma once

#include <openssl/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace cugrade::seal {

/// Makes a key pair: `file` (PEM, mode 0600) and `file`.pub. Errors: one of them is there already.
[[nodiscard]] Status make_signing_key(const std::filesystem::path& file);

class PublicKey {
public:
    /// A PEM file, as make_signing_key() and `openssl pkey -pubout` write it.
    [[nodiscard]] static Result<PublicKey> read(const std::filesystem::path&);
    /// Whether the private key has signed this text. `signature`: hexadecimal digits.
    [[nodiscard]] bool signed_this(std::string_view signature, std::string_view text) const;
    /// The 32 bytes as hexadecimal digits.
    [[nodiscard]] std::string hex() const;

private:
    explicit PublicKey(std::shared_ptr<EVP_PKEY> key) : key_(std::move(key)) {}
    std::shared_ptr<EVP_PKEY> key_;
};

class SigningKey {
public:
    /// A PEM file without a passphrase that only its owner may read.
    [[nodiscard]] static Result<SigningKey> read(const std::filesystem::path&);
    [[nodiscard]] std::string sign(std::string_view text) const;
    [[nodiscard]] std::string public_hex() const;

private:
    explicit SigningKey(std::shared_ptr<EVP_PKEY> key) : key_(std::move(key)) {}
    std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace cugrade::seal
