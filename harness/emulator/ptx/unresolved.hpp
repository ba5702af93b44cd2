// Finds undefined symbols. nvcc's linker would refuse them, but a compiler that stops at PTX does
// not see them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "emulator/ptx/fatbin.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

/// A device function or variable that code names, but that is only declared.
struct Unresolved {
    std::string name;  ///< as in the source: "scale(float)"
    std::string from;  ///< the function whose code names it; empty: the value of a variable
    std::string file;  ///< as .file has it; empty: not known
    int line = 0, column = 0;
    bool is_function = true;
};

/// Looks for them in one module after the other, none of which is needed after add().
class UnresolvedSearch {
public:
    /// With `together`, all modules of one architecture are linked with each other, as with
    /// -rdc=true; otherwise each stands by itself.
    explicit UnresolvedSearch(bool together);
    ~UnresolvedSearch();
    void add(const Module&, int arch);
    /// Each name once, in the order of the code, and 20 at most of those that are linked with each
    /// other. Without functions that the device brings along (vprintf, malloc, the device runtime).
    [[nodiscard]] std::vector<Unresolved> take();

private:
    class Group;
    void append(std::vector<Unresolved>);

    bool together_;
    std::map<int, Group> groups_;
    std::vector<Unresolved> found_;
};

/// The same for PTX from objects or a program. Skips PTX that cannot be parsed: running it reports
/// the error.
[[nodiscard]] std::vector<Unresolved> find_unresolved(std::vector<FatbinPtx> images, bool together);

}  // namespace cugrade::ptx
