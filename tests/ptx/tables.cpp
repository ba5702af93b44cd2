#include "tests/ptx/tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cugrade::tables {
namespace {

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
}

std::string hex(std::uint64_t value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(value));
    return buffer;
}

int bits_of(const std::string& type) {
    return type == "p" ? 1 : std::stoi(type.substr(type.find_first_of("123456789")));
}

bool is_float(const std::string& type) {
    return type == "f16" || type == "bf16" || type == "f32" || type == "f64";
}

double half_value(std::uint64_t bits) {
    const auto exponent = static_cast<int>(bits >> 10 & 31);
    const auto mantissa = static_cast<double>(bits & 1023);
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
    return sign *
           (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

double float_of(std::uint64_t bits, const std::string& type) {
    if (type == "f64") return std::bit_cast<double>(bits);
    if (type == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (type == "bf16") return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    return half_value(bits);
}

Value parse_value(const std::string& text, const std::string& type) {
    Value value;
    if (text == "?") {
        value.is_undefined = true;
        return value;
    }
    if (text.starts_with("0x") || !is_float(type)) {
        const bool negative = text[0] == '-';
        value.bits = std::stoull(negative ? text.substr(1) : text, nullptr, 0);
        if (negative) value.bits = 0 - value.bits;
        if (const int bits = bits_of(type); bits < 64) value.bits &= (std::uint64_t{1} << bits) - 1;
        if (is_float(type)) value.exact = float_of(value.bits, type);
        return value;
    }
    // Not std::stof, which takes subnormals for an error.
    char* end = nullptr;
    value.exact = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size()) throw std::runtime_error("not a number: " + text);
    if (type == "f32")
        value.bits = std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr));
    else if (type == "f64")
        value.bits = std::bit_cast<std::uint64_t>(value.exact);
    else
        value.bits = ~std::uint64_t{0};  // of no 16-bit number: only a bound can accept it
    return value;
}

/// `2 ulp`, `absolute 2^-20.5`, `relative 2^-22`.
Bound parse_bound(const std::vector<std::string>& text) {
    const auto number = [](const std::string& word) {
        return word.starts_with("2^") ? std::exp2(std::stod(word.substr(2))) : std::stod(word);
    };
    if (text.size() == 2 && text[1] == "ulp") return {Bound::Kind::ulp, number(text[0])};
    if (text.size() == 2 && text[0] == "absolute") return {Bound::Kind::absolute, number(text[1])};
    if (text.size() == 2 && text[0] == "relative") return {Bound::Kind::relative, number(text[1])};
    throw std::runtime_error("expected `N ulp`, `absolute X` or `relative X`");
}

/// The distance of neighbours at `x` in the format of `type`.
double ulp_at(double x, const std::string& type) {
    const int digits = type == "f64" ? 53 : type == "f32" ? 24 : type == "bf16" ? 8 : 11;
    const int lowest = type == "f64" ? -1022 : type == "f16" ? -14 : -126;
    const int exponent = x == 0 ? lowest : std::max(std::ilogb(x), lowest);
    return std::ldexp(1.0, exponent - digits + 1);
}

bool agrees(std::uint64_t got, const Value& expected, const std::string& type, const Bound& bound) {
    if (expected.is_undefined || got == expected.bits) return true;
    if (bound.kind == Bound::Kind::none || !is_float(type)) return false;
    // Infinities, NaN and what they come from are exact also in approximations.
    const double value = float_of(got, type), exact = expected.exact;
    if (!std::isfinite(value) || !std::isfinite(exact)) return false;
    const double error = std::abs(value - exact);
    switch (bound.kind) {
        case Bound::Kind::ulp: return error <= bound.value * ulp_at(exact, type);
        case Bound::Kind::absolute: return error <= bound.value;
        default: return error <= bound.value * std::abs(exact);
    }
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
}

void check(bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(what);
}

