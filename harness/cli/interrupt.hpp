// Ctrl-C (or SIGTERM) during long work: the first one asks it to end in order, a second one ends it
// at once.
#pragma once

#include <string_view>

namespace cugrade::cli {

/// Whether Ctrl-C was pressed while an Interruptible was there.
[[nodiscard]] bool interrupted();

/// One at a time. The text, which must live as long, tells the user what happens now. `also_term`:
/// SIGTERM, with which services are ended, does the same.
class Interruptible {
public:
    explicit Interruptible(std::string_view text, bool also_term = false);
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;

private:
    void (*before_)(int);
    void (*before_term_)(int) = nullptr;  ///< null: SIGTERM is not taken
};

}  // namespace cugrade::cli
