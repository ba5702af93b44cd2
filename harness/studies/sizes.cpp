#include "studies/sizes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace cugrade {
namespace {

constexpr std::uint64_t largest_size = std::uint64_t{1} << 36;
constexpr std::size_t most_sizes = 200;

Error not_a_size(std::string_view text) {
    return {.kind = ErrorKind::usage,
            .message = fmt::format("`{}` is no size from 1 to 2^36", text),
            .key = "--sizes",
            .remedy = "write numbers, powers and ranges: 2^1..2^30, or 1000,10^4..10^6"};
}

struct Size {
    std::uint64_t value = 0;
    std::uint64_t base = 0;  ///< of a power; 0: a plain number
};

bool read_number(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

Result<Size> read_size(std::string_view text) {
    Size out;
    std::uint64_t exponent = 1;
    const std::size_t caret = text.find('^');
    if (!read_number(text.substr(0, caret), out.value)) return not_a_size(text);
    if (caret != std::string_view::npos) {
        if (!read_number(text.substr(caret + 1), exponent) || exponent > 64 || out.value < 2)
            return not_a_size(text);
        out.base = out.value;
        out.value = 1;
        for (std::uint64_t i = 0; i < exponent; ++i) {
            if (out.value > largest_size / out.base) return not_a_size(text);
            out.value *= out.base;
        }
    }
    if (out.value < 1 || out.value > largest_size) return not_a_size(text);
    return out;
}

}  // namespace

Result<std::vector<std::uint64_t>> parse_sizes(std::string_view text) {
    std::set<std::uint64_t> all;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string_view item = text.substr(at, comma - at);
        at = comma + 1;
        const std::size_t dots = item.find("..");
        auto first = read_size(item.substr(0, dots));
        if (!first) return first.error();
        if (dots == std::string_view::npos) {
            all.insert(first->value);
            continue;
        }
        auto last = read_size(item.substr(dots + 2));
        if (!last) return last.error();
        if (last->value < first->value)
            return Error{.kind = ErrorKind::usage,
                         .message = fmt::format("the range `{}` goes down", item),
                         .key = "--sizes",
                         .remedy = "write the smaller size first"};
        const std::uint64_t factor =
            first->base != 0 && first->base == last->base ? first->base : 2;
        for (std::uint64_t n = first->value; n <= last->value; n *= factor) {
            all.insert(n);
            if (n > largest_size / factor) break;
        }
    }
    if (all.size() > most_sizes)
        return Error{.kind = ErrorKind::usage,
                     .message = fmt::format("that is {} sizes", all.size()),
                     .key = "--sizes",
                     .remedy = fmt::format("give {} at most", most_sizes)};
    return std::vector<std::uint64_t>(all.begin(), all.end());
}

Result<SizedCases> SizedCases::of(const AssignmentSpec& assignment, const TaskSpec& task) {
    const auto failed = [&](std::string message, std::string remedy) {
        return Error{.kind = ErrorKind::configuration,
                     .message = std::move(message),
                     .file = (assignment.folder / "assignment.yaml").string(),
                     .key = fmt::format("tasks.{}", task.name),
                     .remedy = std::move(remedy)};
    };
    SizedCases out;
    const CaseSpec* timed = task.timed_case();
    if (timed == nullptr)
        return failed("the task has no timed case to make larger and smaller",
                      "mark a case `timed: true`");
    out.timed_ = timed;
    for (const auto& [name, data] : timed->data)
        if (data.generator == "file")
            return failed(fmt::format("`{}` of the timed case is a file, which has one size", name),
                          "let a generator make it");
    for (const ArgumentSpec& argument : task.arguments)
        if (argument.role != Role::scalar &&
            (out.argument_ == nullptr ||
             elements_of(argument, *timed) > elements_of(*out.argument_, *timed)))
            out.argument_ = &argument;
    if (out.argument_ == nullptr) return failed("the task has no array", "add one");

    const CaseSpec* small = task.model.size() == 2 ? &task.model[0] : nullptr;
    const CaseSpec* larger = small != nullptr ? &task.model[1] : nullptr;
    for (const auto& [name, value] : timed->params) {
        const bool named =
            std::ranges::find(out.argument_->shape, name) != out.argument_->shape.end();
        if (small != nullptr ? small->params.at(name) != larger->params.at(name) : named)
            out.sizes_.push_back(name);
    }
    if (std::ranges::none_of(out.argument_->shape, [&](const std::string& dimension) {
            return std::ranges::find(out.sizes_, dimension) != out.sizes_.end();
        }))
        return failed(fmt::format("no parameter is the size of `{}`, the largest argument",
                                  out.argument_->name),
                      "give the two cases under `model` different sizes, or name one in its shape");
    if (small == nullptr) return out;
    for (const auto& [name, data] : timed->data)
        for (const auto& [key, value] : data.numbers) {
            const auto in = [&, &argument = name, &number = key](const CaseSpec& spec) {
                const auto& numbers = spec.data.at(argument).numbers;
                const auto found = numbers.find(number);
                return found == numbers.end() ? std::nan("") : found->second;
            };
            const double at_small = in(*small), at_larger = in(*larger);
            if (at_small == at_larger) continue;
            const auto size = std::ranges::find_if(out.sizes_, [&](const std::string& s) {
                const double offset = value - timed->params.at(s);
                return at_small - small->params.at(s) == offset &&
                       at_larger - larger->params.at(s) == offset;
            });
            if (size == out.sizes_.end())
                return failed(
                    fmt::format("`{}` of `{}` changes with the size of the cases under `model`, "
                                "and it is not clear how",
                                key, name),
                    "make it a size plus or minus a constant in them and in the timed case");
            out.follows_.push_back({.argument = name,
                                    .key = key,
                                    .size = *size,
                                    .offset = value - timed->params.at(*size)});
        }
    return out;
}

CaseSpec SizedCases::with(std::uint64_t n) const {
    CaseSpec out = *timed_;
    const auto dimensions = std::ranges::count_if(argument_->shape, [&](const std::string& d) {
        return std::ranges::find(sizes_, d) != sizes_.end();
    });
    const double factor = std::pow(static_cast<double>(n) / elements_of(*argument_, *timed_),
                                   1 / static_cast<double>(dimensions));
    for (const std::string& size : sizes_)
        out.params[size] = std::max(1.0, std::round(timed_->params.at(size) * factor));
    for (const Follows& f : follows_)
        out.data[f.argument].numbers[f.key] = out.params[f.size] + f.offset;
    return out;
}

std::uint64_t SizedCases::elements(const CaseSpec& spec) const {
    return static_cast<std::uint64_t>(elements_of(*argument_, spec));
}

std::string SizedCases::parameters(const CaseSpec& spec) const {
    std::string out;
    for (const std::string& size : sizes_)
        out += fmt::format("{}{}={}", out.empty() ? "" : " ", size, spec.params.at(size));
    return out;
}

}  // namespace cugrade