void check_group(const Group& group) {
    check(!group.cases.empty(), "a group without cases");
    check(group.cases.size() <= 512, "more than 512 cases");
    check(!group.forms.empty(), "a group without a form");
    // Whoever writes a table must test what its name says.
    if (!group.code.empty())
        for (const auto& form : group.forms)
            check((group.declarations + group.code).find(form + " ") != std::string::npos ||
                      (group.declarations + group.code).find(form + ";") != std::string::npos,
                  form + " is not in the code");
}

void parse_line(std::vector<Group>& groups, const std::string& line, int number) {
    const auto space = line.find(' ');
    const std::string key = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (key == "form") {
        groups.push_back({});
        groups.back().line = number;
        groups.back().forms = words(rest);
        return;
    }
    check(!groups.empty(), "the first line must be a form");
    Group& group = groups.back();
    if (key == "types") {
        bool is_result = true;
        for (const auto& word : words(rest)) {
            if (word == "<-")
                is_result = false;
            else
                (is_result ? group.results : group.operands).push_back(word);
        }
    } else if (key == "code") {
        group.code = rest;
    } else if (key == "decl") {
        group.declarations += rest + "\n";
    } else if (key == "arch") {
        group.target = rest;
    } else if (key == "error") {
        group.bound = parse_bound(words(rest));
    } else {
        Case one;
        one.line = number;
        bool is_input = true;
        for (const auto& word : words(line)) {
            if (word == "->") {
                is_input = false;
                continue;
            }
            auto& values = is_input ? one.inputs : one.expected;
            const auto& types = is_input ? group.operands : group.results;
            check(values.size() < types.size(), "more values than types");
            values.push_back(parse_value(word, types[values.size()]));
        }
        check(one.inputs.size() == group.operands.size(), "fewer operands than types");
        check(one.expected.size() == group.results.size(), "fewer results than types");
        group.cases.push_back(std::move(one));
    }
}

std::vector<Group> read_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::vector<Group> groups;
    std::string line;
    int number = 0;
    try {
        while (std::getline(file, line)) {
            ++number;
            if (!line.empty() && line[0] != '#') parse_line(groups, line, number);
        }
        for (Group& group : groups) {
            group.file = path.filename().string();
            number = group.line;
            check_group(group);
        }
    } catch (const std::exception& e) {
        throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " + e.what());
    }
    return groups;
}

/// Registers of a type: those of 16-bit floats have no type of their own.
std::string register_type(const std::string& type) {
    return type == "p" ? "pred" : type == "f16" || type == "bf16" ? "b16" : type;
}

}  // namespace

std::string Group::name() const {
    std::string result = file + ":" + std::to_string(line) + ":";
    for (const auto& form : forms) result += " " + form;
    return result;
}

std::vector<Group> read_groups(const std::filesystem::path& source) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(source / "tests/ptx"))
        if (entry.path().extension() == ".ptxt") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Group> groups;
    for (const auto& file : files)
        for (Group& group : read_file(file)) groups.push_back(std::move(group));
    if (groups.size() < 1000) throw std::runtime_error("tables are missing in " + source.string());
    return groups;
}

std::set<std::string> emitted_forms(const std::filesystem::path& source) {
    std::ifstream list(source / "tests/ptx/emitted-by-nvcc.tsv");
    if (!list) throw std::runtime_error("no emitted-by-nvcc.tsv in " + source.string());
    std::set<std::string> forms;
    for (std::string line; std::getline(list, line);)
        if (!line.empty() && line[0] != '#') forms.insert(line.substr(0, line.find('\t')));
    return forms;
}

