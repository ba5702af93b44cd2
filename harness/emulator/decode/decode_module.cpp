// A module's variables, its pool of constant rows, and the order in which its functions are
// decoded.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {

using ptx::Space;

namespace {

/// Adds a row with the same value in all lanes to the pool.
std::uint32_t add_row(Program& program, std::uint64_t bits, std::uint32_t bytes) {
    const std::size_t at = program.pool.size() * sizeof(CacheLine);
    program.pool.resize(program.pool.size() + lanes * bytes / sizeof(CacheLine));
    std::byte* row = data_of(program.pool) + at;
    for (std::uint32_t l = 0; l < lanes; ++l) std::memcpy(row + l * bytes, &bits, bytes);
    return static_cast<std::uint32_t>(at);
}

/// Does the variable take memory of the device?
bool is_on_device(const ptx::Variable& v) {
    return (v.space == Space::global || v.space == Space::constant) && v.bytes != 0;
}

}  // namespace

std::optional<std::uint64_t> place(std::uint64_t& end, std::uint64_t bytes, std::uint64_t align,
                                   std::uint64_t limit) {
    const Checked at = Checked(end).rounded_up(std::max<std::uint64_t>(align, 1));
    const auto behind = (at + bytes).within(limit);
    if (!behind) return std::nullopt;
    end = *behind;
    return at.or_largest();
}

Error too_large(const ptx::Variable& v, std::string_view space, std::uint64_t before,
                std::uint64_t limit, std::string_view function) {
    const std::string of = function.empty() ? "" : fmt::format(" of `{}`", demangled(function));
    const std::string others =
        before == 0 ? "" : fmt::format(", with {} bytes of others before it", before);
    return Error{.kind = ErrorKind::submission,
                 .message = fmt::format("the {0} variable `{1}`{2} has {3} bytes{4}: more than the "
                                        "limit of {5} bytes of {0} memory",
                                        space, demangled(v.name), of, v.bytes, others, limit),
                 .remedy = "make the array smaller, or allocate it with cudaMalloc"};
}

Checked<> variable_bytes(const ptx::Module& module) {
    Checked<> sum{0};
    std::set<std::string_view> seen;
    for (const ptx::Variable& v : module.variables)
        if (is_on_device(v) && seen.insert(v.name).second)
            sum += Checked(v.bytes).rounded_up(v.is_managed ? Arena::page : Arena::granule);
    return sum;
}

Operand ModuleDecoder::constant(std::uint64_t bits, std::uint32_t bytes) {
    if (bytes == 4) bits &= 0xFFFFFFFF;
    const auto [it, is_new] = constants_.try_emplace({bits, bytes}, 0);
    if (is_new) it->second = add_row(program_, bits, bytes);
    return {it->second, in_pool, static_cast<std::uint8_t>(bytes)};
}

Operand ModuleDecoder::launch_row(LaunchRow row) {
    row.offset = add_row(program_, 0, row.bytes);
    const Operand result{row.offset, in_pool, row.bytes};
    program_.launch_rows.push_back(std::move(row));
    return result;
}

std::optional<Operand> ModuleDecoder::special_row(std::string_view name) {
    if (const auto known = special_rows_.find(name); known != special_rows_.end())
        return known->second;
    const auto remember = [&](Operand o) {
        special_rows_.emplace(name, o);
        return o;
    };
    static constexpr std::string_view of_warp[] = {"%tid.x", "%tid.y", "%tid.z", "%warpid"};
    static constexpr std::string_view of_block[] = {"%ctaid.x", "%ctaid.y", "%ctaid.z", "%smid"};
    for (std::uint32_t n = 0; n < 4; ++n) {
        if (name == of_warp[n]) return remember({n * lanes * 4, in_warp, 4});
        if (name == of_block[n]) return remember({n * lanes * 4, in_block, 4});
    }
    // A grid without clusters: each block is a cluster of one.
    static constexpr std::pair<std::string_view, std::string_view> same[] = {
        {"%clusterid.x", "%ctaid.x"},   {"%clusterid.y", "%ctaid.y"},
        {"%clusterid.z", "%ctaid.z"},   {"%nclusterid.x", "%nctaid.x"},
        {"%nclusterid.y", "%nctaid.y"}, {"%nclusterid.z", "%nctaid.z"}};
    for (const auto& [alias, original] : same)
        if (name == alias) return special_row(original);
    if (name == "%laneid" || name.starts_with("%lanemask_")) {
        const Operand row{add_row(program_, 0, 4), in_pool, 4};
        const Row<std::uint32_t> values{data_of(program_.pool) + row.offset};
        for (std::uint32_t l = 0; l < lanes; ++l) {
            const std::uint32_t self = 1u << l, below = self - 1;
            std::uint32_t value = l;
            if (name == "%lanemask_eq")
                value = self;
            else if (name == "%lanemask_lt")
                value = below;
            else if (name == "%lanemask_le")
                value = below | self;
            else if (name == "%lanemask_gt")
                value = ~(below | self);
            else if (name == "%lanemask_ge")
                value = ~below;
            else if (name != "%laneid")
                return std::nullopt;
            values.set(l, value);
        }
        return remember(row);
    }
    static constexpr std::string_view of_launch[] = {"%ntid.x",
                                                     "%ntid.y",
                                                     "%ntid.z",
                                                     "%nctaid.x",
                                                     "%nctaid.y",
                                                     "%nctaid.z",
                                                     "%gridid",
                                                     "%nsmid",
                                                     "%nwarpid",
                                                     "%dynamic_smem_size",
                                                     "%total_smem_size",
                                                     "%aggr_smem_size",
                                                     "%cluster_ctaid.x",
                                                     "%cluster_ctaid.y",
                                                     "%cluster_ctaid.z",
                                                     "%cluster_nctaid.x",
                                                     "%cluster_nctaid.y",
                                                     "%cluster_nctaid.z",
                                                     "%cluster_ctarank",
                                                     "%cluster_nctarank",
                                                     "WARP_SZ"};
    const bool known =
        name.starts_with("%envreg") ||
        std::find(std::begin(of_launch), std::end(of_launch), name) != std::end(of_launch);
    if (!known) return std::nullopt;
    LaunchRow row;
    row.kind = LaunchRow::Kind::special;
    row.bytes = name == "%gridid" ? 8 : 4;
    row.name = std::string(name);
    return remember(launch_row(std::move(row)));
}

