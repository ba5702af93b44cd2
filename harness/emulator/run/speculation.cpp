#include "emulator/run/speculation.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include "emulator/ops/access.hpp"

namespace cugrade::emulator {
namespace {

/// Blocks that store to consecutive addresses need few strips at a time, which stay in the cache.
/// Blocks that scatter their stores get a window on the whole allocation, which has more pages.
constexpr u64 strip_bytes = u64{64} << 10;
constexpr u64 most_strips = 64;
constexpr u64 largest_small_allocation = 2 * strip_bytes;
/// Sums that do not start from zero need the whole window filled with their identity. Blocks do not
/// run in parallel if that is more than this.
constexpr u64 most_bytes_to_clear = u64{16} << 20;
/// A block that has run for so many warp instructions may be waiting for another one.
constexpr u64 longest_block = u64{1} << 27;
/// In order, a slice is cut short where the budget ends: see run_warp.
constexpr u64 longest_slice = 1024;

u64 whole_pieces(u64 n, u64 piece) { return (n + piece - 1) / piece * piece; }

/// Calls f.operator()<T>(identity, operation) for the sums of a use.
template <class F>
void with_sum(Use use, F f) {
    const auto add = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
    const auto least = [](auto a, auto b) { return std::min(a, b); };
    const auto most = [](auto a, auto b) { return std::max(a, b); };
    const auto both = [](auto a, auto b) { return a & b; };
    const auto any = [](auto a, auto b) { return a | b; };
    const auto differ = [](auto a, auto b) { return a ^ b; };
    switch (use) {
        case Use::add4: return f(u32{0}, add);
        case Use::add8: return f(u64{0}, add);
        case Use::min_u4: return f(std::numeric_limits<u32>::max(), least);
        case Use::min_u8: return f(std::numeric_limits<u64>::max(), least);
        case Use::min_s4: return f(std::numeric_limits<s32>::max(), least);
        case Use::min_s8: return f(std::numeric_limits<s64>::max(), least);
        case Use::max_u4: return f(std::numeric_limits<u32>::min(), most);
        case Use::max_u8: return f(std::numeric_limits<u64>::min(), most);
        case Use::max_s4: return f(std::numeric_limits<s32>::min(), most);
        case Use::max_s8: return f(std::numeric_limits<s64>::min(), most);
        case Use::and4: return f(~u32{0}, both);
        case Use::and8: return f(~u64{0}, both);
        case Use::or4: return f(u32{0}, any);
        case Use::or8: return f(u64{0}, any);
        case Use::xor4: return f(u32{0}, differ);
        case Use::xor8: return f(u64{0}, differ);
        case Use::nothing:
        case Use::load:
        case Use::store:
        case Use::ordered: break;
    }
}

void clear_sums(std::byte* to, u64 bytes, Use use) {
    with_sum(use, [&]<class T>(T identity, auto) {
        for (u64 at = 0; at + sizeof(T) <= bytes; at += sizeof(T))
            std::memcpy(to + at, &identity, sizeof(T));
    });
}

void add_sums(std::byte* to, const std::byte* from, u64 bytes, Use use) {
    with_sum(use, [&]<class T>(T, auto operation) {
        for (u64 at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
            T a, b;
            std::memcpy(&a, to + at, sizeof(T));
            std::memcpy(&b, from + at, sizeof(T));
            a = operation(a, b);
            std::memcpy(to + at, &a, sizeof(T));
        }
    });
}

/// Copies the bytes that have their bit set. 64 bytes are one word of bits.
void copy_written(std::byte* to, const std::byte* from, const u64* written, u64 bytes) {
    for (u64 at = 0; at < bytes; at += 64) {
        const u64 word = written[at / 64];
        if (word == ~u64{0}) {
            std::memcpy(to + at, from + at, 64);
            continue;
        }
        for (u64 left = word; left != 0; left &= left - 1) {
            const auto n = static_cast<u64>(std::countr_zero(left));
            to[at + n] = from[at + n];
        }
    }
}

}  // namespace

BlockOrder block_order(const Program& program, const DecodedFunction& f) {
    // Larger local memory is not cleared for each block.
    if (f.local_bytes > cleared_local_bytes) return BlockOrder::visible;
    for (const Ins* i = program.at(f.entry); i != program.at(f.end); ++i) {
        if (i->op == op::call || i->op == op::call_indirect || i->op == op::clock4 ||
            i->op == op::clock8 || i->op == op::nanosleep)
            return BlockOrder::visible;
        if (i->op == op::call_builtin && i->imm != builtin_index("__assertfail"))
            return BlockOrder::visible;
        if (i->use == Use::ordered && static_cast<ptx::Space>(i->space) == ptx::Space::global)
            return BlockOrder::visible;
    }
    for (const ptx::Operand& o : f.source->operands)
        if (o.kind == ptx::OperandKind::special && o.name == "%smid") return BlockOrder::visible;
    return BlockOrder::hidden;
}

Pages::Pages(u64 bytes) : bytes_(bytes) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    p_ = static_cast<std::byte*>(p);
}

