#if CUGRADE_CATCH2_MAJOR < 3
#define CATCH_CONFIG_MAIN
#endif
#include "catch.hpp"

#if CUGRADE_CATCH2_MAJOR >= 3
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#endif
