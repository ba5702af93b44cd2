// The emulator as a process, from both sides: the grader's through EmulatorProcess, the runner's
// through a program that is compiled and linked as submissions are, and through a hostile one that
// writes to the socket what it likes.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "catch.hpp"
#include "emulator/client/connection.hpp"
#include "emulator/client/emulator_process.hpp"
#include "emulator/client/state.hpp"
#include "emulator/findings/json.hpp"
#include "emulator/interventions/intervention.hpp"
#include "emulator/ptx/fatbin.hpp"
#include "emulator/ptx/host_lines.hpp"
#include "protocol/emulator_protocol.hpp"
#include "protocol/runner_protocol.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
namespace fs = std::filesystem;

namespace {

const fs::path build = CUGRADE_BUILD_DIR;
const fs::path source = CUGRADE_SOURCE_DIR "/tests/unit/emulator/client";

/// A folder of this test run.
const fs::path& scratch() {
    static const struct Folder {
        fs::path path;
        Folder() {
            std::string name = (fs::temp_directory_path() / "cugrade-client-XXXXXX").string();
            if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
            path = name;
        }
        ~Folder() { fs::remove_all(path); }
    } folder;
    return folder.path;
}

std::string nvcc() {
    return std::system("command -v nvcc >/dev/null 2>&1") == 0 ? "nvcc"
                                                               : "/usr/local/cuda/bin/nvcc";
}

/// Compiles as the grader does; `flags` choose the code that is generated.
fs::path compile(const fs::path& cu, const std::string& flags, const std::string& name) {
    const fs::path object = scratch() / (name + ".o"), program = scratch() / name;
    if (fs::exists(program)) return program;
    const std::string link = "g++ " + object.string() + " " +
                             (build / "lib/cugrade/libcugrade_cudart.a").string() + " -o " +
                             program.string();
    const std::string command = nvcc() + " -cudart none " + flags + " -c " + cu.string() + " -o " +
                                object.string() + " && " + link;
    INFO(command);
    REQUIRE(std::system(command.c_str()) == 0);
    return program;
}

const std::string ptx75 = "-gencode arch=compute_75,code=compute_75";
fs::path program() { return compile(source / "program.cu", ptx75, "program"); }

fs::path trivial(const std::string& flags, const std::string& name) {
    const fs::path cu = scratch() / "trivial.cu";
    std::ofstream(cu) << "#include <cstdio>\n"
                         "#ifdef OTHER\n"
                         "__device__ int other;\n"
                         "#endif\n"
                         "__global__ void k() {}\n"
                         "int main() { k<<<1, 1>>>(); std::printf(\"%s\", cudaGetErrorName("
                         "cudaGetLastError())); }\n";
    return compile(cu, flags, name);
}

struct Ended {
    int status = 0;
    std::string out, err;
};

std::string contents(const fs::path& p) {
    std::ifstream f(p, std::ios::binary);
    return {std::istreambuf_iterator<char>(f), {}};
}

/// Runs the program to its end with the emulator's connection, if `fd` is not -1.
Ended run(const fs::path& path, std::vector<std::string> arguments, int fd) {
    const fs::path out = scratch() / "out", err = scratch() / "err";
    const pid_t pid = fork();
    if (pid == 0) {
        const int o = open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
        const int e = open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
        dup2(o, 1);
        dup2(e, 2);
        unsetenv(cugrade::protocol::emulator_fd_variable);
        if (fd >= 0)
            setenv(cugrade::protocol::emulator_fd_variable, std::to_string(dup(fd)).c_str(), 1);
        std::string name = path.string();
        std::vector<char*> argv{name.data()};
        for (std::string& a : arguments) argv.push_back(a.data());
        argv.push_back(nullptr);
        execv(name.c_str(), argv.data());
        _exit(127);
    }
    Ended e;
    if (fd >= 0) close(fd);
    REQUIRE(waitpid(pid, &e.status, 0) == pid);
    e.out = contents(out);
    e.err = contents(err);
    return e;
}

std::uint64_t resident_bytes(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

EmulatorOptions options() {
    EmulatorOptions o;
    o.libexec = build / "libexec/cugrade";
    o.machine.memory_bytes = std::uint64_t{256} << 20;
    o.warp_instruction_budget = 100'000'000;
    return o;
}

std::unique_ptr<EmulatorProcess> start(const EmulatorOptions& o = options()) {
    auto p = EmulatorProcess::start(o);
    if (!p) FAIL(p.error().text());
    return std::move(*p);
}

int runner_of(EmulatorProcess& p) {
    auto fd = p.connect_runner();
    if (!fd) FAIL(fd.error().text());
    return *fd;
}

EmulatorProcess::State state_of(EmulatorProcess& p) {
    auto s = p.state();
    if (!s) FAIL(s.error().text());
    return *s;
}

std::vector<std::byte> pattern(std::size_t n) {
    std::vector<std::byte> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::byte>(i * 31 + i / 251);
    return v;
}

}  // namespace

TEST_CASE("the grader writes and reads buffers of any size") {
    auto p = start();
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{4096}, (std::size_t{4} << 20) + 1, std::size_t{40'000'001}}) {
        const auto sent = pattern(n);
        auto address = p->allocate("in", n);
        REQUIRE(address.ok());
        REQUIRE(p->write(*address, sent).ok());
        std::vector<std::byte> got(n);
        REQUIRE(p->read(*address, got).ok());
        CHECK(got == sent);
        // A range that does not fit is refused as a whole, with the buffer's name.
        const auto refused = p->write(*address + 1, std::vector<std::byte>(n, std::byte{9}));
        REQUIRE_FALSE(refused.ok());
        CHECK(refused.error().message.find("`in`") != std::string::npos);
        REQUIRE(p->read(*address, got).ok());
        CHECK(got == sent);
        CHECK(p->free(*address).ok());
        CHECK_FALSE(p->free(*address).ok());
        CHECK_FALSE(p->read(*address, got).ok());
    }
    CHECK_FALSE(p->allocate("huge", std::uint64_t{1} << 40).ok());
}

