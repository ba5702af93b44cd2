// The process of the oracles, with those of tests/oracles/main.cpp.
#include "oracle/oracles.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "catch.hpp"
#include "config/load.hpp"
#include "core/clock.hpp"
#include "oracle/wire.hpp"
#include "oracles.hpp"

using namespace cugrade;
using oracle::Oracles;

namespace {

const AssignmentSpec& patterns() {
    static const auto spec = config::load_assignment(CUGRADE_SOURCE_DIR "/assignments/patterns");
    if (!spec) FAIL(spec.error().text());
    return *spec;
}

/// A case of `map` with n elements.
struct Map {
    explicit Map(std::int64_t n) {
        spec.id = 3;
        spec.params = {{"n", n}, {"c0", 1}, {"c1", 2}, {"c2", 3}, {"c3", 4}};
        data.task = &patterns().tasks.front();
        data.spec = &spec;
        data.seed = 5;
        data.buffers["x"] = Array(DType::f32, {n});
        data.buffers["y"] = Array(DType::f32, {n});
        for (std::int64_t i = 0; i < n; ++i)
            data.buffers["x"].as<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i);
    }
    CaseSpec spec;
    CaseData data;
};

/// Oracles that go wrong in this way, for cases that are large.
class Broken {
public:
    explicit Broken(const char* way, oracle::Limits limits = {})
        : oracles_(CUGRADE_BUILD_DIR "/tests/broken-oracles", limits) {
        ::setenv("CUGRADE_TEST_ORACLE", way, 1);
    }
    ~Broken() { ::unsetenv("CUGRADE_TEST_ORACLE"); }
    Oracles* operator->() { return &oracles_; }

private:
    Oracles oracles_;
};

bool says(const std::string& text, std::string_view what) {
    UNSCOPED_INFO(text);
    return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("an oracle in a process of its own answers as it does here") {
    Broken oracles("");
    for (const std::int64_t n : {0, 1, 1000, 300'000}) {
        const Map map(n);
        const auto there = oracles->expected("patterns", map.data);
        if (!there) FAIL(there.error().text());
        const auto here = reference::find_oracle("patterns", "map")->expected(map.data);
        REQUIRE(there->size() == here.size());
        CHECK(there->at(0).argument == "y");
        CHECK(there->at(0).value.bytes == here[0].value.bytes);
        CHECK(there->at(0).value.shape == here[0].value.shape);
        CHECK(there->at(0).bound == here[0].bound);
    }
    CHECK(*oracles->verifies("patterns", "map") == std::optional(true));
    CHECK(*oracles->verifies("patterns", "gather") == std::optional(false));
    CHECK(*oracles->verifies("patterns", "juggle") == std::nullopt);
    CHECK_FALSE(oracles->expected("nowhere", Map(1).data));
}

TEST_CASE("outputs are verified there, too") {
    const Map map(1000);
    Broken oracles("refuse");
    CHECK(*oracles->verify("patterns", map.data, map.data.buffers) == "it is refused");
    CHECK(*oracles->verify("patterns", Map(1).data, map.data.buffers) == std::nullopt);
    Broken crashing("verify");
    const auto crashed = crashing->verify("patterns", map.data, map.data.buffers);
    REQUIRE_FALSE(crashed);
    CHECK(crashed.error().message == "crashes: Aborted (signal 6)");
}

TEST_CASE("an oracle that fails is told as its author's, and the next answer comes") {
    struct Row {
        const char* way;
        std::string_view message;
    };
    for (const Row& row : std::initializer_list<Row>{
             {"crash", "crashes: Aborted (signal 6), and says: row 7 is missing"},
             {"segfault", "crashes: Segmentation fault (signal 11)"},
             {"throw", "throws: no such row"},
             {"int", "throws: what is no std::exception"},
             {"exit", "ends its process with exit code 5"},
             {"type", "answers `y` with another type or size than the output's"},
             {"size", "answers `y` with another type or size than the output's"},
             {"name", "answers `nobody`, which is no output of the task"},
             {"input", "answers `x`, which is no output of the task"},
             {"twice", "answers `y` twice"},
             {"bound", "gives a bound for `y` that is no finite number from 0 on"},
             {"bounds", "gives 3 bounds for the 1000 elements of `y`"},
         }) {
        INFO(row.way);
        Broken oracles(row.way);
        const auto failed = oracles->expected("patterns", Map(1000).data);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().kind == ErrorKind::configuration);
        CHECK(failed.error().message == row.message);
        CHECK(oracles->expected("patterns", Map(10).data));
    }
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // no process is left behind
}

TEST_CASE("an oracle that hangs or takes all memory is ended") {
    Broken sleeping("sleep", {.wall_s = 0.5});
    const auto began = Clock::now();
    const auto hung = sleeping->expected("patterns", Map(1000).data);
    REQUIRE_FALSE(hung);
    CHECK(says(hung.error().message, "does not come back within 1 s"));
    CHECK(seconds_since(began) < 20);
    CHECK(sleeping->expected("patterns", Map(10).data));
#if !defined(__SANITIZE_ADDRESS__)
    Broken greedy("memory");
    const auto full = greedy->expected("patterns", Map(1000).data);
    REQUIRE_FALSE(full);
    CHECK(says(full.error().message, "throws: std::bad_alloc"));
#endif
}

TEST_CASE("several threads have a process each", "[threads]") {
    Broken oracles("throw");
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                const bool fails = (t + i) % 10 == 0;
                const auto answer = oracles->expected("patterns", Map(fails ? 1000 : 20 + i).data);
                if (answer.ok() == !fails &&
                    (fails || answer->at(0).value.size() == static_cast<std::size_t>(20 + i)))
                    ++right;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 200);
}

TEST_CASE("a process that is not there is an error of the installation") {
    Oracles none("/nowhere/oracles");
    const auto answer = none.expected("patterns", Map(1).data);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::harness);
    CHECK(answer.error().file == "/nowhere/oracles");
    Oracles silent("/bin/true");
    CHECK(says(silent.expected("patterns", Map(1).data).error().message, "exit code 0"));
}

TEST_CASE("the other end of a connection may neither state 3 GiB nor keep the grader waiting") {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    oracle::Writer writer(ends[0]);
    oracle::put(writer, std::uint64_t{3} << 30);
    writer.flush();
    const auto soon = [] { return Clock::now() + std::chrono::milliseconds(200); };
    std::string text;
    oracle::Reader bounded(ends[1], 1 << 20, soon());
    CHECK_THROWS_AS(oracle::take(bounded, text), oracle::Broken);
    CHECK(text.empty());
    // A length, and then nothing.
    oracle::put(writer, std::uint64_t{10});
    writer.flush();
    oracle::Reader patient(ends[1], 1 << 20, soon());
    CHECK_THROWS_AS(oracle::take(patient, text), oracle::Late);
    // No number is every truth value or type.
    oracle::put(writer, std::uint8_t{7});
    writer.flush();
    bool truth = false;
    oracle::Reader strict(ends[1], 1 << 20, soon());
    CHECK_THROWS_AS(oracle::take(strict, truth), oracle::Broken);
    oracle::put(writer, std::int32_t{4});
    writer.flush();
    Role role{};
    oracle::Reader stricter(ends[1], 1 << 20, soon());
    CHECK_THROWS_AS(oracle::take(stricter, role), oracle::Broken);
    // Nobody reads.
    oracle::Writer into_nothing(ends[0], soon());
    CHECK_THROWS_AS(oracle::put(into_nothing, std::string(64 << 20, 'x')), oracle::Late);
    ::close(ends[0]);
    ::close(ends[1]);
}