Pages::~Pages() { munmap(p_, bytes_); }

// Layout: the data; a byte per piece, in descending order, 0 if untouched; a bit per byte of data.
Window::Window(u64 most_bytes)
    : pages_(whole_pieces(most_bytes, written_piece) +
             whole_pieces(most_bytes / written_piece + 1, 64) +
             whole_pieces(most_bytes, written_piece) / 8),
      written_(reinterpret_cast<u64*>(pages_.data() + whole_pieces(most_bytes, written_piece) +
                                      whole_pieces(most_bytes / written_piece + 1, 64))) {}

Range Window::range() const {
    return {lo_, bytes_, reinterpret_cast<std::uintptr_t>(data()) - lo_, written_};
}

template <class F>
void Window::take_touched(F&& f) {
    const u64 pieces = (bytes_ + written_piece - 1) / written_piece;
    for (u64 n = 0; n < pieces; n += 8) {
        u64 eight;
        std::memcpy(&eight, written_ - n / 8 - 1, 8);
        if (eight == 0) continue;
        for (u64 piece = n; piece < std::min(n + 8, pieces); ++piece) {
            std::uint8_t& touched = touched_piece(written_, piece);
            if (touched == 0) continue;
            const u64 at = piece * written_piece;
            f(at, std::min(written_piece, bytes_ - at));
            touched = 0;
            std::memset(written_ + at / 64, 0, written_piece / 8);
        }
    }
}

Range Speculator::use(const Range& range, u64 address, Use use) {
    if (range.bytes == 0) return range;
    Allocation& allocation = allocations_[range.lo];
    if (allocation.use == Use::nothing && all_.claim(range.lo, use)) allocation.use = use;
    if (allocation.use != use) return give_up(), Range{};
    return use == Use::load ? range : window(allocation, range, address);
}

Range Speculator::window(Allocation& allocation, const Range& range, u64 address) {
    if (allocation.whole != nullptr) return allocation.whole->range();
    const u64 number = (address - range.lo) / strip_bytes;
    if (allocation.use == Use::store && range.bytes > largest_small_allocation) {
        if (const auto it = allocation.strips.find(number); it != allocation.strips.end())
            return it->second->range();
        if (allocation.strips.size() < most_strips) {
            if (unused_.empty()) {
                unused_.reserve(++strips_);  // commit must not fail half-way
                unused_.push_back(std::make_unique<Window>(strip_bytes));
            }
            Window& strip = *(allocation.strips[number] = std::move(unused_.back()));
            unused_.pop_back();
            const u64 at = number * strip_bytes;
            strip.place(range.lo + at, std::min(strip_bytes, range.bytes - at));
            return strip.range();
        }
    }
    bool starts_from_zero = true;
    with_sum(allocation.use, [&](auto identity, auto) { starts_from_zero = identity == 0; });
    if (!starts_from_zero && range.bytes > most_bytes_to_clear) return give_up(), Range{};
    allocation.whole = std::make_unique<Window>(range.bytes);
    Window& whole = *allocation.whole;
    whole.place(range.lo, range.bytes);
    if (!starts_from_zero) clear_sums(whole.data(), range.bytes, allocation.use);
    for (auto& [n, strip] : allocation.strips) {
        const u64 offset = strip->lo() - range.lo;
        strip->take_touched([&, from = strip.get()](u64 at, u64 bytes) {
            copy_written(whole.data() + offset + at, from->data() + at, from->written() + at / 64,
                         bytes);
            std::memcpy(whole.written() + (offset + at) / 64, from->written() + at / 64,
                        written_piece / 8);
            touched_piece(whole.written(), (offset + at) / written_piece) = 1;
        });
        unused_.push_back(std::move(strip));
    }
    allocation.strips.clear();
    // No instruction may go on writing to a strip.
    std::fill(own_.ranges.begin(), own_.ranges.end(), Range{});
    return whole.range();
}

