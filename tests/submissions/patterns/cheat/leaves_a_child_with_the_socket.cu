// expect: map=crash|tampering
// at-most: map=0
// Ends, and a child in another session keeps the connection to the grader open, so that nobody notices.
#include <unistd.h>

#include "interface.cuh"

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    if (fork() != 0) _exit(0);
    setsid();
    sleep(60);
    _exit(0);
}
