#include "timing/timed_sets.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "gpu/device/sets.hpp"

namespace cugrade {
namespace {

CaseData data_of(const CaseData& base, std::uint64_t round, std::uint32_t set) {
    CaseData out = base;
    for (const TableColumn& column : table_columns(*base.task, base)) {
        if (column.rows == 0) continue;
        const auto map =
            device::table_map(device::table_seed(round, set, column.table), column.rows);
        const std::byte* const from = column.data->bytes.data();
        std::byte* const to = out.buffers.find(column.spec->name)->second.bytes.data();
        const std::uint64_t granule = map.granule * column.row_bytes;
        for (std::uint64_t g = 0; g < map.granules.count; ++g)
            std::memcpy(to + g * granule, from + map.granules.source(g) * granule, granule);
        for (std::uint32_t i = 0; i < map.replaced; ++i) {
            if (!map.counts(i)) continue;
            const auto replacement = map.replacement(i);
            std::memcpy(to + replacement.to * column.row_bytes,
                        from + replacement.from * column.row_bytes, column.row_bytes);
        }
    }
    return out;
}

/// What the outputs of the call that are compared with `expected` held before it, all of which the
/// same key has filled.
Outputs poison_of(const CaseData& data, const std::vector<Expected>& expected, std::uint64_t key,
                  std::uint32_t call) {
    Outputs out;
    for (const TableColumn& column : table_columns(*data.task, data)) {
        const auto compared = std::ranges::find(expected, column.spec->name, &Expected::argument);
        if (column.spec->role != Role::output || compared == expected.end()) continue;
        Array array(column.data->dtype, column.data->shape);
        const std::uint64_t from =  // a multiple of 8
            device::Blocks::of(array.bytes.size(), call + std::uint32_t{1}).offset(call);
        for (std::size_t i = 0; i < array.bytes.size(); i += 8) {
            const std::uint64_t word = device::poison_word(key, (from + i) / 8);
            std::memcpy(array.bytes.data() + i, &word,
                        std::min<std::size_t>(8, array.bytes.size() - i));
        }
        out.emplace(column.spec->name, std::move(array));
    }
    return out;
}

}  // namespace

std::vector<TableColumn> table_columns(const TaskSpec& task, const CaseData& data) {
    std::vector<TableColumn> out;
    std::vector<std::string> tables;
    for (const ArgumentSpec& argument : task.arguments) {
        if (argument.role == Role::scalar) continue;
        TableColumn& column = out.emplace_back();
        column.spec = &argument;
        column.data = &data[argument.name];
        if (argument.role == Role::output || column.data->bytes.empty()) continue;
        column.rows = static_cast<std::uint64_t>(column.data->shape.front());
        column.row_bytes = column.data->bytes.size() / column.rows;
        const auto found = std::ranges::find(tables, argument.shape.front());
        column.table = static_cast<std::size_t>(found - tables.begin());
        if (found == tables.end()) tables.push_back(argument.shape.front());
    }
    return out;
}

Result<CallOutcome> judge_set(const AssignmentSpec& assignment, const CaseData& base,
                              const TimedSet& timed) {
    const CaseData data = data_of(base, timed.round, timed.set);
    auto expected = expected_answer(assignment, data);
    if (!expected) return expected.error();
    const auto judged =
        judge_outputs(assignment, data, *expected,
                      poison_of(base, *expected, timed.poison, timed.call), timed.outputs,
                      Judging::verdict_alone);
    if (!judged) return judged.error();
    CallOutcome out;
    out.verdict = judged->verdict;
    out.message = judged->hidden_message;  // sets are as secret as hidden cases
    return out;
}

}  // namespace cugrade
