// Every kernel under tests/checkers runs with all checkers on, and must get exactly the findings
// that its first line states: none if it is innocent.
//
// The first line: `// expect KIND LINE [LINE], KIND LINE [LINE]; grid G; block B` or
// `// innocent; ...`. Further settings: `n N` (the kernel's last argument), `seed S`, `shared
// BYTES`, `raw` (nobody has written `out`), `budget N`, `wrong_result` (as where a result is wrong). The kernel is `k(const int* in, int* out,
// int n)`: `in` has the numbers from 0, `out` zeros, 4096 of both.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "emulator/device.hpp"
#include "emulator/observe/checkers.hpp"

namespace {

using namespace cugrade::emulator;
using namespace cugrade::emulator::test;
namespace fs = std::filesystem;

constexpr std::size_t words = 4096;

struct Kernel {
    fs::path source, ptx;
    std::string checker, verdict;
    std::string name;  ///< k_<verdict>_<file>: the kernels of a checker are one module
};

std::vector<Kernel> all_kernels() {
    const fs::path root = fs::path(CUGRADE_SOURCE_DIR) / "tests/checkers";
    std::vector<Kernel> result;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".cu") continue;
        const fs::path relative = fs::relative(entry.path(), root);
        Kernel k;
        k.source = entry.path();
        k.checker = relative.begin()->string();
        k.verdict = std::next(relative.begin())->string();
        k.ptx = fs::path(CUGRADE_CHECKER_PTX) / (k.checker + ".ptx");
        k.name = "k_" + k.verdict + "_" + relative.stem().string();
        result.push_back(k);
    }
    std::sort(result.begin(), result.end(),
              [](const Kernel& a, const Kernel& b) { return a.source < b.source; });
    return result;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) {
        part.erase(0, part.find_first_not_of(' '));
        part.erase(part.find_last_not_of(' ') + 1);
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// "shared_race 7 6": the kind, then the lines in order.
std::string summary(const std::string& kind, std::vector<int> lines) {
    std::sort(lines.begin(), lines.end());
    std::string text = kind;
    for (const int line : lines) text += " " + std::to_string(line);
    return text;
}

struct Setup {
    std::vector<std::string> expected;
    std::uint32_t grid = 1, block = 32;
    int n = words;
    std::uint64_t shared = 0;
    bool raw = false, wrong_result = false;
    LaunchOptions options{.seed = 0, .warp_instruction_budget = 1'000'000, .find_deadlocks = true};
};

Setup setup_of(const std::string& first_line) {
    Setup s;
    for (const std::string& part : split(first_line.substr(2), ';')) {
        std::istringstream in(part);
        std::string word;
        in >> word;
        if (word == "expect") {
            for (const std::string& finding : split(part.substr(6), ',')) {
                std::istringstream fields(finding);
                std::string kind;
                fields >> kind;
                std::vector<int> lines;
                for (int line = 0; fields >> line;) lines.push_back(line);
                s.expected.push_back(summary(kind, lines));
            }
        } else if (word == "grid") {
            in >> s.grid;
        } else if (word == "block") {
            in >> s.block;
        } else if (word == "n") {
            in >> s.n;
        } else if (word == "seed") {
            in >> s.options.seed;
        } else if (word == "shared") {
            in >> s.shared;
        } else if (word == "budget") {
            in >> s.options.warp_instruction_budget;
        } else if (word == "wrong_result") {
            s.wrong_result = true;
        } else if (word == "raw") {
            s.raw = true;
        } else {
            REQUIRE(word == "innocent");
        }
    }
    std::sort(s.expected.begin(), s.expected.end());
    return s;
}

struct Outcome {
    std::vector<int> out;
    std::vector<Finding> findings;
    std::vector<std::string> summaries;
};

Outcome run(const Kernel& kernel, const Setup& setup, const MachineConfig& config = {}) {
    Device device(text_of(kernel.ptx), config);
    Checkers checkers(device.machine->memory(), setup.wrong_result);
    std::vector<int> numbers(words);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto in = device.buffer(numbers, "in");
    std::uint64_t out = 0;
    if (setup.raw) {
        auto address = device.machine->memory().allocate("out", words * sizeof(int));
        REQUIRE(address.ok());
        out = *address;
    } else {
        out = device.buffer(std::vector<int>(words), "out");
    }
    LaunchOptions options = setup.options;
    options.observer = &checkers;
    (void)device.launch(kernel.name, {setup.grid}, {setup.block},
                        Params().add(in).add(out).add(setup.n), options, setup.shared);
    Outcome outcome;
    outcome.out = device.read<int>(out, words);
    outcome.findings = checkers.findings().all();
    for (const Finding& f : outcome.findings) {
        std::vector<int> lines{f.place.line};
        if (f.second) lines.push_back(f.second->line);
        outcome.summaries.push_back(summary(std::string(name_of(f.kind)), lines));
        CHECK_FALSE(f.message.empty());
        CHECK(f.kernel == kernel.name);
        CHECK(fs::path(f.place.file).filename() == kernel.source.filename());
    }
    std::sort(outcome.summaries.begin(), outcome.summaries.end());
    return outcome;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += part + "\n";
    return text;
}

}  // namespace

