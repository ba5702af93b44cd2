// A profile as text for a terminal, as JSON, and as a page of HTML: the student's source with what
// each line did beside it, the costly lines marked, and plain advice.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "emulator/counts/counts.hpp"

namespace cugrade::report {

struct ProfiledTask {
    std::string title;           ///< "reduction/sum, case 22: n=1000003"
    std::string problem;         ///< how the call ended, if not well
    std::uint64_t elements = 0;  ///< of the largest argument; 0: not known
    std::vector<emulator::KernelCounts> kernels;
};

struct ProfilePage {
    std::string device;  ///< "emulated GPU, compute_75"
    std::vector<ProfiledTask> tasks;
    std::map<std::string, std::vector<std::string>> sources;  ///< by name, line by line
};

/// The avoidable cost of a line or a kernel, worst first.
struct Advice {
    std::string file;
    int line = 0;  ///< 0: the kernel as a whole
    std::string text;
    double waste = 0;  ///< sectors, passes and issue slots that could be saved, as one number
};
[[nodiscard]] std::vector<Advice> advise(const emulator::KernelCounts&);

/// "table", "json" or "html". Errors: of usage for another name.
[[nodiscard]] Result<std::string> write_profile(const ProfilePage&, std::string_view format);

}  // namespace cugrade::report
