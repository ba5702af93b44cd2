#include "oracle/server/serve.hpp"
#include "oracles.hpp"

int main() { return cugrade::oracle::serve(cugrade::reference::oracles()); }
