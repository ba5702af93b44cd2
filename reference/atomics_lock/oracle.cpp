// Answers for the assignment `atomics_lock`.
//
// What does not depend on the order of the threads is computed and compared exactly. What does (old
// values, logs, receipts, list links) is verified: the outputs must be explained by one order in
// which every step was taken once and as a whole.
//
//   add_double        Values are positive, so per target each old value leads by an edge
//                     old -> old + value upwards from 0. The steps form one chain from 0 to the
//                     total exactly if the multiset {old} plus {total} equals {old + value} plus
//                     {0}: in a graph without cycles, a flow of one unit is a path. Multisets are
//                     compared by sums of 64-bit hashes, per target.
//
//   critical_section  The log must name each section once; the checksum must be that of the log.
//
//   transfers         Receipts give each account's transfers an order (its version) and a running
//                     balance; and the orders of all accounts together must have no cycle, or the
//                     two accounts of some transfer were not held at the same time (the criterion
//                     for serializability of a history: its precedence graph is acyclic). A
//                     pass over the transfers files what the receipts say under (account,
//                     version); one over the accounts adds the balances up and notes which transfer
//                     follows which; and a topological sort looks for a cycle in what it noted.
//
//   atomic_ops        Each list, followed from its head, must visit every index once and then end.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/case_data.hpp"

namespace cugrade::reference {
namespace {

using Outputs = std::map<std::string, Array, std::less<>>;

template <class T>
std::span<const T> output(const Outputs& outputs, std::string_view name) {
    return outputs.find(name)->second.as<T>();
}

Expected exact(const char* argument, DType type, std::size_t n) {
    return {argument, Array(type, {static_cast<std::int64_t>(n)}), {}};
}

// ---- add_double

std::vector<Expected> add_double(const CaseData& data) {
    const auto values = data["values"].as<double>();
    const auto targets = data["targets"].as<std::uint32_t>();
    Expected totals = exact("totals", DType::f64, static_cast<std::size_t>(data.size("m")));
    const auto sums = totals.value.as<double>();
    for (std::size_t i = 0; i < values.size(); ++i) sums[targets[i]] += values[i];
    return {std::move(totals)};
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a bijection that mixes all bits.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::uint64_t hash(double value) {
    value += 0.0;  // -0 becomes +0
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return mix(bits + 0x9e3779b97f4a7c15u);
}

std::optional<std::string> verify_add_double(const CaseData& data, const Outputs& outputs) {
    const auto values = data["values"].as<double>();
    const auto targets = data["targets"].as<std::uint32_t>();
    const auto totals = output<double>(outputs, "totals");
    const auto before = output<double>(outputs, "before");
    std::vector<std::uint64_t> balance(totals.size());  // hashes of ends minus hashes of starts
    for (std::size_t i = 0; i < values.size(); ++i) {
        balance[targets[i]] += hash(before[i] + values[i]) - hash(before[i]);
    }
    for (std::size_t t = 0; t < totals.size(); ++t) {
        if (std::isnan(totals[t])) continue;  // from the NaN on, old values tell nothing
        if (balance[t] != hash(totals[t]) - hash(0.0)) {
            return fmt::format(
                "the totals are right, but the values in `before` for target {} do not fit "
                "together: in some order, each must be the total that the one before it left. The "
                "function has to give back the value that its own compare-and-swap replaced",
                t);
        }
    }
    return std::nullopt;
}

// ---- critical_section

constexpr std::uint64_t checksum_multiplier = 6364136223846793005u;

std::vector<Expected> critical_section(const CaseData& data) {
    const auto values = data["values"].as<std::int32_t>();
    std::size_t place = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i] > values[place]) place = i;
    }
    Expected best = exact("best", DType::i64, 2);
    best.value.as<std::int64_t>()[0] = values[place];
    best.value.as<std::int64_t>()[1] = static_cast<std::int64_t>(place);
    return {std::move(best)};
}

std::optional<std::string> verify_critical_section(const CaseData& data, const Outputs& outputs) {
    const auto sections = static_cast<std::size_t>(data.size("sections"));
    const auto record = output<std::uint64_t>(outputs, "record");
    const auto order = output<std::uint32_t>(outputs, "order");
    if (record[0] != sections) {
        return fmt::format("record[0] counts {} entries, but {} sections have to enter", record[0],
                           sections);
    }
    std::vector<bool> entered(sections);
    std::uint64_t checksum = 0;
    for (std::size_t i = 0; i < sections; ++i) {
        const std::uint32_t s = order[i];
        if (s >= sections) return fmt::format("order[{}] is {}, which is no section", i, s);
        if (entered[s]) {
            return fmt::format("order[{}] is {}, a section that has entered before", i, s);
        }
        entered[s] = true;
        checksum = checksum * checksum_multiplier + (s + std::uint64_t{1});
    }
    if (record[1] != checksum) {
        return "the checksum in record[1] is not that of the entries in `order`: two threads were "
               "in the critical section at once, or not all of the update is inside it";
    }
    return std::nullopt;
}

