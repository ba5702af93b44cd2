#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "catch.hpp"

/// Calls take(), which returns a Result, in a process of its own; calls meanwhile() here once that
/// process has got it; and kills the process.
template <class Take, class Meanwhile>
void while_another_has(Take&& take, Meanwhile&& meanwhile) {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t holder = fork();
    if (holder == 0) {
        const auto taken = take();
        const char byte = taken.ok() ? 'y' : 'n';
        if (write(ready[1], &byte, 1) == 1) pause();
        _exit(0);
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    REQUIRE(byte == 'y');
    meanwhile();
    kill(holder, SIGKILL);
    waitpid(holder, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
}
