#include "cli/program.hpp"
#include "core/heap.hpp"

int main(int argc, char** argv) {
    cugrade::keep_freed_memory();
    return cugrade::cli::run(argc, argv);
}