TEST_CASE("a program gets CUDA's results and errors") {
    auto p = start();
    const std::string mode = GENERATE("results", "errors", "device", "fault");
    const Ended e = run(program(), {mode}, runner_of(*p));
    INFO(mode << ": " << e.out << e.err);
    CHECK(e.status == 0);
    const auto state = state_of(*p);
    if (mode == "results") {
        CHECK(e.out == "before\nhello from 0\nhello from 1\nafter\n");
        CHECK_FALSE(state.fault);
        CHECK(state.launches == 5);
    }
    if (mode == "errors") {
        CHECK(state.first_api_error.find("cudaErrorInvalidValue: cudaMemcpy: ") == 0);
        CHECK_FALSE(state.fault);
    }
    if (mode == "fault") {
        REQUIRE(state.fault);
        CHECK(state.fault->kind == FaultKind::out_of_bounds);
        CHECK(state.fault->message.find("256 bytes") != std::string::npos);
        CHECK(state.launches == 1);
        REQUIRE(p->reset().ok());
        CHECK_FALSE(state_of(*p).fault);
        const Ended again = run(program(), {"results"}, runner_of(*p));
        CHECK(again.status == 0);
    }
}

TEST_CASE("per-thread default streams link and run", "[slow]") {
    auto p = start();
    const fs::path path =
        compile(source / "program.cu", ptx75 + " --default-stream per-thread", "per_thread");
    const Ended e = run(path, {"results"}, runner_of(*p));
    INFO(e.out << e.err);
    CHECK(e.status == 0);
}

TEST_CASE("host code that dereferences a device address is told so and dies by the signal") {
    auto p = start();
    const Ended e = run(program(), {"host_dereference"}, runner_of(*p));
    CHECK(WIFSIGNALED(e.status));
    CHECK(WTERMSIG(e.status) == SIGSEGV);
    CHECK(e.err.find("host code dereferenced the device address 0x3") != std::string::npos);
    CHECK(e.err.find("12 bytes into `allocation 1` (256 bytes)") != std::string::npos);
}

TEST_CASE("checkers tell what kernels and the host did, from when they are turned on") {
    const auto kinds = [](EmulatorProcess& p) {
        auto text = p.observations(emulator::protocol::observe_checkers);
        REQUIRE(text.ok());
        auto list = findings_from_json(*text);
        REQUIRE(list.ok());
        std::string names;
        for (const Finding& f : list->all) names += std::string(name_of(f.kind)) + " ";
        return names;
    };
    const auto checked = [](EmulatorProcess& p, const std::string& what) {
        auto fd = p.connect_runner();
        REQUIRE(fd.ok());
        const Ended e =
            run(compile(source / "checked.cu", ptx75 + " -lineinfo", "checked"), {what}, *fd);
        INFO(e.out << e.err);
        CHECK(WIFEXITED(e.status));
        CHECK(WEXITSTATUS(e.status) == 0);
    };
    auto p = start();
    CHECK_FALSE(p->observations(emulator::protocol::observe_checkers).ok());
    REQUIRE(p->observe(emulator::protocol::observe_checkers).ok());
    // What the host has written by any of its ways is no read of garbage.
    checked(*p, "innocent");
    CHECK(kinds(*p) == "");
    checked(*p, "guilty");
    const std::string found = kinds(*p);
    CHECK(found.find("global_race ") != std::string::npos);
    CHECK(found.find("uninitialised_read ") != std::string::npos);
    CHECK(found.find("unwritten_copy ") != std::string::npos);
    CHECK(found.find("never_freed ") != std::string::npos);
    CHECK(found.find("unchecked_error ") != std::string::npos);
    // A new machine is watched as the old one was, from zero.
    REQUIRE(p->reset().ok());
    CHECK(kinds(*p) == "");
    checked(*p, "guilty");
    CHECK(kinds(*p) == found);
    REQUIRE(p->observe(emulator::protocol::observe_nothing).ok());
    CHECK_FALSE(p->observations(emulator::protocol::observe_checkers).ok());
}

