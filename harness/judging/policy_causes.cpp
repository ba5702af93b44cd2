// Cases that fail with one value of a policy alone, such as that for what lies outside of the data,
// and where the source decides about it.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "judging/cause_places.hpp"

namespace cugrade {
namespace {

using Function = SourceCode::Function;

std::string sizes_of(const CaseSpec& spec, std::string_view without) {
    std::string all;
    for (const auto& [name, value] : spec.params)
        if (name != without) all += fmt::format("{}={} ", name, value);
    return all;
}

}  // namespace

/// What a function does for one value of a policy: from where it asks for it, or else from behind
/// the last other value that it asks for, on.
void CodeOfTask::place_policy(std::string_view name, double value, Cause& cause) const {
    const auto narrow = [&](const SourceCode& code, const Function& f) {
        const auto& t = code.tokens();
        int asked = 0, last = 0;
        for (std::size_t i = f.open; i + 2 < f.close; ++i) {
            const bool is_case = t[i].text == "case" && t[i + 2].text == ":";
            const bool compares = t[i].text == name && is_any(t[i + 1].text, {"==", "!="});
            if (!is_case && !compares) continue;
            const std::size_t at = i + (is_case ? 1 : 2);
            const bool is_zero = t[at].text == "0";
            const long number = code.number_of({at, at + 1}, t[at].line);
            if (number == 0 && !is_zero) continue;
            last = t[i].line;
            if (asked == 0 && static_cast<double>(number) == value) asked = t[i].line;
        }
        if (last == 0) return false;
        cause.location = {code.file(), asked > 0 ? asked : last + 1, 0};
        cause.end_line = t[f.close].line;
        return cause.location.line <= cause.end_line;
    };
    if (place_at_specialisation(value, cause)) return;
    // The function that makes the index of what fails.
    if (const SourceCode* code = code_at(cause.location)) {
        std::vector<int> lines{cause.location.line};
        const auto [first, last] = code->tokens_of_line(cause.location.line);
        for (std::size_t i = first; i < last; ++i)
            if (is_name(code->tokens()[i]))
                lines.push_back(code->origin_of(code->tokens()[i].text, cause.location.line));
        for (const int line : lines) {
            const auto range = code->tokens_of_line(line);
            for (std::size_t i = range.first; i < range.last; ++i)
                for (const Function& f : code->functions()) {
                    if (f.name != code->tokens()[i].text || f.close >= code->tokens().size() ||
                        f.at == i)
                        continue;
                    if (narrow(*code, f)) return;
                    cause.location.line = code->tokens()[f.at].line;
                    cause.end_line = code->tokens()[f.close].line;
                    return;
                }
        }
        return;
    }
    for (const SourceCode& code : code_)
        for (const Function* f : code.reached_from(task_.function))
            if (std::ranges::find(f->parameters, name) != f->parameters.end() && narrow(code, *f))
                return;
    place_at_choice(cause);
}

/// `template <> __device__ int source<2>(int k, int n)`, for the value 2.
bool CodeOfTask::place_at_specialisation(double value, Cause& cause) const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (std::size_t i = 0; i + 2 < t.size(); ++i) {
            if (t[i].text != "template" || t[i + 1].text != "<" || t[i + 2].text != ">") continue;
            std::size_t k = i + 3;
            while (k + 3 < t.size() && !is_any(t[k].text, {"{", ";", "<"})) ++k;
            if (t[k].text != "<" || t[k + 2].text != ">" ||
                static_cast<double>(code.number_of({k + 1, k + 2}, t[k].line)) != value)
                continue;
            while (k < t.size() && t[k].text != "{") ++k;
            if (k >= t.size()) return false;
            cause.location = {code.file(), t[i].line, 0};
            cause.end_line = t[code.match(k)].line;
            return true;
        }
    }
    return false;
}

/// The only function that compares one name with several numbers or enumerators.
void CodeOfTask::place_at_choice(Cause& cause) const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        const Function* found = nullptr;
        for (const Function* f : code.reached_from(task_.function)) {
            std::map<std::string_view, std::set<std::string_view>> compared;
            for (std::size_t i = f->open; i + 4 < f->close; ++i)
                if (t[i].text == "case")
                    compared[t[i].text].insert(t[i + 2].text == "::" ? t[i + 3].text
                                                                     : t[i + 1].text);
                else if (is_name(t[i]) && is_any(t[i + 1].text, {"==", "!="}))
                    compared[t[i].text].insert(t[i + 3].text == "::" ? t[i + 4].text
                                                                     : t[i + 2].text);
            if (std::ranges::none_of(compared,
                                     [](const auto& one) { return one.second.size() > 1; }))
                continue;
            if (found != nullptr) return;
            found = f;
        }
        if (found == nullptr) continue;
        cause.location = {code.file(), t[found->at].line, 0};
        cause.end_line = t[found->close].line;
    }
}

/// The same case with another value of a policy is right.
std::optional<Cause> CodeOfTask::policy(const Symptoms& e, const TaskOutcome& outcome) const {
    if (e.has(Verdict::unwritten_output)) return {};
    for (const ArgumentSpec& argument : task_.arguments) {
        if (argument.role != Role::scalar || is_float(argument.dtype)) continue;
        std::set<double> failing, values;
        for (const CaseSpec& spec : task_.cases)
            if (const auto it = spec.params.find(argument.name); it != spec.params.end())
                values.insert(it->second);
        if (values.size() < 2 || values.size() > 4 || *values.rbegin() >= 8) continue;
        int with_twin = 0;
        for (const CaseOutcome* one : e.failing) {
            const auto spec = std::ranges::find(task_.cases, one->id, &CaseSpec::id);
            if (spec == task_.cases.end()) continue;
            failing.insert(spec->params.at(argument.name));
            for (const CaseOutcome& other : outcome.cases) {
                const auto twin = std::ranges::find(task_.cases, other.id, &CaseSpec::id);
                if (other.verdict == Verdict::accepted && twin != task_.cases.end() &&
                    twin->params.at(argument.name) != spec->params.at(argument.name) &&
                    sizes_of(*twin, argument.name) == sizes_of(*spec, argument.name))
                    ++with_twin;
            }
        }
        if (failing.size() != 1 || with_twin == 0) continue;
        Cause cause{.id = "ghost_policy"};
        cause.sentence = fmt::format(
            "Only cases with {} = {} fail, and the same sizes are right with another value: what "
            "lies outside of the data is found wrongly for it.",
            argument.name, *failing.begin());
        cause.advice = fmt::format("Compare what is done for {} = {} with the rule of the task.",
                                   argument.name, *failing.begin());
        cause.explains = {"out_of_bounds"};
        for (const CaseOutcome* one : e.failing) {
            cause.cases.push_back(one->id);
            if (cause.location.line != 0 || !one->location) continue;
            cause.location = *one->location;
            cause.location.column = 0;
        }
        place_policy(argument.name, *failing.begin(), cause);
        return cause;
    }
    return {};
}

}  // namespace cugrade
