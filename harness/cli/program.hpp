// The program without its main, so that its headers are compiled once, with the commands.
#pragma once

namespace cugrade::cli {

/// Returns the exit code.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace cugrade::cli