// ---- transfers

std::vector<Expected> transfers(const CaseData& data) {
    const auto from = data["from"].as<std::uint32_t>();
    const auto to = data["to"].as<std::uint32_t>();
    const auto amount = data["amount"].as<std::int64_t>();
    const auto opening = data["opening"].as<std::int64_t>();
    Expected balance = exact("balance", DType::i64, opening.size());
    Expected version = exact("version", DType::u64, opening.size());
    balance.value = data["opening"];
    const auto balances = balance.value.as<std::int64_t>();
    const auto versions = version.value.as<std::uint64_t>();
    for (std::size_t i = 0; i < amount.size(); ++i) {
        balances[from[i]] -= amount[i];
        balances[to[i]] += amount[i];
        ++versions[from[i]];
        if (to[i] != from[i]) ++versions[to[i]];
    }
    return {std::move(balance), std::move(version)};
}

/// What a transfer added to one of its accounts, and the balance that its receipt says this made.
struct Change {
    std::int64_t amount, balance;
};

/// Transfer i has two halves: 2 * i at the payer's account, 2 * i + 1 at the payee's; one from an
/// account to itself has only the first. `Index` has to hold every half and one number more. Nearly
/// all of the time are cache misses, so a narrow one pays.
template <class Index>
std::optional<std::string> verify_receipts(const CaseData& data, const Outputs& outputs) {
    const auto from = data["from"].as<std::uint32_t>();
    const auto to = data["to"].as<std::uint32_t>();
    const auto amount = data["amount"].as<std::int64_t>();
    const auto opening = data["opening"].as<std::int64_t>();
    const auto version = output<std::uint64_t>(outputs, "version");  // right: compared before
    const auto receipt = output<std::int64_t>(outputs, "receipt");
    const std::size_t n = amount.size();

    // In slot begin[a] + v - 1: which half gave account a its version v, and what it did.
    std::vector<Index> begin(opening.size() + 1);
    for (std::size_t a = 0; a < opening.size(); ++a) {
        begin[a + 1] = begin[a] + static_cast<Index>(version[a]);
    }
    constexpr Index nobody = std::numeric_limits<Index>::max();
    std::vector<Index> history(begin.back(), nobody);
    const auto changes = std::make_unique_for_overwrite<Change[]>(begin.back());
    std::vector<std::uint8_t> waits_for(n);  // how many transfers come right before it
    const auto enter = [&](std::size_t i, std::size_t side, std::uint32_t account,
                           std::int64_t change) {
        const auto v = static_cast<std::uint64_t>(receipt[4 * i + side]);
        if (v < 1 || v > begin[account + 1] - begin[account]) return false;
        const std::size_t slot = begin[account] + v - 1;
        if (history[slot] != nobody) return false;
        history[slot] = static_cast<Index>(2 * i + side);
        changes[slot] = {change, receipt[4 * i + 2 + side]};
        waits_for[i] += v > 1;
        return true;
    };
    for (std::size_t i = 0; i < n; ++i) {
        const bool to_self = from[i] == to[i];
        if (to_self &&
            (receipt[4 * i] != receipt[4 * i + 1] || receipt[4 * i + 2] != receipt[4 * i + 3])) {
            return fmt::format(
                "receipt {} is of a transfer from account {} to itself, but its halves differ", i,
                from[i]);
        }
        const bool payer_fits = enter(i, 0, from[i], to_self ? 0 : -amount[i]);
        if (!payer_fits || (!to_self && !enter(i, 1, to[i], amount[i]))) {
            return fmt::format(
                "receipt {} says that account {} has version {} now, but that is outside 1 to "
                "{} or the version of another transfer too: two threads held the account at once",
                i, payer_fits ? to[i] : from[i],
                static_cast<std::uint64_t>(receipt[4 * i + (payer_fits ? 1 : 0)]),
                version[payer_fits ? to[i] : from[i]]);
        }
    }

    // Now no slot is free: there are as many as halves. following[half] is the transfer that has
    // that half's account next.
    std::vector<Index> following(2 * n, nobody);
    for (std::size_t a = 0; a < opening.size(); ++a) {
        std::int64_t balance = opening[a];
        for (std::size_t slot = begin[a]; slot < begin[a + 1]; ++slot) {
            balance += changes[slot].amount;
            if (changes[slot].balance != balance) {
                return fmt::format(
                    "receipt {} gives account {} a balance of {} at version {}; the transfers up "
                    "to that version make it {}: balance and version were not updated as one",
                    history[slot] / 2, a, changes[slot].balance, slot - begin[a] + 1, balance);
            }
            if (slot > begin[a]) following[history[slot - 1]] = history[slot] / 2;
        }
    }

    // Kahn's topological sort: a transfer is ready when it is the next one on both accounts. First
    // in, first out: neighbours, which share cache lines, become ready at about the same time.
    std::vector<Index> ready;
    ready.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (waits_for[i] == 0) ready.push_back(static_cast<Index>(i));
    }
    for (std::size_t done = 0; done < ready.size(); ++done) {
        const std::size_t payer = 2 * std::size_t{ready[done]};
        for (const std::size_t half : {payer, payer + 1}) {
            const Index next = following[half];
            if (next != nobody && --waits_for[next] == 0) ready.push_back(next);
        }
    }
    if (ready.size() != n) {
        return "every account's own history is right, but no single order of the transfers "
               "explains all of them: some transfer let go of one account before it had changed "
               "the other. Both locks have to be held together";
    }
    return std::nullopt;
}

