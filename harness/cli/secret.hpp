// The course secret: how it reaches the grader, and how strong it must be. `cugrade secret new`
// makes one.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace cugrade::cli {

/// Where the user says the secret is. Nothing said: $CUGRADE_SECRET.
struct SecretChoice {
    std::string file;
    int descriptor = -1;

    void add(CLI::App&);
};

/// Takes CUGRADE_SECRET out of the environment and overwrites the bytes that /proc/PID/environ
/// shows; read_secret() has it from then on. Call it before a process or thread is started.
void take_secret_from_environment();

/// Whether it was there, and not empty.
[[nodiscard]] bool has_secret_variable();

/// From the descriptor, else from the file, else from $CUGRADE_SECRET, else empty. Errors: there is
/// none in that place, or it is too weak.
[[nodiscard]] Result<std::string> read_secret(const SecretChoice&);

/// Why the secret could be guessed; empty: nothing is known against it. No program can measure how
/// a text was chosen, so this counts for each character what it is worth at most: 4 bits in
/// hexadecimal digits, 6 where capital and small letters and digits are mixed (base64), 2
/// otherwise, as in a sentence; and refuses repetitions and sequences. 128 bits are asked for.
[[nodiscard]] std::string weakness_of(std::string_view secret);

}  // namespace cugrade::cli
