// Cases that are made while the compiler runs: it is one process after the other, and a machine has
// more than one processor.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "judging/case_store.hpp"

namespace cugrade {

class PreparedCases {
public:
    /// Begins to make the cases of each store that the emulated GPU can run, and those of the model
    /// if speed is modelled; calls `then` after that, in any case. The stores outlive it, and
    /// belong to it until stop() has returned.
    PreparedCases(const std::vector<std::unique_ptr<CaseStore>>& stores, bool models,
                  std::function<void()> then);

    /// Waits for the case that is being made, and leaves the rest to those who ask for it.
    void stop();

private:
    std::jthread thread_;
};

}  // namespace cugrade