Status ModuleDecoder::place_variables() {
    for (const ptx::Variable& v : program_.module->variables) {
        variables_.emplace(v.name, &v);
        if (!is_on_device(v)) continue;
        if (program_.symbols.contains(v.name)) continue;
        // Managed variables are shared with the program's process.
        auto address = v.is_managed ? arena_.allocate_pages(demangled(v.name), v.bytes)
                                    : arena_.allocate(demangled(v.name), v.bytes);
        if (!address) return address.error();
        program_.symbols.emplace(v.name, Machine::Symbol{*address, v.bytes});
    }
    for (const ptx::Variable& v : program_.module->variables)
        if (const auto s = program_.symbols.find(v.name); s != program_.symbols.end())
            if (variables_.at(std::string(v.name)) == &v)
                if (auto status = initialise(v, s->second.address); !status) return status;
    return Done{};
}

Status ModuleDecoder::initialise(const ptx::Variable& v, std::uint64_t address) {
    // Bytes without an initialiser are zero. They should cost no host memory, because a variable
    // may take most of the device's.
    arena_.clear(address, v.bytes);
    const auto element = static_cast<std::size_t>(std::max(ptx::bits(v.type), 8)) / 8;
    std::vector<std::byte> bytes(std::min<std::uint64_t>(v.bytes, v.init.size() * element));
    std::size_t at = 0;
    for (const ptx::Initialiser& init : v.init) {
        std::uint64_t value = init.bits;
        if (!init.symbol.empty()) {
            if (const auto s = program_.symbols.find(init.symbol); s != program_.symbols.end())
                value = s->second.address;
            else if (const auto f = functions_.find(init.symbol); f != functions_.end())
                value = code_window + std::uint64_t{f->second} * 16;
            else
                return Error{.kind = ErrorKind::submission,
                             .message = fmt::format("`{}` is initialised with the address of `{}`, "
                                                    "which the module does not define",
                                                    v.name, init.symbol)};
            value += static_cast<std::uint64_t>(init.offset);  // modulo 2^64, as addresses are
            if (init.byte >= 0) value = value >> (8 * init.byte) & 0xFF;
        }
        if (at + element > bytes.size()) break;
        std::memcpy(bytes.data() + at, &value, std::min<std::size_t>(element, 8));
        at += element;
    }
    return arena_.write(address, bytes);
}

/// Places the shared variables that several kernels may reach, below each kernel's own.
Status ModuleDecoder::place_shared() {
    std::uint64_t end = 0;
    const auto put = [&](std::string name, const ptx::Variable& v) -> Status {
        const auto at = place(end, v.bytes, v.align, max_shared_bytes);
        if (!at) return too_large(v, "shared", end, max_shared_bytes);
        shared_offsets_.emplace(std::move(name), *at);
        return Done{};
    };
    for (const ptx::Variable& v : program_.module->variables)
        if (v.space == Space::shared && !v.is_extern)
            if (auto status = put(std::string(v.name), v); !status) return status;
    for (std::size_t f = 0; f < program_.functions.size(); ++f) {
        const ptx::Function& function = *program_.functions[f].source;
        if (function.is_entry) continue;
        for (std::size_t n = 0; n < function.variables.size(); ++n)
            if (function.variables[n].space == Space::shared && !function.variables[n].is_extern)
                if (auto status = put(fmt::format("{}/{}", f, n), function.variables[n]); !status)
                    return status;
    }
    program_.common_shared_bytes = end;
    return Done{};
}

Status ModuleDecoder::run() {
    const auto& functions = program_.module->functions;
    program_.functions.resize(functions.size());
    for (std::size_t n = 0; n < functions.size(); ++n) {
        program_.functions[n].source = &functions[n];
        const auto [it, is_new] =
            functions_.try_emplace(std::string(functions[n].name), static_cast<std::uint32_t>(n));
        if (!is_new && !functions[n].is_declaration) it->second = static_cast<std::uint32_t>(n);
    }
    if (auto status = place_variables(); !status) return status;
    if (auto status = place_shared(); !status) return status;
    for (std::size_t n = 0; n < functions.size(); ++n)
        if (!functions[n].is_declaration)
            if (auto status = FunctionDecoder(*this, static_cast<std::uint32_t>(n)).run(); !status)
                return status;
    return Done{};
}

}  // namespace cugrade::emulator
