// expect: map=output_limit|time_limit
// at-most: map=0
// limits: wall=1
// Output without end, on both channels.
#include <unistd.h>

#include "interface.cuh"

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    char line[4096];
    for (char& c : line) c = 'x';
    for (int k = 0; k < 1 << 18; ++k)
        if (write(1 + k % 2, line, sizeof line) < 0) break;
}