std::optional<std::string> verify_transfers(const CaseData& data, const Outputs& outputs) {
    const bool narrow = data["amount"].size() < std::numeric_limits<std::uint32_t>::max() / 2;
    return narrow ? verify_receipts<std::uint32_t>(data, outputs)
                  : verify_receipts<std::uint64_t>(data, outputs);
}

// ---- atomic_ops

/// The ten results, for words of either width.
template <class T>
void fold(std::span<const T> words, std::uint64_t limit, std::span<T> result) {
    T add = 0, min = static_cast<T>(~T{0}), max = 0, all = static_cast<T>(~T{0}), any = 0, odd = 0,
      product = 1;
    for (const T a : words) {
        add += a;
        min = std::min(min, a);
        max = std::max(max, a);
        all &= a;
        any |= a;
        odd ^= a;
        product *= a | 1u;
    }
    const std::uint64_t cycle = limit + 1, steps = words.size() % cycle;
    const T minus = static_cast<T>(T{0} - add), up = static_cast<T>(steps),
            down = static_cast<T>(steps == 0 ? 0 : cycle - steps);
    const T results[10] = {add, minus, up, down, min, max, all, any, odd, product};
    std::copy(std::begin(results), std::end(results), result.begin());
}

std::vector<Expected> atomic_ops(const CaseData& data) {
    Expected result32 = exact("result32", DType::u32, 10);
    Expected result64 = exact("result64", DType::u64, 10);
    const auto limit = static_cast<std::uint64_t>(data.size("limit"));
    fold(data["words"].as<std::uint32_t>(), limit, result32.value.as<std::uint32_t>());
    fold(data["longs"].as<std::uint64_t>(), limit, result64.value.as<std::uint64_t>());
    return {std::move(result32), std::move(result64)};
}

template <class T>
std::optional<std::string> follow(const Outputs& outputs, const char* width, std::size_t n) {
    const auto next = output<T>(outputs, fmt::format("next{}", width));
    T at = output<T>(outputs, fmt::format("head{}", width))[0];
    std::vector<bool> visited(n);
    for (std::size_t step = 0; step < n; ++step) {
        if (at >= n || visited[at]) {
            return fmt::format("the list from head{} {} after {} of {} nodes", width,
                               at >= n ? "ends" : "runs in a circle", step, n);
        }
        visited[at] = true;
        at = next[at];
    }
    if (at != static_cast<T>(~T{0})) {
        return fmt::format("the list from head{} does not end with all ones after its {} nodes",
                           width, n);
    }
    return std::nullopt;
}

std::optional<std::string> verify_atomic_ops(const CaseData& data, const Outputs& outputs) {
    const std::size_t n = data["words"].size();
    if (auto wrong = follow<std::uint32_t>(outputs, "32", n)) return wrong;
    return follow<std::uint64_t>(outputs, "64", n);
}

}  // namespace

AssignmentOracle oracle_atomics_lock() {
    return {"atomics_lock",
            {{"add_double", add_double, verify_add_double},
             {"critical_section", critical_section, verify_critical_section},
             {"transfers", transfers, verify_transfers},
             {"atomic_ops", atomic_ops, verify_atomic_ops}}};
}

}  // namespace cugrade::reference
