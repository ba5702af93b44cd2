#include "seal/signature.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <vector>

#include <fmt/format.h>

#include "core/files.hpp"
#include "seal/hex.hpp"
#include "seal/private_file.hpp"

namespace cugrade::seal {
namespace {

namespace fs = std::filesystem;

using Pkey = std::shared_ptr<EVP_PKEY>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

constexpr std::size_t signature_bytes = 64, public_bytes = 32;

Pkey owned(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

[[noreturn]] void unavailable() { throw HarnessFault("Ed25519 is not available in libcrypto"); }

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

/// A key that wants a passphrase is refused: nobody sits before a batch to type it.
int no_passphrase(char*, int, int, void*) { return 0; }

std::string text_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

Bio reader(std::string_view text) {
    return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

Error no_key(const fs::path& file, std::string_view kind) {
    return {.kind = ErrorKind::usage,
            .message = fmt::format("is no {} of Ed25519 in PEM without a passphrase", kind),
            .file = file.string(),
            .remedy = "make a pair with `cugrade secret new --signing FILE`"};
}

std::string public_hex_of(EVP_PKEY* key) {
    std::array<unsigned char, public_bytes> raw{};
    std::size_t size = raw.size();
    if (EVP_PKEY_get_raw_public_key(key, raw.data(), &size) != 1) unavailable();
    return to_hex(raw.data(), size);
}

}  // namespace

Status make_signing_key(const fs::path& file) {
    const Pkey key = owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    const Bio secret{BIO_new(BIO_s_mem()), BIO_free}, open{BIO_new(BIO_s_mem()), BIO_free};
    if (!key ||
        PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr) != 1 ||
        PEM_write_bio_PUBKEY(open.get(), key.get()) != 1)
        unavailable();
    const fs::path public_file = file.string() + ".pub";
    std::error_code error;
    if (fs::exists(fs::symlink_status(public_file, error)))
        return Error{.kind = ErrorKind::usage,
                     .message = "is there already",
                     .file = public_file.string(),
                     .remedy = "name another file, or remove that one if nothing needs it"};
    if (auto status = write_private(file, text_of(secret.get())); !status) return status;
    return write_atomically(public_file, text_of(open.get()));
}

Result<PublicKey> PublicKey::read(const fs::path& file) {
    const auto text = read_file(file);
    if (!text) {
        Error error = text.error();
        error.kind = ErrorKind::usage;
        error.remedy = "give the file that `cugrade secret new --signing` made, with the end .pub";
        return error;
    }
    Pkey key = owned(PEM_read_bio_PUBKEY(reader(*text).get(), nullptr, no_passphrase, nullptr));
    if (!key || EVP_PKEY_is_a(key.get(), "ED25519") != 1) return no_key(file, "public key");
    return PublicKey(std::move(key));
}

bool PublicKey::signed_this(std::string_view signature, std::string_view text) const {
    const auto raw = from_hex(signature);
    if (!raw || raw->size() != signature_bytes) return false;
    const Context context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
    if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1)
        unavailable();
    return EVP_DigestVerify(context.get(), bytes_of(*raw), raw->size(), bytes_of(text),
                            text.size()) == 1;
}

std::string PublicKey::hex() const { return public_hex_of(key_.get()); }

Result<SigningKey> SigningKey::read(const fs::path& file) {
    const auto text = read_private(file);
    if (!text) {
        Error error = text.error();
        if (error.kind == ErrorKind::harness) error.kind = ErrorKind::usage;
        return error;
    }
    Pkey key = owned(PEM_read_bio_PrivateKey(reader(*text).get(), nullptr, no_passphrase, nullptr));
    if (!key || EVP_PKEY_is_a(key.get(), "ED25519") != 1) return no_key(file, "private key");
    return SigningKey(std::move(key));
}

std::string SigningKey::sign(std::string_view text) const {
    const Context context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
    std::array<unsigned char, signature_bytes> raw{};
    std::size_t size = raw.size();
    if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
        EVP_DigestSign(context.get(), raw.data(), &size, bytes_of(text), text.size()) != 1)
        unavailable();
    return to_hex(raw.data(), size);
}

std::string SigningKey::public_hex() const { return public_hex_of(key_.get()); }

}  // namespace cugrade::seal
