// Outputs with many right answers, of the assignment atomics_lock: a serial execution in any order
// must be accepted, and the same with any one element changed must not.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "catch.hpp"
#include "config/load.hpp"
#include "datasets/random.hpp"
#include "grader/compare.hpp"
#include "grader/pipeline.hpp"
#include "oracles.hpp"

using namespace cugrade;

namespace {

using Outputs = std::map<std::string, Array, std::less<>>;
using Order = std::vector<std::size_t>;

/// What interface.cuh says that a step does, for all steps in this order.
void add_double(const CaseData& data, const Order& order, Outputs& out) {
    for (const std::size_t i : order) {
        double& total = out["totals"].as<double>()[data["targets"].as<std::uint32_t>()[i]];
        out["before"].as<double>()[i] = total;
        total += data["values"].as<double>()[i];
    }
}

void critical_section(const CaseData& data, const Order& order, Outputs& out) {
    const auto record = out["record"].as<std::uint64_t>();
    for (const std::size_t s : order) {
        out["order"].as<std::uint32_t>()[record[0]++] = static_cast<std::uint32_t>(s);
        record[1] = record[1] * 6364136223846793005u + s + 1;
    }
    const auto values = data["values"].as<std::int32_t>();
    const auto best = std::ranges::max_element(values);
    out["best"].as<std::int64_t>()[0] = *best;
    out["best"].as<std::int64_t>()[1] = best - values.begin();
}

void transfers(const CaseData& data, const Order& order, Outputs& out) {
    const auto balance = out["balance"].as<std::int64_t>();
    const auto version = out["version"].as<std::uint64_t>();
    std::ranges::copy(data["opening"].as<std::int64_t>(), balance.begin());
    for (const std::size_t i : order) {
        const std::size_t from = data["from"].as<std::uint32_t>()[i];
        const std::size_t to = data["to"].as<std::uint32_t>()[i];
        balance[from] -= data["amount"].as<std::int64_t>()[i];
        balance[to] += data["amount"].as<std::int64_t>()[i];
        ++version[from];
        if (to != from) ++version[to];
        const auto receipt = out["receipt"].as<std::int64_t>().subspan(4 * i, 4);
        receipt[0] = static_cast<std::int64_t>(version[from]);
        receipt[1] = static_cast<std::int64_t>(version[to]);
        receipt[2] = balance[from];
        receipt[3] = balance[to];
    }
}

/// The lists only; the results do not depend on the order and are compared with the oracle's.
void atomic_ops(const CaseData&, const Order& order, Outputs& out) {
    out["head32"].as<std::uint32_t>()[0] = ~std::uint32_t{0};
    out["head64"].as<std::uint64_t>()[0] = ~std::uint64_t{0};
    for (const std::size_t i : order) {
        out["next32"].as<std::uint32_t>()[i] = out["head32"].as<std::uint32_t>()[0];
        out["head32"].as<std::uint32_t>()[0] = static_cast<std::uint32_t>(i);
        out["next64"].as<std::uint64_t>()[i] = out["head64"].as<std::uint64_t>()[0];
        out["head64"].as<std::uint64_t>()[0] = i;
    }
}

struct Witness {
    std::string_view task;
    void (*run)(const CaseData&, const Order&, Outputs&);
    std::string steps;                      ///< the argument with one row per step
    std::vector<std::string> free_outputs;  ///< those that depend on the order
};
const std::vector<Witness> witnesses{
    {"add_double", add_double, "values", {"before"}},
    {"critical_section", critical_section, "values", {"record", "order"}},
    {"transfers", transfers, "amount", {"receipt"}},
    {"atomic_ops", atomic_ops, "words", {"head32", "head64", "next32", "next64"}},
};

Order order_of(std::size_t n, int kind) {
    Order out(n);
    std::iota(out.begin(), out.end(), std::size_t{0});
    if (kind == 1) std::ranges::reverse(out);
    if (kind == 2)
        for (std::size_t i = n; i > 1; --i)
            std::swap(out[i - 1], out[datasets::scale(datasets::random(5, i), i)]);
    return out;
}

}  // namespace

TEST_CASE("verified outputs: every serial order is right, and no single element may change") {
    const auto assignment = config::load_assignment(CUGRADE_SOURCE_DIR "/assignments/atomics_lock");
    if (!assignment) FAIL(assignment.error().text());
    const auto& oracles = reference::oracles();
    const auto oracle = std::ranges::find(oracles, assignment->id, &AssignmentOracle::assignment);
    REQUIRE(oracle != oracles.end());
    for (const TaskOracle& entry : oracle->tasks) {
        if (entry.verify == nullptr) continue;
        const auto witness = std::ranges::find(witnesses, entry.task, &Witness::task);
        REQUIRE(witness != witnesses.end());
        const auto task = std::ranges::find(assignment->tasks, entry.task, &TaskSpec::name);
        REQUIRE(task != assignment->tasks.end());
        std::int64_t changes = 0;
        for (const CaseSpec& spec : task->cases) {
            if (spec.needs_gpu) continue;
            INFO(entry.task << " case " << spec.id);
            const auto data = make_case(*assignment, *task, spec, {});
            if (!data) FAIL(data.error().text());
            const auto expected = entry.expected(*data);
            const auto n = static_cast<std::size_t>((*data)[witness->steps].shape[0]);
            for (int kind = 0; kind < 3; ++kind) {
                Outputs out;
                for (const ArgumentSpec& argument : task->arguments)
                    if (argument.role == Role::output) out[argument.name] = (*data)[argument.name];
                for (const Expected& answer : expected)
                    if (witness->task == "atomic_ops") out[answer.argument] = answer.value;
                witness->run(*data, order_of(n, kind), out);
                for (const Expected& answer : expected) {
                    const Array& got = out[answer.argument];
                    CHECK(compare(answer, got, got).verdict == Verdict::accepted);
                }
                const auto wrong = entry.verify(*data, out);
                INFO(wrong.value_or("") << " in order " << kind);
                CHECK_FALSE(wrong.has_value());
                if (kind == 0) continue;
                for (const std::string& name : witness->free_outputs) {
                    Array& array = out[name];
                    const std::size_t width = size_of(array.dtype);
                    for (std::size_t k = 0; k < std::min<std::size_t>(array.size(), 40); ++k) {
                        const std::size_t i =
                            datasets::scale(datasets::random(k, kind), array.size());
                        if (name == "before") {
                            // Once a total is NaN, old values say nothing any more.
                            const auto target = (*data)["targets"].as<std::uint32_t>()[i];
                            if (std::isnan(out["totals"].as<double>()[target])) continue;
                        }
                        for (const std::size_t byte : {std::size_t{0}, width - 1}) {
                            std::byte& b = array.bytes[i * width + byte];
                            const std::byte before = b;
                            b ^= byte == 0 ? std::byte{1} : std::byte{0x40};
                            const bool zero =
                                is_float(array.dtype) && std::abs(array.number(i)) < 1e-300;
                            if (!zero && !entry.verify(*data, out))
                                FAIL_CHECK(name << "[" << i << "] changed to " << array.text(i)
                                                << " is accepted");
                            ++changes;
                            b = before;
                        }
                    }
                }
            }
        }
        CHECK(changes > 100);
    }
}