TEST_CASE("what was there before the checkers counts as written") {
    auto p = start();
    const auto address = p->allocate("old", 4096);
    REQUIRE(address.ok());
    auto fd = p->connect_runner();
    REQUIRE(fd.ok());
    REQUIRE(p->observe(emulator::protocol::observe_checkers).ok());
    const Ended e = run(compile(source / "checked.cu", ptx75 + " -lineinfo", "checked"),
                        {"read", std::to_string(*address)}, *fd);
    CHECK(WEXITSTATUS(e.status) == 0);
    const auto text = p->observations(emulator::protocol::observe_checkers);
    REQUIRE(text.ok());
    CHECK(findings_from_json(*text)->all.empty());
}

TEST_CASE("a program without an emulator says what is missing") {
    const Ended e = run(program(), {"first_call"}, -1);
    CHECK(e.out == "cudaErrorNoDevice");
    CHECK(e.err.find("CUGRADE_EMULATOR_FD is not set") != std::string::npos);
}

TEST_CASE("the grader's buffers can be used, but not freed, by a runner") {
    auto p = start();
    auto address = p->allocate("in", 16);
    REQUIRE(address.ok());
    const Ended e = run(program(), {"free_foreign", std::to_string(*address)}, runner_of(*p));
    INFO(e.out << e.err);
    CHECK(e.status == 0);
    CHECK(state_of(*p).first_api_error.find("belongs to the caller") != std::string::npos);
    REQUIRE(p->set_seed(1).ok());
    CHECK(state_of(*p).first_api_error.empty());
}

TEST_CASE("whatever nvcc compresses the PTX with, it is found", "[slow]") {
    auto p = start();
    for (const char* mode : {"default", "speed", "none"}) {
        INFO(mode);
        const auto path =
            trivial(ptx75 + " --compress-mode=" + mode, std::string("compress_") + mode);
        CHECK(run(path, {}, runner_of(*p)).out == "cudaSuccess");
    }
}

TEST_CASE("code that the emulated GPU cannot run is refused with the reason", "[slow]") {
    struct Row {
        std::string flags, name, error, why;
    };
    const Row rows[] = {
        {"-gencode arch=compute_75,code=sm_75", "no_ptx", "cudaErrorNoKernelImageForDevice",
         "code=compute_75"},
        {"-gencode arch=compute_90,code=compute_90", "newer", "cudaErrorNoKernelImageForDevice",
         "compute_90"},
    };
    for (const Row& row : rows) {
        auto p = start();
        CHECK(run(trivial(row.flags, row.name), {}, runner_of(*p)).out == row.error);
        CHECK(state_of(*p).first_api_error.find(row.why) != std::string::npos);
    }
}

TEST_CASE("where code is admitted, a program loads that and no other") {
    const auto own = trivial(ptx75 + " --compress-mode=none", "compress_none");
    const auto code = ptx::containers_of(own);
    REQUIRE(code.ok());
    REQUIRE_FALSE(code->empty());
    auto p = start();
    REQUIRE(p->admit(*code).ok());
    CHECK(run(own, {}, runner_of(*p)).out == "cudaSuccess");
    CHECK(run(trivial(ptx75 + " -DOTHER", "other"), {}, runner_of(*p)).out ==
          "cudaErrorInvalidKernelImage");
    CHECK(state_of(*p).first_api_error.find("not part of the program") != std::string::npos);
    // A container inside of an admitted one is another.
    auto around = *code;
    std::vector<std::byte> outer(16 + 64 + around.size());
    const std::uint32_t magic = 0xBA55ED50, entry = 64;
    const std::uint16_t version = 1, header = 16, kind = 2;
    const std::uint64_t size = outer.size() - 16, payload = around.size();
    std::memcpy(outer.data(), &magic, 4);
    std::memcpy(outer.data() + 4, &version, 2);
    std::memcpy(outer.data() + 6, &header, 2);
    std::memcpy(outer.data() + 8, &size, 8);
    std::memcpy(outer.data() + 16, &kind, 2);
    std::memcpy(outer.data() + 20, &entry, 4);
    std::memcpy(outer.data() + 24, &payload, 8);
    std::ranges::copy(around, outer.begin() + 80);
    auto strict = start();
    REQUIRE(strict->admit(outer).ok());
    CHECK(run(own, {}, runner_of(*strict)).out == "cudaErrorInvalidKernelImage");
    auto closed = start();
    REQUIRE(closed->admit({}).ok());
    CHECK(run(own, {}, runner_of(*closed)).out == "cudaErrorInvalidKernelImage");
}

