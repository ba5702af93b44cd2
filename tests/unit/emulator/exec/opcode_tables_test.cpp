// Runs every group of tests/ptx/*.ptxt; the format is in tests/ptx/README.md.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "device.hpp"

namespace {

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

struct Value {
    std::uint64_t bits = 0;
    std::uint64_t tolerance = 0;  ///< units in the last place
};
struct Case {
    std::vector<Value> inputs, expected;
    int line = 0;
};
struct Group {
    std::string file;
    int line = 0;
    std::vector<std::string> forms, results, operands;
    std::string declarations;  ///< before the kernel
    std::string code;
    int arch = 75;
    std::vector<Case> cases;
};

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
}

int bits_of(const std::string& type) { return type == "p" ? 1 : std::stoi(type.substr(1)); }

Value parse_value(std::string text, const std::string& type) {
    Value value;
    if (const auto tilde = text.find('~'); tilde != std::string::npos) {
        value.tolerance = std::stoull(text.substr(tilde + 1));
        text.resize(tilde);
    }
    if (text.starts_with("0x") || type[0] != 'f') {
        const bool negative = text[0] == '-';
        value.bits = std::stoull(negative ? text.substr(1) : text, nullptr, 0);
        if (negative) value.bits = 0 - value.bits;
    } else if (type == "f32") {
        value.bits = std::bit_cast<std::uint32_t>(std::stof(text));
    } else {
        value.bits = std::bit_cast<std::uint64_t>(std::stod(text));
    }
    if (const int bits = bits_of(type); bits < 64) value.bits &= (std::uint64_t{1} << bits) - 1;
    return value;
}

std::vector<Group> read_groups(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::vector<Group> groups;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.empty() || line[0] == '#') continue;
        const auto space = line.find(' ');
        const std::string key = line.substr(0, space), rest = line.substr(space + 1);
        if (key == "form") {
            groups.push_back({});
            groups.back().file = path.filename().string();
            groups.back().line = number;
            groups.back().forms = words(rest);
            continue;
        }
        REQUIRE_FALSE(groups.empty());
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
            group.arch = std::stoi(rest);
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
                INFO(path.filename().string() << ":" << number);
                REQUIRE(values.size() < types.size());
                values.push_back(parse_value(word, types[values.size()]));
            }
            INFO(path.filename().string() << ":" << number);
            REQUIRE(one.inputs.size() == group.operands.size());
            REQUIRE(one.expected.size() == group.results.size());
            group.cases.push_back(std::move(one));
        }
    }
    return groups;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
}

/// The kernel: operands from `in`, the group's code, results to `out`, 8 bytes each.
std::string kernel_of(const Group& group) {
    std::string text =
        header(group.arch) + group.declarations +
        ".visible .entry test(.param .u64 in, .param .u64 out, .param .u64 scratch)\n{\n"
        ".shared .align 64 .b8 smem[32768];\n.local .align 64 .b8 lmem[64];\n"
        ".reg .b64 %in, %out, %g, %l, %offset, %x<4>, %lane;\n"
        ".reg .b32 %t, %s, %word, %r<4>, %zero;\n.reg .pred %p<4>;\n";
    const auto declare = [&](char kind, const std::vector<std::string>& types) {
        for (std::size_t n = 0; n < types.size(); ++n)
            text += fmt::format(".reg .{} %{}{};\n", types[n] == "p" ? "pred" : types[n], kind, n);
    };
    declare('d', group.results);
    declare('a', group.operands);
    text +=
        "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nld.param.u64 %g, [scratch];\n"
        "mov.u32 %t, %tid.x;\nmov.u32 %zero, 0;\n"
        "cvt.u64.u32 %lane, %t;\nshl.b64 %lane, %lane, 6;\nadd.s64 %g, %g, %lane;\n"
        "mov.u64 %l, lmem;\nmov.u32 %s, smem;\nmad.lo.u32 %s, %t, 64, %s;\n";
    for (int n = 0; n < 64; n += 4)
        text += fmt::format("st.shared.u32 [%s+{0}], %zero;\nst.local.u32 [%l+{0}], %zero;\n", n);
    text += fmt::format("mul.wide.u32 %offset, %t, {};\nadd.s64 %in, %in, %offset;\n",
                        8 * group.operands.size());
    text += fmt::format("mul.wide.u32 %offset, %t, {};\nadd.s64 %out, %out, %offset;\n",
                        8 * group.results.size());
    for (std::size_t n = 0; n < group.operands.size(); ++n) {
        if (group.operands[n] == "p")
            text += fmt::format("ld.global.u32 %word, [%in+{}];\nsetp.ne.u32 %a{}, %word, 0;\n",
                                8 * n, n);
        else
            text += fmt::format("ld.global.b{} %a{}, [%in+{}];\n", bits_of(group.operands[n]), n,
                                8 * n);
    }
    std::string code = group.code;
    if (code.empty()) {
        code = group.forms.front();
        for (std::size_t n = 0; n < group.results.size(); ++n)
            code += fmt::format("{} $d{}", n == 0 ? "" : ",", n);
        for (std::size_t n = 0; n < group.operands.size(); ++n) code += fmt::format(", $a{}", n);
        code += ";";
    }
    for (const char kind : {'d', 'a', 'r', 'x', 'p', 's', 'g', 'l'})
        replace_all(code, fmt::format("${}", kind), fmt::format("%{}", kind));
    text += code + "\n";
    for (std::size_t n = 0; n < group.results.size(); ++n) {
        if (group.results[n] == "p")
            text += fmt::format("selp.u32 %word, 1, 0, %d{0};\nst.global.u32 [%out+{1}], %word;\n",
                                n, 8 * n);
        else
            text += fmt::format("st.global.b{} [%out+{}], %d{};\n", bits_of(group.results[n]),
                                8 * n, n);
    }
    return text + "ret;\n}\n";
}

