// The program without its main, so that what it includes is compiled once with the commands.
#pragma once

namespace cugrade::cli {

/// Returns the exit code.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace cugrade::cli