TEST_CASE("a program runs with a comparison changed, until it is told otherwise") {
    auto p = start();
    const fs::path path = compile(source / "program.cu", ptx75 + " -lineinfo", "with_lines");
    const auto possible = [&] {
        auto text = p->possible_interventions();
        REQUIRE(text.ok());
        auto list = interventions_from_json(*text);
        REQUIRE(list.ok());
        return *list;
    };
    CHECK(possible().empty());
    CHECK(run(path, {"results"}, runner_of(*p)).status == 0);
    // `if (i < n) c[i] = ...` of `add`
    std::vector<Intervention> turned = possible();
    std::erase_if(turned, [](const Intervention& one) {
        return one.kind != InterventionKind::comparison || one.value != 2 ||
               one.function.find("add") == std::string::npos;
    });
    REQUIRE(turned.size() == 1);
    REQUIRE(p->reset().ok());
    REQUIRE(p->intervene(to_json(turned)).ok());
    CHECK(run(path, {"results"}, runner_of(*p)).status != 0);
    CHECK_FALSE(possible().empty());
    REQUIRE(p->reset().ok());
    REQUIRE(p->intervene("[]").ok());
    CHECK(run(path, {"results"}, runner_of(*p)).status == 0);
    CHECK_FALSE(p->intervene("nothing").ok());
}

TEST_CASE("launches and host calls of a program are changed, each at its place") {
    auto p = start();
    const fs::path cu = scratch() / "changed.cu";
    std::ofstream(cu) << R"(#include <cstdio>
__constant__ int weights[4];
__global__ void count(int* p) { atomicAdd(p, 1); }
__global__ void sum(const int* p, int* to) { for (int i = 0; i < 4; ++i) *to += p[i] * weights[i]; }
int main() {
    int four[4] = {1, 2, 3, 4}, *p, *q, counted[2] = {0, 0}, weighted = 0;
    cudaMalloc(&p, 8);
    cudaMemset(p, 0, 2);
    count<<<3, 5>>>(p);
    count<<<1, 1>>>(p + 1);
    cudaMemcpy(counted, p, 8, cudaMemcpyDeviceToHost);
    cudaMalloc(&q, 20);
    cudaMemcpy(q, four, 4, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(weights, four, 4);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(q + 4, 0, 4, stream);
    sum<<<1, 1>>>(q, q + 4);
    cudaMemcpy(&weighted, q + 4, 4, cudaMemcpyDeviceToHost);
    std::printf("%d %d %d\n", counted[0], counted[1], weighted);
})";
    // Optimised, as the grader does: a wrapper that is inlined is no place of its own.
    const fs::path path = compile(cu, ptx75 + " -O2 -Xcompiler -g1", "changed");
    using Kind = InterventionKind;
    // Copies, in the order of their addresses: to the host, to the device, to the symbol, and back.
    std::map<Kind, std::vector<std::uint32_t>> sites;
    std::vector<Intervention> possible;
    const auto learn = [&] {
        const auto text = p->possible_interventions();
        REQUIRE(text.ok());
        const auto list = interventions_from_json(*text);
        REQUIRE(list.ok());
        possible = *list;
        sites.clear();
        for (const Intervention& one : possible) {
            auto& of_kind = sites[one.kind];
            if (one.instruction != 0 && std::ranges::count(of_kind, one.instruction) == 0)
                of_kind.push_back(one.instruction);
        }
        for (auto& [kind, of_kind] : sites) std::ranges::sort(of_kind);
    };
    struct Change {
        Kind kind;
        std::size_t call;
        std::int64_t value;
    };
    const auto out_with = [&](const std::vector<Change>& wanted) {
        std::vector<Intervention> made;
        for (const auto& [kind, call, value] : wanted)
            for (const Intervention& one : possible)
                if (one.kind == kind && one.value == value &&
                    (one.instruction == 0 || one.instruction == sites[kind].at(call)))
                    made.push_back(one);
        CHECK(made.size() == wanted.size());
        REQUIRE(p->reset().ok());
        REQUIRE(p->intervene(to_json(made)).ok());
        const Ended e = run(path, {}, runner_of(*p));
        INFO(e.err);
        return e.out;
    };
    (void)run(path, {}, runner_of(*p));
    learn();
    REQUIRE(sites[Kind::copy_bytes].size() == 4);
    REQUIRE(sites[Kind::fill_bytes].size() == 2);
    REQUIRE(sites[Kind::allocate_bytes].size() == 2);
    REQUIRE(sites[Kind::grid_larger].size() == 3);
    // Where they are, by the executable's line tables.
    std::set<std::uint32_t> places{0xFFFFFFF0};
    for (const auto kind : {Kind::copy_bytes, Kind::fill_bytes, Kind::grid_larger})
        places.insert(sites[kind].begin(), sites[kind].end());
    const auto lines = ptx::host_lines(path, places);
    REQUIRE(lines.ok());
    const auto lines_of = [&](Kind kind) {
        std::vector<int> all;
        for (const std::uint32_t site : sites[kind]) {
            if (!lines->contains(site)) continue;
            CHECK(lines->at(site).file.ends_with("changed.cu"));
            all.push_back(lines->at(site).line);
        }
        return all;
    };
    // The call in line 14 comes from a template of the toolkit, whose line the table has.
    CHECK(lines_of(Kind::copy_bytes) == std::vector{11, 13, 19});
    CHECK(lines_of(Kind::fill_bytes) == std::vector{8, 17});
    CHECK(lines_of(Kind::grid_larger) == std::vector{9, 10, 18});
    CHECK_FALSE(lines->contains(0xFFFFFFF0));
    // Whatever a file says, the tables are read or left alone.
    std::string bytes = contents(path);
    const std::size_t table = bytes.find("changed.cu", bytes.find(".debug_line") / 2);
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::string damaged = bytes.substr(0, round % 4 == 0 ? random() % bytes.size() : bytes.size());
        for (int k = 0; k < 40; ++k)
            damaged[std::min(damaged.size() - 1, table - 2000 + random() % 4000)] =
                static_cast<char>(random());
        const fs::path file = scratch() / "damaged";
        std::ofstream(file, std::ios::binary) << damaged;
        CHECK(ptx::host_lines(file, places).ok());
    }
    std::vector<Change> right{{Kind::zero_memory, 0, 0},
                              {Kind::copy_bytes, 1, 4},
                              {Kind::copy_bytes, 2, 4},
                              {Kind::streams_waited_for, 0, 0}};
    CHECK(out_with(right) == "15 1 30\n");
    CHECK(out_with({right[0], right[1], right[3]}) == "15 1 1\n");
    right[0] = {Kind::fill_bytes, 0, 4};
    CHECK(out_with(right) == "15 1 30\n");
    right.push_back({Kind::grid_larger, 0, 1});
    CHECK(out_with(right) == "20 1 30\n");
    right.back() = {Kind::grid_larger, 1, 4};
    CHECK(out_with(right) == "15 4 30\n");
    right.back() = {Kind::launch_swapped, 0, 0};
    CHECK(out_with(right) == "15 1 30\n");
}