bool near(std::uint64_t got, const Value& expected) {
    const std::uint64_t difference =
        got > expected.bits ? got - expected.bits : expected.bits - got;
    return difference <= expected.tolerance;
}

void check_group(const Group& group) {
    INFO(fmt::format("{}:{}: {}", group.file, group.line, fmt::join(group.forms, " ")));
    REQUIRE_FALSE(group.cases.empty());
    REQUIRE(group.cases.size() <= 512);
    // Whoever writes a table must test what its name says.
    if (!group.code.empty())
        for (const auto& form : group.forms) {
            INFO(form);
            REQUIRE((group.declarations + group.code).find(form + " ") != std::string::npos);
        }
    const std::string ptx = kernel_of(group);
    INFO(ptx);
    Device device(ptx);
    REQUIRE(device.machine->unsupported(device.module) == std::vector<std::string>{});
    std::vector<std::uint64_t> in, zeros(group.cases.size() * 8);
    for (const Case& one : group.cases)
        for (const Value& value : one.inputs) in.push_back(value.bits);
    if (in.empty()) in.push_back(0);
    const auto a = device.buffer(in, "in");
    const auto g = device.buffer(zeros, "scratch");
    const auto out =
        device.buffer(std::vector<std::uint64_t>(group.cases.size() * group.results.size()), "out");
    const Dim3 block{static_cast<std::uint32_t>(group.cases.size())};
    device.run("test", {}, block, Params().add(a).add(out).add(g));
    const auto got = device.read<std::uint64_t>(out, group.cases.size() * group.results.size());
    std::size_t at = 0;
    for (const Case& one : group.cases)
        for (std::size_t n = 0; n < one.expected.size(); ++n, ++at) {
            INFO(fmt::format("{}:{}: result {}: expected {:#x}, got {:#x}", group.file, one.line, n,
                             one.expected[n].bits, got[at]));
            CHECK(near(got[at], one.expected[n]));
        }
}

std::vector<std::filesystem::path> table_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(CUGRADE_SOURCE_DIR "/tests/ptx"))
        if (entry.path().extension() == ".ptxt") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

TEST_CASE("every group of the opcode tables computes what it says") {
    REQUIRE(table_files().size() >= 8);
    for (const auto& file : table_files())
        for (const Group& group : read_groups(file)) check_group(group);
}

TEST_CASE("the tables cover every form that nvcc was seen to emit") {
    std::set<std::string> covered;
    for (const auto& file : table_files())
        for (const Group& group : read_groups(file))
            covered.insert(group.forms.begin(), group.forms.end());
    std::ifstream list(CUGRADE_SOURCE_DIR "/tests/ptx/emitted-by-nvcc.tsv");
    REQUIRE(list);
    std::string missing;
    std::size_t count = 0;
    for (std::string line; std::getline(list, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::string form = line.substr(0, line.find('\t'));
        ++count;
        if (!covered.contains(form)) missing += form + "\n";
    }
    CHECK(count > 300);
    INFO(missing);
    CHECK(missing.empty());
}

TEST_CASE("a form that is not known is reported with its source line and faults when reached") {
    const std::string ptx =
        header() +
        ".visible .entry k(.param .u64 flag)\n{\n.reg .b32 %r<3>;\n.reg .pred %p;\n.reg .b64 %rd;\n"
        "ld.param.u64 %rd, [flag];\nld.global.u32 %r0, [%rd];\n"
        "setp.eq.u32 %p, %r0, 0;\n@%p bra DONE;\n.loc 1 42 5\nfrobnicate.s32 %r1, %r0;\n"
        "DONE: ret;\n}\n.file 1 \"student.cu\"\n";
    Device device(ptx);
    const auto unsupported = device.machine->unsupported(device.module);
    REQUIRE(unsupported.size() == 1);
    CHECK(unsupported[0] == "frobnicate.s32 (line 42 of student.cu)");
    const auto flag = device.buffer(std::vector<std::uint32_t>{0});
    device.run("k", {}, {32}, Params().add(flag));
    REQUIRE(device.machine->memory().fill(flag, std::byte{1}, 4).ok());
    const auto fault = device.launch("k", {}, {32}, Params().add(flag));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::unsupported);
    CHECK(fault->line == 42);
    CHECK(fault->message.find("frobnicate.s32") != std::string::npos);
}
