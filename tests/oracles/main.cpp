// libexec/cugrade/oracles with mistakes in it: the oracles of `patterns` go wrong in the way that
// the environment's CUGRADE_TEST_ORACLE names, where the first input has 1000 elements or more. All
// else is as it is in the course.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <unistd.h>

#include "oracle/server/serve.hpp"
#include "oracles.hpp"

using namespace cugrade;

namespace {

std::string way() {
    const char* name = std::getenv("CUGRADE_TEST_ORACLE");
    return name == nullptr ? "" : name;
}

bool is_large(const CaseData& data) {
    return data.buffers.begin()->second.size() >= 1000 || way().ends_with("_always");
}

void go_wrong(const CaseData& data) {
    if (!is_large(data)) return;
    const std::string name = way().substr(0, way().find('_'));
    if (name == "crash") {
        if (::write(STDERR_FILENO, "row 7 is missing\n", 17) != 17) ::_exit(1);
        std::abort();
    }
    if (name == "segfault") {
        std::raise(SIGSEGV);
    }
    if (name == "throw") throw std::out_of_range("no such\nrow");
    if (name == "int") throw 7;
    if (name == "exit") std::exit(5);
    if (name == "sleep") std::this_thread::sleep_for(std::chrono::hours(1));
    if (name == "memory") {
        std::vector<char> much(std::size_t{1} << 40);
        much[0] = 1;
    }
}

std::vector<Expected> map_or_not(const CaseData& data) {
    go_wrong(data);
    std::vector<Expected> out = reference::find_oracle("patterns", data.task->name)->expected(data);
    if (!is_large(data)) return out;
    if (way() == "type") out[0].value.dtype = DType::u8;
    if (way() == "size") out[0].value = Array(out[0].value.dtype, {1});
    if (way() == "name") out[0].argument = "nobody";
    if (way() == "input") out[0].argument = "x";
    if (way() == "twice") out.push_back(out[0]);
    if (way() == "silent") out.clear();
    if (way() == "bound") out[0].bound = {-1};
    if (way() == "bounds") out[0].bound = {1, 2, 3};
    return out;
}

std::optional<std::string> verify_or_not(const CaseData& data,
                                         const std::map<std::string, Array, std::less<>>&) {
    if (way().starts_with("verify")) std::abort();
    return is_large(data) && way() == "refuse" ? std::optional<std::string>("it is refused")
                                               : std::nullopt;
}

}  // namespace

/// A sanitizer build lets the signal end the process, as every other build does.
extern "C" const char* __asan_default_options() { return "handle_segv=0"; }

int main() {
    std::vector<AssignmentOracle> oracles = reference::oracles();
    for (AssignmentOracle& oracle : oracles)
        for (TaskOracle& row : oracle.tasks)
            if (oracle.assignment == "patterns" && row.task == "map")
                row = {row.task, map_or_not, verify_or_not};
    return oracle::serve(oracles);
}