std::string module_of(const Group& group, const std::string& version) {
    std::ostringstream text;
    text << ".version " << version << "\n.target sm_" << group.target << "\n.address_size 64\n"
         << group.declarations
         << ".visible .entry test(.param .u64 in, .param .u64 out, .param .u64 scratch)\n{\n"
            ".shared .align 64 .b8 smem[32768];\n.local .align 64 .b8 lmem[64];\n"
            ".reg .b64 %in, %out, %g, %l, %offset, %x<4>, %lane;\n"
            ".reg .b32 %t, %s, %word, %r<4>, %zero;\n.reg .pred %p<4>;\n";
    const auto declare = [&](char kind, const std::vector<std::string>& types) {
        for (std::size_t n = 0; n < types.size(); ++n)
            text << ".reg ." << register_type(types[n]) << " %" << kind << n << ";\n";
    };
    declare('d', group.results);
    declare('a', group.operands);
    text << "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nld.param.u64 %g, [scratch];\n"
            "mov.u32 %t, %tid.x;\nmov.u32 %zero, 0;\n"
            "cvt.u64.u32 %lane, %t;\nshl.b64 %lane, %lane, 6;\nadd.s64 %g, %g, %lane;\n"
            "mov.u64 %l, lmem;\nmov.u32 %s, smem;\nmad.lo.u32 %s, %t, 64, %s;\n";
    for (int n = 0; n < 64; n += 4)
        text << "st.shared.u32 [%s+" << n << "], %zero;\nst.local.u32 [%l+" << n << "], %zero;\n";
    text << "mul.wide.u32 %offset, %t, " << 8 * group.operands.size()
         << ";\nadd.s64 %in, %in, %offset;\nmul.wide.u32 %offset, %t, " << 8 * group.results.size()
         << ";\nadd.s64 %out, %out, %offset;\n";
    for (std::size_t n = 0; n < group.operands.size(); ++n) {
        if (group.operands[n] == "p")
            text << "ld.global.u32 %word, [%in+" << 8 * n << "];\nsetp.ne.u32 %a" << n
                 << ", %word, 0;\n";
        else
            text << "ld.global.b" << bits_of(group.operands[n]) << " %a" << n << ", [%in+" << 8 * n
                 << "];\n";
    }
    std::string code = group.code;
    if (code.empty()) {
        code = group.forms.front();
        for (std::size_t n = 0; n < group.results.size(); ++n)
            code += (n == 0 ? " $d" : ", $d") + std::to_string(n);
        for (std::size_t n = 0; n < group.operands.size(); ++n) code += ", $a" + std::to_string(n);
        code += ";";
    }
    for (const char kind : {'d', 'a', 'r', 'x', 'p', 's', 'g', 'l'})
        replace_all(code, std::string("$") + kind, std::string("%") + kind);
    text << code << "\n";
    for (std::size_t n = 0; n < group.results.size(); ++n) {
        if (group.results[n] == "p")
            text << "selp.u32 %word, 1, 0, %d" << n << ";\nst.global.u32 [%out+" << 8 * n
                 << "], %word;\n";
        else
            text << "st.global.b" << bits_of(group.results[n]) << " [%out+" << 8 * n << "], %d" << n
                 << ";\n";
    }
    text << "ret;\n}\n";
    return text.str();
}

std::vector<std::uint64_t> inputs_of(const Group& group) {
    std::vector<std::uint64_t> inputs;
    for (const Case& one : group.cases)
        for (const Value& value : one.inputs) inputs.push_back(value.bits);
    if (inputs.empty()) inputs.push_back(0);
    return inputs;
}

std::vector<std::string> disagreements(const Group& group,
                                       const std::vector<std::uint64_t>& results) {
    std::vector<std::string> lines;
    std::size_t at = 0;
    for (const Case& one : group.cases)
        for (std::size_t n = 0; n < one.expected.size(); ++n, ++at) {
            if (agrees(results.at(at), one.expected[n], group.results[n], group.bound)) continue;
            std::string line = group.file + ":" + std::to_string(one.line) + ": " +
                               group.forms.front() + ": result " + std::to_string(n) + " of";
            for (const Value& input : one.inputs) line += " " + hex(input.bits);
            line += ": expected " + hex(one.expected[n].bits) + ", got " + hex(results.at(at));
            lines.push_back(std::move(line));
        }
    return lines;
}

}  // namespace cugrade::tables