/// Writes the effects of the share to device memory.
void Speculator::commit() {
    for (auto& [address, allocation] : allocations_) {
        const auto commit_window = [&, use = allocation.use](Window& w) {
            std::byte* target = own_.arena->host(w.lo());
            w.take_touched([&](u64 at, u64 bytes) {
                if (use == Use::store) {
                    copy_written(target + at, w.data() + at, w.written() + at / 64, bytes);
                } else {
                    add_sums(target + at, w.data() + at, bytes, use);
                    clear_sums(w.data() + at, bytes, use);
                }
            });
        };
        if (allocation.whole != nullptr) commit_window(*allocation.whole);
        for (auto& [number, strip] : allocation.strips) {
            commit_window(*strip);
            unused_.push_back(std::move(strip));
        }
        allocation.strips.clear();
    }
    // No instruction may go on writing to the strips, which will serve other places.
    std::fill(own_.ranges.begin(), own_.ranges.end(), Range{});
}

/// Gives the allocation this use. False if it has another use already, or if parallel blocks may
/// not have this use at all.
bool Speculation::claim(u64 allocation, Use use) {
    if (use == Use::ordered || use == Use::nothing) return false;
    const std::scoped_lock lock(mutex_);
    return uses_.try_emplace(allocation, use).first->second == use;
}

/// Claims the variables that the code reads at fixed host addresses: those loads never ask for a
/// range.
bool Speculation::claim_static_loads() {
    const Program& program = *launch_.program;
    const Ins* end = program.at(launch_.kernel->end);
    for (const Ins* i = program.at(launch_.kernel->entry); i != end; ++i) {
        if (i->touch != Touch::fixed) continue;
        const u64 address = static_cast<u64>(i->imm) - launch_.arena->bias();
        if (!claim(launch_.arena->find(address).lo, Use::load)) return false;
    }
    return true;
}

u64 Speculation::run(u64 from, u64 to, u64 share,
                     const std::function<RunBlock(Launch&)>& make_runner) {
    if (!claim_static_loads()) return from;
    next_ = committed_ = from;
    to_ = to;
    share_ = share;
    workers_.run([&] {
        try {
            run_thread(make_runner);
        } catch (const std::exception&) {
            // Out of memory: one thread alone may have enough. Shares that other threads have not
            // committed yet are dropped.
            {
                const std::scoped_lock lock(mutex_);
                stop_at_ = 0;
            }
            turn_.notify_all();
        }
    });
    return committed_;
}

void Speculation::run_thread(const std::function<RunBlock(Launch&)>& make_runner) {
    // Every block has the same budget, which limits the time lost. A block that uses more than half
    // of it is not committed, so the budget never shows.
    const u64 budget = launch_.options->warp_instruction_budget;
    LaunchOptions options = *launch_.options;
    options.warp_instruction_budget = budget == 0 ? 2 * longest_block : budget / 8;
    Launch own;
    {
        const std::scoped_lock lock(mutex_);  // commits change some of it
        own = launch_;
    }
    own.options = &options;
    own.ranges.assign(launch_.ranges.size(), {});
    own.stacks.clear();
    own.workers = nullptr;
    Speculator mine(*this, own);
    own.speculator = &mine;
    struct Stacks {
        Launch& of;
        ~Stacks() { release_stacks(of); }
    } const stacks{own};
    const RunBlock run_block = make_runner(own);
    for (;;) {
        const u64 first = next_.fetch_add(share_, std::memory_order_relaxed);
        if (first >= to_ || first >= stop_at_.load(std::memory_order_relaxed)) return;
        if (!run_share(first, own, mine, run_block)) return;
    }
}

bool Speculation::run_share(u64 first, Launch& own, Speculator& mine, const RunBlock& run_block) {
    u64 executed = 0, thread_instructions = 0;
    const u64 end = std::min(first + share_, to_);
    bool good = true;
    for (u64 block = first; block < end && good; ++block) {
        own.executed = own.thread_instructions = 0;
        own.track_changes = false;
        good = first < stop_at_.load(std::memory_order_relaxed) && run_block(block) &&
               !mine.given_up_ && own.executed <= own.options->warp_instruction_budget / 2;
        executed += own.executed;
        thread_instructions += own.thread_instructions;
    }
    {
        std::unique_lock lock(mutex_);
        if (good) turn_.wait(lock, [&] { return committed_ == first || stop_at_ <= first; });
        // From half of the budget on, run_warp tracks changes, which a share does not.
        const u64 budget = launch_.options->warp_instruction_budget;
        good = good && stop_at_ > first &&
               (budget == 0 || launch_.executed + executed + longest_slice < budget / 2);
        if (!good) {
            stop_at_ = std::min(stop_at_.load(), first);
            turn_.notify_all();
            return false;
        }
    }
    mine.commit();
    {
        const std::scoped_lock lock(mutex_);
        launch_.executed += executed;
        launch_.thread_instructions += thread_instructions;
        committed_ = end;
    }
    turn_.notify_all();
    return true;
}

}  // namespace cugrade::emulator
