// Outputs with many right answers, of the assignment atomics_lock: a serial execution in any order
// must be accepted, and the same with any one element changed must not. What is wrong with receipts
// of transfers is told.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "catch.hpp"
#include "config/load.hpp"
#include "datasets/random.hpp"
#include "judging/case.hpp"
#include "judging/compare.hpp"
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

namespace {

/// Four transfers among three accounts, with the outputs of a serial execution in order of index.
struct Ledger {
    CaseData data;
    Outputs out;

    Ledger() {
        add<std::uint32_t>(data.buffers, "from", DType::u32, {4}, {0, 1, 2, 1});
        add<std::uint32_t>(data.buffers, "to", DType::u32, {4}, {1, 2, 2, 0});
        add<std::int64_t>(data.buffers, "amount", DType::i64, {4}, {10, 20, 5, 30});
        add<std::int64_t>(data.buffers, "opening", DType::i64, {3}, {100, 200, 300});
        add<std::int64_t>(out, "balance", DType::i64, {3}, {});
        add<std::uint64_t>(out, "version", DType::u64, {3}, {});
        add<std::int64_t>(out, "receipt", DType::i64, {4, 4}, {});
        transfers(data, order_of(4, 0), out);
        CHECK(verdict().empty());
    }
    /// Sets receipt `i`: the versions of payer and payee, then their balances.
    void say(std::size_t i, const std::vector<std::int64_t>& receipt) {
        std::ranges::copy(receipt, out["receipt"].as<std::int64_t>().subspan(4 * i).begin());
    }
    std::string verdict() {
        return reference::find_oracle("atomics_lock", "transfers")->verify(data, out).value_or("");
    }

private:
    template <class T>
    static void add(Outputs& to, const char* name, DType type, std::vector<std::int64_t> shape,
                    const std::vector<T>& values) {
        Array& array = to[name] = Array(type, std::move(shape));
        std::ranges::copy(values, array.as<T>().begin());
    }
};

std::string no_such_version(int receipt, int account, std::uint64_t version, int versions) {
    return fmt::format(
        "receipt {} says that account {} has version {} now, but that is outside 1 to {} or the "
        "version of another transfer too: two threads held the account at once",
        receipt, account, version, versions);
}

}  // namespace

TEST_CASE_METHOD(Ledger, "transfers: both halves of a transfer to the same account are the same") {
    const char* message =
        "receipt 2 is of a transfer from account 2 to itself, but its halves differ";
    say(2, {2, 1, 320, 320});
    CHECK(verdict() == message);
    say(2, {2, 2, 320, 321});
    CHECK(verdict() == message);
}

TEST_CASE_METHOD(Ledger, "transfers: each version of an account is that of one transfer") {
    say(1, {0, 1, 190, 320});
    CHECK(verdict() == no_such_version(1, 1, 0, 3));
    say(1, {4, 1, 190, 320});
    CHECK(verdict() == no_such_version(1, 1, 4, 3));
    say(1, {-1, 1, 190, 320});
    CHECK(verdict() == no_such_version(1, 1, ~std::uint64_t{0}, 3));
    say(1, {2, 3, 190, 320});
    CHECK(verdict() == no_such_version(1, 2, 3, 2));
    say(1, {2, 1, 190, 320});
    say(3, {3, 1, 160, 120});
    CHECK(verdict() == no_such_version(3, 0, 1, 2));
    say(3, {2, 2, 160, 120});
    CHECK(verdict() == no_such_version(3, 1, 2, 3));
    say(3, {3, 2, 160, 120});
    say(2, {1, 1, 320, 320});
    CHECK(verdict() == no_such_version(2, 2, 1, 2));
}

TEST_CASE_METHOD(Ledger, "transfers: balances are those that the transfers up to them make") {
    const auto message = [](int receipt, int account, int balance, int version, int right) {
        return fmt::format(
            "receipt {} gives account {} a balance of {} at version {}; the transfers up to that "
            "version make it {}: balance and version were not updated as one",
            receipt, account, balance, version, right);
    };
    say(3, {3, 2, 161, 120});
    CHECK(verdict() == message(3, 1, 161, 3, 160));
    say(3, {3, 2, 160, 119});
    CHECK(verdict() == message(3, 0, 119, 2, 120));
    say(3, {3, 2, 160, 120});
    say(2, {2, 2, 315, 315});
    CHECK(verdict() == message(2, 2, 315, 2, 320));
    // As if what receipt 1 says of account 1 were from before receipt 0.
    say(2, {2, 2, 320, 320});
    say(0, {1, 2, 90, 210});
    say(1, {1, 1, 190, 320});
    CHECK(verdict() == message(1, 1, 190, 1, 180));
}

TEST_CASE_METHOD(Ledger, "transfers: one order explains the histories of all accounts") {
    // The last transfer came before the first one on account 0 and after it on account 1.
    say(3, {3, 1, 160, 130});
    say(0, {2, 1, 120, 210});
    CHECK(verdict() ==
          "every account's own history is right, but no single order of the transfers explains all "
          "of them: some transfer let go of one account before it had changed the other. Both "
          "locks have to be held together");
}
