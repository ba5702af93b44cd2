#include "datasets/seeds.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "core/error.hpp"
#include "datasets/random.hpp"

namespace cugrade::datasets {
namespace {

using Digest = std::array<unsigned char, 32>;

Digest digest(std::string_view bytes) {
    Digest out;
    if (EVP_Digest(bytes.data(), bytes.size(), out.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw HarnessFault("SHA-256 is not available in libcrypto");
    return out;
}

std::uint64_t first_eight(const Digest& bytes) {
    std::uint64_t seed = 0;
    for (int i = 7; i >= 0; --i) seed = seed << 8 | bytes[static_cast<std::size_t>(i)];
    return seed;
}

}  // namespace

std::uint64_t public_seed(std::string_view assignment, std::string_view task, int id) {
    return first_eight(digest(fmt::format("cugrade/1/public/{}/{}/{}", assignment, task, id)));
}

std::uint64_t hidden_seed(std::string_view secret, std::string_view student,
                          std::string_view assignment, std::string_view task, int id) {
    const std::string text =
        fmt::format("cugrade/1/hidden/{}/{}/{}/{}", assignment, task, id, student);
    Digest out;
    unsigned size = 0;
    if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(),
             &size) == nullptr)
        throw HarnessFault("HMAC-SHA-256 is not available in libcrypto");
    return first_eight(out);
}

std::uint64_t argument_seed(std::uint64_t case_seed, std::size_t argument) {
    return substream(case_seed, argument);
}

std::string sha256(std::string_view bytes) {
    std::string out;
    for (const unsigned char byte : digest(bytes)) out += fmt::format("{:02x}", byte);
    return out;
}

}  // namespace cugrade::datasets
