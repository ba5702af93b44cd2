// Runs the blocks of one launch. See scheduler.cpp.
#pragma once

#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

/// Runs all blocks of the launch; on return Launch::fault says whether they ended well.
void run_grid(Launch&);

}  // namespace cugrade::emulator
