// The opcode tables (README.md) as data, for whoever runs them: the unit test on the emulated GPU,
// tests/hardware on a real one. Only the standard library, so that a machine with a GPU and a
// compiler can run them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cugrade::tables {

struct Value {
    std::uint64_t bits = 0;
    double exact = 0;           ///< approximate results: what `bits` approximates
    bool is_undefined = false;  ///< written `?`: any bits will do
};
struct Case {
    std::vector<Value> inputs, expected;
    int line = 0;
};
/// What an approximate function may be off by.
struct Bound {
    enum class Kind { none, ulp, absolute, relative } kind = Kind::none;
    double value = 0;
};
struct Group {
    std::string file;
    int line = 0;
    std::vector<std::string> forms, results, operands;
    std::string declarations;  ///< before the kernel
    std::string code;
    std::string target = "75";  ///< as behind sm_
    Bound bound;
    std::vector<Case> cases;

    [[nodiscard]] int arch() const { return std::stoi(target); }
    /// An 'a' or 'f' target runs on no other device than its own.
    [[nodiscard]] bool is_specific() const { return target.back() > '9'; }
    [[nodiscard]] std::string name() const;  ///< file:line: forms
};

/// All groups of tests/ptx/*.ptxt below the source folder. Throws std::runtime_error, which names
/// file and line, if one is not as README.md says.
[[nodiscard]] std::vector<Group> read_groups(const std::filesystem::path& source);

/// The forms of emitted-by-nvcc.tsv.
[[nodiscard]] std::set<std::string> emitted_forms(const std::filesystem::path& source);

/// A module with one kernel, test(in, out, scratch): operands from `in`, the group's code, results
/// to `out`, 8 bytes each, thread after thread; `scratch` is 64 zeroed bytes a thread.
[[nodiscard]] std::string module_of(const Group&, const std::string& version = "9.0");
[[nodiscard]] std::vector<std::uint64_t> inputs_of(const Group&);

/// A line per result that is not as expected; nothing if all are.
[[nodiscard]] std::vector<std::string> disagreements(const Group&,
                                                     const std::vector<std::uint64_t>& results);

}  // namespace cugrade::tables
