// Who may have the data of a task in memory while waiting for a GPU.
#pragma once

#include <cstddef>

#include "backend/backend.hpp"

namespace cugrade {

/// A place among those who have the data of a task in memory (up to 1 GiB) and wait for a GPU, or
/// have one. There are enough places that no GPU waits for data, but so few that a large batch does
/// not fill the memory. Tasks to be timed go before tasks whose cases are to run. So submissions of
/// a batch finish one after the other rather than all at its end, and no GPU waits while data is
/// made for cases, which need it only briefly.
class WaitingPlace final : public Backend::Place {
public:
    WaitingPlace(std::size_t gpus, Backend::For);
    WaitingPlace(const WaitingPlace&) = delete;
    ~WaitingPlace() override;
};

}  // namespace cugrade
