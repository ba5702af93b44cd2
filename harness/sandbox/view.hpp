// What a command finds in an enclosure, and which system calls it may make. Nothing else is there:
// the root is empty but for what a View names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cugrade::sandbox {

/// A file or folder of this machine, read-only at the same path unless another is named.
struct Shown {
    std::filesystem::path here;
    std::filesystem::path there = {};  ///< empty: as here
    bool operator==(const Shown&) const = default;
};

/// Which list of system calls holds: calls.cpp has them, with reasons.
enum class Calls {
    runner,      ///< a submission's program, its kernels on the emulated GPU
    gpu_runner,  ///< the same with a GPU's driver below it
    emulator,    ///< an emulated GPU
    compiler     ///< nvcc and what it executes
};

struct View {
    Calls calls = Calls::runner;
    std::vector<Shown> shown;
    /// Folders below shown ones that are empty instead. Those that do not exist are left out.
    std::vector<std::filesystem::path> hidden;
    /// Symbolic links: {target, path}.
    std::vector<std::pair<std::string, std::filesystem::path>> links;
    std::vector<std::filesystem::path> devices;  ///< nodes, besides null, zero, full and random
    bool has_proc = false;                       ///< /proc, with the enclosure's own processes
    /// The private folder, the only one that can be written. It is emptied after each command,
    /// unless it keeps files, and gone with the enclosure.
    std::filesystem::path folder = "/tmp";
    std::uint64_t folder_bytes = 64 << 20;
    bool keeps_files = false;

    bool operator==(const View&) const = default;
};

/// Adds the folders of shared libraries, and the loader's index of them.
void show_libraries(View&);
/// The folders that the value of a variable such as PATH names, without relative ones.
[[nodiscard]] std::vector<std::filesystem::path> folders_in(const char* value);
/// Adds the folders of $LD_LIBRARY_PATH, for programs that were linked with libraries there.
void show_library_path(View&);

/// What a submission's program sees, without a GPU: shared libraries.
[[nodiscard]] View runner_view();

}  // namespace cugrade::sandbox