TEST_CASE("a memset sets numbers, and a launch passes two numbers in each other's place") {
    auto p = start();
    const fs::path cu = scratch() / "exchanged.cu";
    std::ofstream(cu) << R"(#include <cstdio>
struct Plane { const int* cells; int rows, columns; };
__global__ void cell(Plane plane, long long* to) { to[0] += plane.cells[1 * plane.columns]; }
int main() {
    int six[6] = {1, 2, 3, 4, 5, 6}, *cells;
    long long* to, wide[2];
    cudaMalloc(&cells, 24);
    cudaMemcpy(cells, six, 24, cudaMemcpyHostToDevice);
    cudaMalloc(&to, 16);
    cudaMemset(to, 2, 8);
    cudaMemset(to + 1, 255, 8);
    cell<<<1, 1>>>(Plane{cells, 2, 3}, to);
    cudaMemcpy(wide, to, 16, cudaMemcpyDeviceToHost);
    std::printf("%lld %lld\n", wide[0], wide[1]);
})";
    const fs::path path = compile(cu, ptx75 + " -O2 -Xcompiler -g1", "exchanged");
    CHECK(run(path, {}, runner_of(*p)).out == "144680345676153350 -1\n");
    const auto text = p->possible_interventions();
    REQUIRE(text.ok());
    const auto possible = interventions_from_json(*text);
    REQUIRE(possible.ok());
    const auto out_with = [&](InterventionKind kind, std::int64_t value) {
        std::vector<Intervention> made;
        for (const Intervention& one : *possible)
            if (one.kind == kind && (value == 0 || one.value == value)) made.push_back(one);
        CHECK(made.size() == 1);  // what is all ones either way is not listed
        REQUIRE(p->reset().ok());
        REQUIRE(p->intervene(to_json(made)).ok());
        return run(path, {}, runner_of(*p)).out;
    };
    // 8 bytes are one number, whatever the others are.
    CHECK(out_with(InterventionKind::fill_numbers, 4) == "6 -1\n");
    CHECK(out_with(InterventionKind::fill_numbers, 8) == "6 -1\n");
    CHECK(out_with(InterventionKind::numbers_exchanged, 0) == "144680345676153349 -1\n");
}

