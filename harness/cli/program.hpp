// The program without its main, so that its headers are compiled once, with the commands.
#pragma once

namespace cugrade::cli {

/// Returns the exit code. `described_version` is what --version says: it names the commit between two
/// releases. Reports and what `batch --resume` compares have the release's version, CUGRADE_VERSION.
[[nodiscard]] int run(int argc, char** argv, const char* described_version);

}  // namespace cugrade::cli