TEST_CASE("checkers: each kernel gets what its first line states, and nothing else") {
    std::map<std::string, std::map<std::string, int>> counts;
    for (const Kernel& kernel : all_kernels()) {
        const std::string source = text_of(kernel.source);
        const Setup setup = setup_of(source.substr(0, source.find('\n')));
        const Outcome outcome = run(kernel, setup);
        std::string said;
        for (const Finding& f : outcome.findings)
            said += std::string(name_of(f.kind)) + ": " + f.message + "\n";
        INFO(kernel.checker << "/" << kernel.verdict << "/" << kernel.source.filename().string()
                            << "\n"
                            << said);
        CHECK(joined(outcome.summaries) == joined(setup.expected));
        CHECK(setup.expected.empty() == (kernel.verdict == "innocent"));
        ++counts[kernel.checker][kernel.verdict];
    }
    REQUIRE_FALSE(counts.empty());
    for (const auto& [checker, count] : counts) {
        INFO(checker);
        CHECK(count.size() == 2);
        for (const auto& [verdict, number] : count) CHECK(number >= 4);
    }
}

TEST_CASE("checkers: the same run twice says the same", "[slow]") {
    for (const Kernel& kernel : all_kernels()) {
        if (kernel.verdict != "guilty") continue;
        const std::string source = text_of(kernel.source);
        const Setup setup = setup_of(source.substr(0, source.find('\n')));
        const Outcome first = run(kernel, setup), second = run(kernel, setup);
        REQUIRE(first.findings.size() == second.findings.size());
        for (std::size_t n = 0; n < first.findings.size(); ++n) {
            CHECK(first.findings[n].message == second.findings[n].message);
            CHECK(first.findings[n].count == second.findings[n].count);
        }
    }
}

TEST_CASE("checkers: code that the decoder has not optimised does the same", "[slow]") {
    MachineConfig plain;
    plain.optimise = false;
    for (const Kernel& kernel : all_kernels()) {
        const std::string source = text_of(kernel.source);
        const Setup setup = setup_of(source.substr(0, source.find('\n')));
        const Outcome first = run(kernel, setup), second = run(kernel, setup, plain);
        INFO(kernel.source);
        CHECK(joined(first.summaries) == joined(second.summaries));
        // What a race leaves depends on when the turn of a warp ends.
        if (kernel.verdict == "innocent") CHECK(first.out == second.out);
    }
}


TEST_CASE("checkers: where a result is wrong, what is stored for nobody is seen") {
    const auto all = all_kernels();
    const auto kernel = std::ranges::find(all, "k_innocent_vectors", &Kernel::name);
    REQUIRE(kernel != all.end());
    for (const bool wrong_result : {false, true}) {
        Device device(text_of(kernel->ptx));
        Checkers checkers(device.machine->memory(), wrong_result);
        const auto in = device.buffer(std::vector<int>(words), "in");
        const auto out = device.buffer(std::vector<int>(words), "out");
        LaunchOptions options;
        options.observer = &checkers;
        (void)device.launch(kernel->name, {1}, {64},
                            Params().add(in).add(out).add(static_cast<int>(words)), options);
        const auto own = [&](std::uint64_t address) {
            return address >= out ? std::optional(out) : std::nullopt;
        };
        const auto of_nobody = [](std::uint64_t) { return std::optional<std::uint64_t>(); };
        const auto seen = checkers.unread(own);
        REQUIRE(seen.size() == (wrong_result ? 1 : 0));
        if (!wrong_result) continue;
        CHECK(seen[0].kind == FindingKind::unread_stores);
        CHECK(seen[0].place.line == 13);
        CHECK(checkers.unread(of_nobody).empty());
        checkers.copied_to_host(out, words * sizeof(int));
        CHECK(checkers.unread(own).empty());
    }
}