TEST_CASE("a hostile runner disturbs nobody") {
    auto p = start();
    const auto sent = pattern(1000);
    auto address = p->allocate("in", sent.size());
    REQUIRE(address.ok());
    REQUIRE(p->write(*address, sent).ok());

    using emulator::protocol::RunnerRequest;
    const auto request = [](auto kind, std::uint32_t payload) {
        emulator::protocol::Request r;
        r.kind = static_cast<std::uint32_t>(kind);
        r.payload = payload;
        return r;
    };
    const auto say = [](int fd, const void* data, std::size_t n) {
        return send(fd, data, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    };
    const auto unharmed = [&] {
        std::vector<std::byte> got(sent.size());
        REQUIRE(p->read(*address, got).ok());
        CHECK(got == sent);
    };
    /// The reply's error, or -1 if the connection is closed.
    const auto reply = [](int fd) -> int {
        emulator::protocol::Reply r;
        if (recv(fd, &r, sizeof r, MSG_WAITALL) != sizeof r) return -1;
        std::vector<char> rest(r.payload);
        if (r.payload > 0) (void)!recv(fd, rest.data(), rest.size(), MSG_WAITALL);
        return static_cast<int>(r.error);
    };

    SECTION("requests of the grader are unknown to it") {
        const int fd = runner_of(*p);
        for (std::uint32_t kind = 0x1000; kind < 0x1010; ++kind) {
            auto r = request(kind, 0);
            r.address = *address;
            r.bytes = 1000;
            REQUIRE(say(fd, &r, sizeof r) == sizeof r);
            CHECK(reply(fd) == 1);
        }
        unharmed();
        close(fd);
    }
    SECTION("half a request, then silence; then the end") {
        const int fd = runner_of(*p);
        const auto r = request(RunnerRequest::hello, 0);
        REQUIRE(say(fd, &r, 20) == 20);
        unharmed();
        close(fd);
        unharmed();
    }
    SECTION("another magic number, or an announced flood, ends the connection") {
        for (const bool magic : {false, true}) {
            const int fd = runner_of(*p);
            auto r = request(RunnerRequest::load, magic ? 0 : 0xFFFFFFFF);
            if (magic) r.magic ^= 1;
            REQUIRE(say(fd, &r, sizeof r) == sizeof r);
            CHECK(reply(fd) == -1);
            unharmed();
            close(fd);
        }
    }
    SECTION("replies that nobody reads do not stop the emulator") {
        const int fd = runner_of(*p);
        auto r = request(RunnerRequest::read, 0);
        r.address = *address;
        r.bytes = 1000;
        for (int i = 0; i < 100000; ++i)
            if (say(fd, &r, sizeof r) < 0) break;
        unharmed();
        close(fd);
        unharmed();
    }
    SECTION("what it asks for waits while it is not served") {
        const int fd = runner_of(*p);
        auto r = request(RunnerRequest::fill, 0);
        r.address = *address;
        r.bytes = 1000;
        r.value = 7;
        REQUIRE(p->serve_runner(false).ok());
        REQUIRE(say(fd, &r, sizeof r) == sizeof r);
        unharmed();
        REQUIRE(p->serve_runner(true).ok());
        CHECK(reply(fd) == 0);
        std::vector<std::byte> got(sent.size());
        REQUIRE(p->read(*address, got).ok());
        CHECK(got == std::vector<std::byte>(sent.size(), std::byte{7}));
        close(fd);
    }
    SECTION("the names of its buffers do not fill the emulator's memory") {
        const int fd = runner_of(*p);
        const std::string name(emulator::protocol::max_name, 'x');
        auto r = request(RunnerRequest::allocate, static_cast<std::uint32_t>(name.size()));
        r.bytes = 1;
        const auto before = resident_bytes(p->pid());
        for (int i = 0; i < 2000; ++i) {
            REQUIRE(say(fd, &r, sizeof r) == sizeof r);
            REQUIRE(say(fd, name.data(), name.size()) == static_cast<ssize_t>(name.size()));
            REQUIRE(reply(fd) == 0);
        }
        CHECK(resident_bytes(p->pid()) - before < 64 << 20);  // with the names, 125 MiB more
        close(fd);
    }
    SECTION("memory is bounded") {
        const int fd = runner_of(*p);
        auto r = request(RunnerRequest::allocate, 0);
        r.bytes = std::uint64_t{1} << 20;
        int granted = 0, error = 0;
        while (error == 0 && granted < 100000) {
            REQUIRE(say(fd, &r, sizeof r) == sizeof r);
            error = reply(fd);
            granted += error == 0;
        }
        CHECK(error == 2);
        CHECK(granted < 256);
        close(fd);
        const int next = runner_of(*p);  // frees all that
        REQUIRE(say(next, &r, sizeof r) == sizeof r);
        CHECK(reply(next) == 0);
        close(next);
        unharmed();
    }
    SECTION("garbage in every field") {
        std::mt19937_64 random(5);
        int fd = runner_of(*p);
        for (int round = 0; round < 3000; ++round) {
            auto r = request(random() % 18, static_cast<std::uint32_t>(random() % 200));
            const auto number = [&]() -> std::uint64_t {
                switch (random() % 4) {
                    case 0: return random();
                    case 1: return random() % 4096;
                    case 2: return emulator::protocol::device_first + random() % (1 << 20);
                    default: return ~std::uint64_t{0} - random() % 64;
                }
            };
            r.module = static_cast<std::uint32_t>(number());
            r.address = number();
            r.other = number();
            r.bytes = number();
            r.value = number();
            std::vector<std::uint64_t> payload(25);
            for (auto& x : payload) x = number();
            // Not what may change the grader's buffer: that is a runner's right.
            const auto kind = static_cast<RunnerRequest>(r.kind);
            if (kind == RunnerRequest::write || kind == RunnerRequest::fill ||
                kind == RunnerRequest::copy)
                r.address = emulator::protocol::device_first - 1;
            REQUIRE(say(fd, &r, sizeof r) == sizeof r);
            REQUIRE(say(fd, payload.data(), r.payload) == static_cast<ssize_t>(r.payload));
            if (reply(fd) < 0) {
                close(fd);
                fd = runner_of(*p);
            }
        }
        close(fd);
        unharmed();
    }
}

TEST_CASE("the process ends with its limits and with its owner, and says which") {
    SECTION("wall time") {
        auto o = options();
        o.wall_s = 0.2;
        auto p = start(o);
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        const auto s = p->state();
        REQUIRE_FALSE(s.ok());
        CHECK(s.error().message.find("0.2 s") != std::string::npos);
    }
    SECTION("memory") {
        auto o = options();
        o.memory_bytes = std::uint64_t{64} << 20;
        auto p = start(o);
        auto address = p->allocate("big", std::uint64_t{128} << 20);
        REQUIRE(address.ok());
        // The limit is watched from the side, so some pieces may still be taken.
        const auto data = pattern(std::size_t{128} << 20);
        (void)p->write(*address, data);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        const auto s = p->state();
        REQUIRE_FALSE(s.ok());
        CHECK(s.error().message.find("bytes of memory") != std::string::npos);
    }
    SECTION("destroyed") {
        auto p = start();
        const int pid = p->pid();
        CHECK(getpgid(pid) == pid);  // Ctrl-C is for the grader, which may finish first
        CHECK(kill(pid, 0) == 0);
        p.reset();
        CHECK(kill(pid, 0) != 0);
    }
    SECTION("the owner is killed") {
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        const pid_t owner = fork();
        if (owner == 0) {
            auto p = EmulatorProcess::start(options());
            const int pid = p.ok() ? (*p)->pid() : 0;
            (void)!write(ends[1], &pid, sizeof pid);
            pause();
        }
        int pid = 0;
        REQUIRE(read(ends[0], &pid, sizeof pid) == sizeof pid);
        REQUIRE(pid > 0);
        kill(owner, SIGKILL);
        waitpid(owner, nullptr, 0);
        // Nobody here can reap it; but it lets go of what it had open, and of its command line.
        bool gone = false;
        for (int i = 0; i < 200 && !gone; ++i) {
            gone = contents("/proc/" + std::to_string(pid) + "/cmdline").empty();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        CHECK(gone);
        close(ends[0]);
        close(ends[1]);
    }
}

TEST_CASE("an emulator that was stopped is an error after the stated time, and is gone") {
    EmulatorOptions o = options();
    o.answer_s = 0.5;
    auto p = start(o);
    const int pid = p->pid();
    REQUIRE(p->state().ok());
    REQUIRE(::kill(pid, SIGSTOP) == 0);
    const auto begin = std::chrono::steady_clock::now();
    const auto state = p->state();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    REQUIRE_FALSE(state.ok());
    CHECK(state.error().message.find("did not answer within 0.5 s") != std::string::npos);
    CHECK(took.count() >= 0.5);
    CHECK(took.count() < 30);
    CHECK_FALSE(p->state().ok());
    // A buffer that does not fit into the socket waits for a reader that never comes.
    auto other = start(o);
    const auto address = other->allocate("in", 8 << 20);
    REQUIRE(address.ok());
    REQUIRE(::kill(other->pid(), SIGSTOP) == 0);
    const std::vector<std::byte> data(4 << 20);
    CHECK_FALSE(other->write(*address, data).ok());
    p.reset();
    CHECK(::kill(pid, 0) != 0);
}

namespace {

/// What the other end of a connection does with the first request.
template <class F>
Connection::Answer ask_of(F other_end, double answer_s = 5) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    std::thread thread([&] {
        emulator::protocol::Request request;
        if (recv(ends[1], &request, sizeof request, MSG_WAITALL) == sizeof request)
            other_end(ends[1]);
    });
    std::vector<std::byte> into(4096);
    Connection::Answer answer;
    {
        Connection connection(process::Descriptor(ends[0]), answer_s);
        answer = connection.ask({}, {}, into, -1);
    }
    thread.join();
    close(ends[1]);
    return answer;
}

void send_reply(int fd, const emulator::protocol::Reply& reply) {
    REQUIRE(send(fd, &reply, sizeof reply, MSG_NOSIGNAL) == sizeof reply);
}

}  // namespace

TEST_CASE(
    "an emulator that states 3 GiB, stammers or goes is told apart, and nothing is allocated") {
    using Broke = Connection::Broke;
    const std::uint32_t much = std::uint32_t{3} << 30;
    CHECK(ask_of([&](int fd) { send_reply(fd, {.payload = much}); }).broke == Broke::too_much);
    CHECK(ask_of([&](int fd) { send_reply(fd, {.error = 1, .payload = much}); }).broke ==
          Broke::too_much);
    CHECK(ask_of([](int fd) { send_reply(fd, {.payload = 4097}); }).broke == Broke::too_much);
    CHECK(ask_of([](int fd) { send_reply(fd, {.magic = 7}); }).broke == Broke::other_version);
    CHECK(ask_of([](int fd) { shutdown(fd, SHUT_RDWR); }).broke == Broke::closed);
    CHECK(ask_of([](int) {}, 0.2).broke == Broke::late);
    CHECK(ask_of([](int fd) { send_reply(fd, {.payload = 8}); }, 0.2).broke == Broke::late);
    // A byte now and then does not move the deadline.
    CHECK(ask_of(
              [](int fd) {
                  send_reply(fd, {.payload = 4096});
                  for (int i = 0; i < 4096 && send(fd, "x", 1, MSG_NOSIGNAL) == 1; ++i)
                      std::this_thread::sleep_for(std::chrono::milliseconds(20));
              },
              0.3)
              .broke == Broke::late);
    CHECK_FALSE(ask_of([](int fd) { send_reply(fd, {}); }).broke);
}

TEST_CASE("a text in pieces is bounded in total, by what is stated and by what comes") {
    const auto text_from = [](std::uint64_t stated, std::uint32_t piece, std::string& text) {
        int ends[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        std::thread thread([&] {
            const std::string bytes(piece, 'x');
            emulator::protocol::Request request;
            while (recv(ends[1], &request, sizeof request, MSG_WAITALL) == sizeof request) {
                const emulator::protocol::Reply reply{.payload = piece, .value = stated};
                (void)!send(ends[1], &reply, sizeof reply, MSG_NOSIGNAL);
                (void)!send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL);
            }
        });
        Connection::Answer answer;
        {
            Connection connection(process::Descriptor(ends[0]), 5);
            answer = connection.ask_all({}, 100, text);
        }
        thread.join();
        close(ends[1]);
        return answer.broke;
    };
    std::string text;
    CHECK_FALSE(text_from(90, 30, text));
    CHECK(text == std::string(90, 'x'));
    text.clear();
    CHECK(text_from(std::uint64_t{3} << 30, 30, text) == Connection::Broke::too_much);
    CHECK(text.empty());
    CHECK(text_from(100, 30, text) ==
          Connection::Broke::too_much);  // 30, 60, 90, and then too much
    CHECK(text.size() <= 100);
}

TEST_CASE("a state that no emulator writes is refused") {
    emulator::protocol::StateRecord record;
    record.fault_kind = static_cast<std::uint32_t>(FaultKind::unsupported);
    CHECK(read_state(record)->fault->kind == FaultKind::unsupported);
    record.fault_kind = 256 + 1;  // would be another kind in fewer bits
    CHECK_FALSE(read_state(record).ok());
    record.fault_kind = 0;
    record.seconds = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(read_state(record).ok());
}

TEST_CASE("a folder without an emulator is a clear error") {
    EmulatorOptions o;
    o.libexec = scratch();
    const auto p = EmulatorProcess::start(o);
    REQUIRE_FALSE(p.ok());
    CHECK(p.error().file == scratch().string());
}
