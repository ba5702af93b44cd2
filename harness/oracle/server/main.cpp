#include "core/heap.hpp"
#include "oracle/server/serve.hpp"
#include "oracles.hpp"

int main() {
    cugrade::keep_freed_memory();
    return cugrade::oracle::serve(cugrade::reference::oracles());
}
