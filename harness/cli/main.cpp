#include "cli/program.hpp"
#include "core/heap.hpp"
#include "described_version.hpp"

int main(int argc, char** argv) {
    cugrade::keep_freed_memory();
    return cugrade::cli::run(argc, argv, CUGRADE_DESCRIBED_VERSION);
}
