// One thread reads requests, calls oracles and answers. A second one waits for the grader's end of
// the connection to close, which ends the process also where an oracle does not come back.
#include "oracle/server/serve.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <limits>
#include <new>
#include <thread>

#include <fmt/format.h>

#include "oracle/wire.hpp"

namespace cugrade::oracle {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitizer_maps_terabytes = true;
#else
constexpr bool sanitizer_maps_terabytes = false;
#endif

void limit(__rlimit_resource resource, std::uint64_t most) {
    rlimit limits{};
    ::getrlimit(resource, &limits);
    limits.rlim_cur = std::min<rlim_t>(most, limits.rlim_max);
    ::setrlimit(resource, &limits);
}

std::uint64_t address_space_bytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    unsigned long pages = 0;
    const int read = std::fscanf(file, "%lu", &pages);
    std::fclose(file);
    return read == 1 ? pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

/// An oracle that asks for more gets std::bad_alloc.
void limit_memory(std::uint64_t more_bytes) {
    if constexpr (sanitizer_maps_terabytes) return;
    const std::uint64_t now = address_space_bytes();
    limit(RLIMIT_AS, now == 0 ? RLIM_INFINITY : now + more_bytes);
}

void end_with_the_grader() {
    pollfd waited{connection, POLLRDHUP, 0};
    while (::poll(&waited, 1, -1) < 0 ||
           (waited.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) == 0) {
    }
    ::_exit(0);
}

const TaskOracle* find(const std::vector<AssignmentOracle>& oracles, const Request& request) {
    for (const AssignmentOracle& oracle : oracles)
        for (const TaskOracle& row : oracle.tasks)
            if (oracle.assignment == request.assignment && row.task == request.task.name)
                return &row;
    return nullptr;
}

Reply answer(const TaskOracle& oracle, Question question, const CaseData& data,
             const Arrays& outputs) {
    Reply out;
    try {
        if (question == Question::expected)
            out.expected = oracle.expected(data);
        else
            out.wrong = oracle.verify(data, outputs);
    } catch (const std::bad_alloc&) {
        out.thrown = "std::bad_alloc: it wants more memory than an oracle may use for such a case";
    } catch (const std::exception& error) {
        out.thrown = error.what();
    } catch (...) {
        out.thrown = "what is no std::exception";
    }
    return out;
}

}  // namespace

int serve(const std::vector<AssignmentOracle>& oracles) {
    // Submissions have the same user and shall not read the data of hidden cases here.
    ::prctl(PR_SET_DUMPABLE, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 1 << 16);  // of what is printed; the grader tells the end of it
    std::signal(SIGXFSZ, SIG_IGN);
    std::thread(end_with_the_grader).detach();
    try {
        Writer out(connection);
        std::vector<Row> rows;
        for (const AssignmentOracle& oracle : oracles)
            for (const TaskOracle& row : oracle.tasks)
                if (row.expected != nullptr)
                    rows.push_back({std::string(oracle.assignment), std::string(row.task),
                                    row.verify != nullptr});
        put(out, rows);
        out.flush();
        for (;;) {
            Reader in(connection, std::numeric_limits<std::uint64_t>::max());
            Request request;
            take(in, request);
            limit_memory(request.memory_bytes);
            CaseData data;
            data.task = &request.task;
            data.spec = &request.spec;
            data.seed = request.seed;
            take(in, data.buffers);
            Arrays outputs;
            take(in, outputs);
            const TaskOracle* oracle = find(oracles, request);
            if (oracle == nullptr) return 1;  // the grader asks for rows that it was told of
            put(out, answer(*oracle, request.question, data, outputs));
            out.flush();
        }
    } catch (const Broken&) {
        return 0;  // the grader is done
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

}  // namespace cugrade::oracle
