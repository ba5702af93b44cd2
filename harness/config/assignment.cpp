// assignment.yaml -> AssignmentSpec. The file states facts in the fewest words, so a case with
// lists of parameters stands for all their combinations, and what a case must hold follows from the
// arguments of its task: one number for each name in a shape and for each scalar, one source of
// data for each buffer that is filled before the call.

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "config/load.hpp"
#include "config/yaml.hpp"
#include "datasets/generators.hpp"

namespace cugrade::config {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_buffer_bytes = std::int64_t{64} << 30;
constexpr std::size_t max_cases = 1000;
constexpr std::array<std::string_view, 4> reserved{"visibility", "needs", "timed", "withheld"};

std::string plural(std::size_t n, std::string_view noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// The whole numbers that an integer type holds, cut to those that a double holds exactly.
std::pair<std::int64_t, std::int64_t> range_of(DType dtype) {
    return with_type(dtype, []<class T>() -> std::pair<std::int64_t, std::int64_t> {
        constexpr std::int64_t exact = (std::int64_t{1} << 53) - 1;
        if constexpr (sizeof(T) == 8) {
            return {std::numeric_limits<T>::min() == 0 ? 0 : -exact, exact};
        } else {
            return {static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                    static_cast<std::int64_t>(std::numeric_limits<T>::max())};
        }
    });
}

/// A number among the parameters of a case; its range depends on its use.
struct Parameter {
    bool in_shape = false;
    std::optional<DType> scalar;

    [[nodiscard]] double read(const Value& value) const {
        if (!scalar || !is_float(*scalar)) {
            auto [low, high] = scalar ? range_of(*scalar) : range_of(DType::u64);
            if (in_shape) low = 0;
            return static_cast<double>(value.integer(low, high));
        }
        if (in_shape) return static_cast<double>(value.integer(0, range_of(DType::u64).second));
        const double largest = *scalar == DType::f32 ? std::numeric_limits<float>::max()
                                                     : std::numeric_limits<double>::max();
        return value.number(-largest, largest);
    }
};

/// What the cases of one task have to give, by key.
struct Wanted {
    std::map<std::string, Parameter> params;
    std::map<std::string, DType> data;

    [[nodiscard]] std::vector<std::string> keys() const {
        std::vector<std::string> out;
        for (const auto& [key, parameter] : params) out.push_back(key);
        for (const auto& [key, dtype] : data) out.push_back(key);
        out.insert(out.end(), {"visibility", "needs", "timed"});
        return out;
    }
};

void refuse_reserved(const Value& value, const std::string& name) {
    if (std::ranges::find(reserved, name) != reserved.end())
        value.fail(fmt::format("`{}` has a meaning of its own in cases", name),
                   "choose another name");
}

std::string read_dimension(const Value& value) {
    auto text = value.scalar();
    if (is_identifier(text)) {
        refuse_reserved(value, text);
        return text;
    }
    return std::to_string(value.integer(1, max_buffer_bytes));
}

ArgumentSpec read_argument(const Value& value) {
    const auto map = value.map({"name", "type", "role", "shape"});
    ArgumentSpec out;
    out.name = map.at("name").identifier();
    refuse_reserved(map.at("name"), out.name);
    out.dtype = *dtype_from_name(map.at("type").choice(
        {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"}));
    const auto role = map.at("role").choice({"input", "output", "inout", "scalar"});
    out.role = role == "input"    ? Role::input
               : role == "output" ? Role::output
               : role == "inout"  ? Role::inout
                                  : Role::scalar;
    const auto* shape = map.find("shape");
    if (out.role == Role::scalar) {
        if (shape != nullptr)
            shape->fail("a scalar has no shape", "remove the key, or change the role");
        return out;
    }
    for (const auto& dimension : map.at("shape").list())
        out.shape.push_back(read_dimension(dimension));
    return out;
}

std::vector<ArgumentSpec> read_arguments(const Value& value, Wanted& wanted) {
    std::vector<ArgumentSpec> out;
    std::set<std::string> names;
    for (const auto& item : value.list()) {
        out.push_back(read_argument(item));
        if (!names.insert(out.back().name).second)
            item.fail(fmt::format("two arguments are called `{}`", out.back().name),
                      "rename one of them");
    }
    const auto items = value.list();
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& argument = out[i];
        if (argument.role == Role::scalar) wanted.params[argument.name].scalar = argument.dtype;
        if (argument.role == Role::input || argument.role == Role::inout)
            wanted.data[argument.name] = argument.dtype;
        for (const auto& dimension : argument.shape) {
            if (!is_identifier(dimension)) continue;
            const auto named = std::ranges::find(out, dimension, &ArgumentSpec::name);
            if (named != out.end() && named->role != Role::scalar)
                items[i].fail(fmt::format("`{}` in the shape of `{}` is a buffer, not a number",
                                          dimension, argument.name),
                              "name a parameter of the cases or a scalar argument");
            wanted.params[dimension].in_shape = true;
        }
    }
    if (std::ranges::none_of(out, [](const ArgumentSpec& a) {
            return a.role == Role::output || a.role == Role::inout;
        }))
        value.fail("no argument is an output, so nothing can be checked",
                   "give one of them the role output or inout");
    return out;
}

DataSpec read_data(const Value& value, DType dtype, const fs::path& folder) {
    const auto map = value.map();
    DataSpec out;
    if (const auto* file = map.find("file")) {
        map.only({"file"});
        out.generator = "file";
        out.file = file->text();
        const fs::path relative(out.file);
        if (relative.is_absolute() || std::ranges::find(relative, fs::path("..")) != relative.end())
            file->fail(fmt::format("`{}` is outside the assignment's folder", out.file),
                       "copy the file into the folder and give its path from there");
        std::error_code error;
        if (!fs::is_regular_file(folder / relative, error))
            file->fail(fmt::format("there is no file `{}`", (folder / relative).string()),
                       "add it, or correct the path, which is relative to the assignment's folder");
    } else {
        out.generator = map.at("generator").text();
        for (const auto& entry : map.entries())
            if (entry.key != "generator")
                out.numbers[entry.key] = entry.value.number(std::numeric_limits<double>::lowest(),
                                                            std::numeric_limits<double>::max());
    }
    if (const auto status = datasets::check(out, dtype); !status) {
        // The generators know nothing of YAML, so an error gets the place of the parameter that it
        // names, else of the map.
        const auto& error = status.error();
        const auto* place = map.find(error.key);
        if (place == nullptr) place = map.find("generator");
        (place != nullptr ? *place : value).fail(error.message, error.remedy);
    }
    return out;
}

double buffer_bytes(const std::vector<ArgumentSpec>& arguments, const CaseSpec& spec) {
    // In double, which is exact beyond the limit and cannot wrap around.
    double total = 0;
    for (const auto& argument : arguments) {
        if (argument.role == Role::scalar) continue;
        double bytes = static_cast<double>(size_of(argument.dtype));
        for (const auto& dimension : argument.shape)
            bytes *= is_identifier(dimension) ? spec.params.at(dimension) : std::stod(dimension);
        total += bytes;
    }
    return total;
}

/// One entry of `cases`: as many cases as its lists have combinations, the first list slowest.
std::vector<CaseSpec> read_cases(const Value& value, const std::vector<ArgumentSpec>& arguments,
                                 const Wanted& wanted, const fs::path& folder) {
    const auto map = value.map(wanted.keys());
    CaseSpec base;
    if (const auto* visibility = map.find("visibility"))
        base.visibility = visibility->choice({"public", "hidden"}) == "hidden" ? Visibility::hidden
                                                                               : Visibility::open;
    if (const auto* needs = map.find("needs")) base.needs_gpu = needs->choice({"gpu"}) == "gpu";
    if (const auto* timed = map.find("timed")) {
        base.timed = timed->boolean();
        if (base.timed && !base.needs_gpu)
            timed->fail("a timed case needs a GPU", "add `needs: gpu` to this case");
    }
    for (const auto& [key, dtype] : wanted.data)
        base.data[key] = read_data(map.at(key), dtype, folder);
    for (const auto& [key, parameter] : wanted.params) (void)map.at(key);

    std::vector<CaseSpec> out{base};
    for (const auto& entry : map.entries()) {
        const auto wants = wanted.params.find(entry.key);
        if (wants == wanted.params.end()) continue;
        const auto choices =
            entry.value.is_list() ? entry.value.list() : std::vector<Value>{entry.value};
        if (out.size() * choices.size() > max_cases)
            value.fail(fmt::format("this stands for more than {} cases", max_cases),
                       "shorten the lists");
        std::vector<CaseSpec> expanded;
        for (const auto& spec : out)
            for (const auto& choice : choices) {
                expanded.push_back(spec);
                expanded.back().params[entry.key] = wants->second.read(choice);
            }
        out = std::move(expanded);
    }
    for (const auto& spec : out)
        if (!(buffer_bytes(arguments, spec) <= static_cast<double>(max_buffer_bytes)))
            value.fail("the buffers of this case exceed 64 GiB", "choose smaller sizes");
    return out;
}

/// The number of hidden cases that an entry `{withheld: 5}` stands for, which `cugrade release` puts
/// in their place so that the other cases keep their numbers and with them their data. Nothing for
/// an entry that is a case.
std::optional<int> read_withheld(const Value& item) {
    const auto map = item.map();
    const auto* withheld = map.find("withheld");
    if (withheld == nullptr) return std::nullopt;
    map.only({"withheld"});
    return static_cast<int>(withheld->integer(1, max_cases));
}

std::vector<CaseSpec> read_model(const Value& value, const TaskSpec& task, const Wanted& wanted,
                                 const fs::path& folder) {
    std::vector<CaseSpec> out;
    for (const auto& item : value.list())
        for (auto& spec : read_cases(item, task.arguments, wanted, folder)) {
            if (spec.needs_gpu || spec.visibility == Visibility::hidden)
                item.fail("a case for the model is public and needs no GPU",
                          "remove `needs`, `timed` and `visibility`");
            spec.id = task.withheld + static_cast<int>(task.cases.size() + out.size()) + 1;
            spec.for_model = true;
            out.push_back(std::move(spec));
        }
    const auto size = [&](const CaseSpec& spec) { return largest_argument(task, spec); };
    if (out.size() != 2 || size(out[0]) == 0 || size(out[0]) >= size(out[1]) ||
        size(out[1]) > size(*task.timed_case()))
        value.fail("a model needs two cases that are smaller than the timed one",
                   "give two, the smaller one first");
    return out;
}

TaskSpec read_task(const Value& value, const fs::path& folder) {
    const auto map = value.map({"name", "title", "function", "arguments", "cases", "model", "moves",
                                "dynamic_parallelism"});
    TaskSpec out;
    out.name = map.at("name").identifier();
    out.title = map.at("title").text();
    out.function = map.at("function").identifier();
    if (const auto* launches = map.find("dynamic_parallelism"))
        out.dynamic_parallelism = launches->boolean();
    Wanted wanted;
    out.arguments = read_arguments(map.at("arguments"), wanted);
    if (const auto* moves = map.find("moves")) {
        for (const auto& item : moves->list()) {
            const auto argument = item.identifier();
            const auto found = std::ranges::find(out.arguments, argument, &ArgumentSpec::name);
            if (found == out.arguments.end() || found->role == Role::scalar)
                item.fail(fmt::format("`{}` is no buffer of this task", argument),
                          "name arguments that each call has to read or write in full");
            out.moves.push_back(argument);
        }
    } else {
        for (const auto& argument : out.arguments)
            if (argument.role != Role::scalar) out.moves.push_back(argument.name);
    }
    const Value* timed = nullptr;
    const auto items = map.at("cases").list();
    for (const auto& item : items) {
        if (const auto withheld = read_withheld(item)) {
            out.withheld += *withheld;
            continue;
        }
        for (auto& spec : read_cases(item, out.arguments, wanted, folder)) {
            if (spec.timed && timed != nullptr)
                item.fail("a task has one timed case at most, and this is the second",
                          "remove `timed`, or a list that makes several cases of it");
            if (spec.timed) timed = &item;
            spec.id = out.withheld + static_cast<int>(out.cases.size()) + 1;
            out.cases.push_back(std::move(spec));
        }
    }
    if (out.cases.size() > max_cases)
        map.at("cases").fail(fmt::format("{} has {}", out.name, plural(out.cases.size(), "case")),
                             fmt::format("keep to {} or fewer", max_cases));
    if (std::ranges::all_of(out.cases, &CaseSpec::timed))
        map.at("cases").fail("every case is a timed one, so there is nothing to check first",
                             "add a case without `timed`");
    if (const auto* model = map.find("model")) {
        if (timed == nullptr)
            model->fail("there is no timed case to model",
                        "mark a case `timed`, or remove the key");
        out.model = read_model(*model, out, wanted, folder);
    }
    return out;
}

ForbiddenInstruction read_forbidden(const Value& value) {
    const auto map = value.map({"instruction", "message"});
    const auto& instruction = map.at("instruction");
    const auto text = instruction.text();
    ForbiddenInstruction out{.opcode = "", .modifiers = {}, .message = map.at("message").text()};
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find('.', begin), text.size());
        const auto part = text.substr(begin, end - begin);
        const bool valid = !part.empty() && std::ranges::all_of(part, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        });
        if (!valid)
            instruction.fail(fmt::format("`{}` is not an instruction of PTX", text),
                             "write opcode and modifiers in lower case, as in atom.add.f64");
        (begin == 0 ? out.opcode : out.modifiers.emplace_back()) = part;
        begin = end + 1;
    }
    return out;
}

AssignmentSpec read_assignment(const fs::path& folder) {
    const auto whole = read_yaml(folder / "assignment.yaml");
    const auto map = whole.map({"schema_version", "id", "title", "forbidden", "tasks"});
    check_schema_version(map);
    AssignmentSpec out;
    out.folder = folder;
    out.id = map.at("id").identifier();
    // "assignments/reduction/" and "." name the folder too.
    auto named = fs::absolute(folder).lexically_normal();
    if (!named.has_filename()) named = named.parent_path();
    if (out.id != named.filename().string())
        map.at("id").fail(fmt::format("the id `{}` differs from the folder's name `{}`", out.id,
                                      named.filename().string()),
                          "make them equal");
    out.title = map.at("title").text();
    if (const auto* forbidden = map.find("forbidden"))
        for (const auto& item : forbidden->list()) out.forbidden.push_back(read_forbidden(item));
    for (const auto& item : map.at("tasks").list()) {
        auto task = read_task(item, folder);
        for (const auto& other : out.tasks) {
            if (other.name == task.name)
                item.fail(fmt::format("two tasks are called `{}`", task.name),
                          "rename one of them");
            if (other.function == task.function)
                item.fail(fmt::format("two tasks have the function `{}`", task.function),
                          "give each task a function of its own");
        }
        out.tasks.push_back(std::move(task));
    }
    return out;
}

}  // namespace

