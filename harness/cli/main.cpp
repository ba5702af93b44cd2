#include "cli/program.hpp"

int main(int argc, char** argv) { return cugrade::cli::run(argc, argv); }