Result<AssignmentSpec> load_assignment(const fs::path& folder) {
    return guarded([&] { return read_assignment(folder); });
}

Result<std::vector<AssignmentSpec>> load_assignments(const fs::path& assignments,
                                                     std::vector<LeftOut>* left_out) {
    std::error_code error;
    std::vector<fs::path> folders;
    for (fs::directory_iterator it(assignments, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code ignored;  // an unreadable assignment.yaml is reported when it is read
        if (fs::exists(it->path() / "assignment.yaml", ignored)) folders.push_back(it->path());
    }
    if (error)
        return Error{.kind = ErrorKind::configuration,
                     .message = fmt::format("cannot list the assignments: {}", error.message()),
                     .file = assignments.string(),
                     .remedy = "check the path and the permissions"};
    if (folders.empty())
        return Error{.kind = ErrorKind::configuration,
                     .message = "there is no assignment here",
                     .file = assignments.string(),
                     .remedy = "add a folder with an assignment.yaml"};
    std::ranges::sort(folders);
    std::vector<AssignmentSpec> out;
    for (const auto& folder : folders) {
        auto spec = load_assignment(folder);
        if (spec)
            out.push_back(*std::move(spec));
        else if (left_out != nullptr)
            left_out->push_back({.id = folder.filename().string(), .why = spec.error()});
        else
            return spec.error();
    }
    if (out.empty()) return left_out->front().why;
    return out;
}

}  // namespace cugrade::config
