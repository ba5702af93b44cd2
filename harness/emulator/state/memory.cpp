// Device memory.
//
// The arena reserves the whole address range that it may ever hand out at once, without backing
// (MAP_NORESERVE): eight times the device's memory if the host allows it. Allocations are taken
// from it in increasing order with an unmapped gap behind each, so an address that was freed stays
// invalid until the reserved range is spent; then the ranges freed longest ago come back first. A
// device address becomes a host address by adding one constant, so bounds are the only check
// needed.
#include "emulator/state/memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace cugrade::emulator {
namespace {

constexpr std::uint64_t gap = 4096;
/// Larger allocations stay zero: to poison them, the host would have to back every page.
constexpr std::uint64_t poison_limit = std::uint64_t{16} << 20;

std::uint64_t rounded_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

/// What an allocation from allocate_pages takes.
std::uint64_t whole_pages(std::uint64_t bytes) {
    return rounded_up(std::max<std::uint64_t>(bytes, 1), Arena::page);
}

/// Pages that are equal stay as they are: those that nobody has written take no memory.
void copy_changed_pages(std::byte* to, const std::byte* from, std::uint64_t size) {
    for (std::uint64_t at = 0; at < size; at += Arena::page)
        if (std::memcmp(to + at, from + at, Arena::page) != 0)
            std::memcpy(to + at, from + at, Arena::page);
}

/// Bytes that are implausible as counts, as floats and as pointers, and differ from neighbours.
void poison(std::byte* at, std::uint64_t bytes) {
    static constexpr std::array<unsigned char, 8> pattern{0xCB, 0xA7, 0xD3, 0x9E,
                                                          0xB5, 0xE9, 0xAD, 0xC7};
    // A word at a time: one byte after the other takes as long as a kernel that uses the memory.
    const std::uint64_t words = bytes / pattern.size();
    for (std::uint64_t i = 0; i < words; ++i)
        std::memcpy(at + i * pattern.size(), pattern.data(), pattern.size());
    for (std::uint64_t i = words * pattern.size(); i < bytes; ++i)
        at[i] = std::byte{pattern[i % pattern.size()]};
}

std::string plural(std::uint64_t n) { return fmt::format("{} byte{}", n, n == 1 ? "" : "s"); }

}  // namespace

Arena::Arena(std::uint64_t bytes) : total_(rounded_up(bytes, gap)) {
    for (std::uint64_t factor : {8, 2, 1}) {
        reserved_ = total_ * factor + gap;
        void* p = mmap(nullptr, reserved_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            base_ = static_cast<std::byte*>(p);
            // Most allocations are poisoned, so all of their bytes are touched: with far fewer faults
            // in large pages.
            madvise(base_, reserved_, MADV_HUGEPAGE);
            return;
        }
    }
    throw HarnessFault(
        fmt::format("cannot reserve {} bytes of address space for device memory", total_));
}

Arena::~Arena() {
    for (const auto& [address, allocation] : live_)
        if (allocation.shown != nullptr) munmap(allocation.shown, whole_pages(allocation.bytes));
    munmap(base_, reserved_);
}

Result<std::uint64_t> Arena::allocate(std::string name, std::uint64_t bytes, std::uint64_t align) {
    const std::uint64_t size = rounded_up(std::max<std::uint64_t>(bytes, 1), align);
    const auto full = [&] {
        return Error{.kind = ErrorKind::submission,
                     .message = fmt::format("out of device memory: {} for `{}`, {} of {} in use",
                                            plural(bytes), name, used_, plural(total_))};
    };
    if (bytes > total_ || size > total_ - used_) return full();
    // The bytes before the first aligned address belong to this allocation, too.
    const auto needed = [&](std::uint64_t at) { return rounded_up(at, align) - at + size + gap; };
    std::uint64_t offset = next_, need = needed(next_);
    if (need <= reserved_ - next_) {
        next_ += need;
    } else {
        const auto old = std::find_if(freed_.begin(), freed_.end(), [&](const auto& range) {
            return range.second.reserved >= needed(range.first - device_base);
        });
        if (old == freed_.end()) return full();
        offset = old->first - device_base;
        need = needed(offset);
        // The rest of the old range stays for later allocations.
        old->first += need;
        old->second.reserved -= need;
        old->second.bytes -= std::min(old->second.bytes, need);
        if (old->second.reserved == 0) freed_.erase(old);
    }
    const std::uint64_t first = rounded_up(offset, align);
    const std::uint64_t address = device_base + first;
    if (size <= poison_limit) {
        poison(base_ + first, size);
    } else {
        // It may be used here and there.
        const std::uint64_t from = rounded_up(first, page);
        madvise(base_ + from, (first + size - from) / page * page, MADV_NOHUGEPAGE);
    }
    used_ += size;
    ++generation_;
    live_.emplace(address,
                  Allocation{.name = std::move(name),
                             .bytes = bytes,
                             .reserved = need - (first - offset),
                             .pages = align == page});
    if (align != page && observer_ != nullptr) observer_->allocated(address, bytes);
    return address;
}

Result<std::uint64_t> Arena::allocate_on_device(std::string name, std::uint64_t bytes) {
    auto address = allocate(std::move(name), bytes);
    if (address) live_.at(*address).on_device = true;
    return address;
}

Status Arena::free_on_device(std::uint64_t address) {
    if (const auto it = live_.find(address); it != live_.end() && !it->second.on_device)
        return Error{
            .kind = ErrorKind::submission,
            .message = fmt::format("free of {}, which is not from the heap of device code: a "
                                   "kernel frees only what kernels have allocated",
                                   located(address))};
    return free(address);
}

Status Arena::free(std::uint64_t address) {
    const auto it = live_.find(address);
    if (it == live_.end())
        return Error{.kind = ErrorKind::submission,
                     .message = fmt::format("free of {}", located(address))};
    const std::uint64_t size = it->second.pages
                                   ? whole_pages(it->second.bytes)
                                   : rounded_up(std::max<std::uint64_t>(it->second.bytes, 1), granule);
    if (it->second.shown != nullptr) munmap(it->second.shown, size);
    if (it->second.shown != nullptr &&
        mmap(host(address), size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        throw HarnessFault("shared device memory cannot be taken back");
    used_ -= size;
    // Give whole pages back to the host. The other bytes stay readable, but no live allocation
    // leads to them.
    const std::uint64_t first = rounded_up(address - device_base, gap);
    const std::uint64_t last = (address - device_base + it->second.reserved) / gap * gap;
    if (first < last) madvise(base_ + first, last - first, MADV_DONTNEED);
    freed_.emplace_back(address, std::move(it->second));
    live_.erase(it);
    ++generation_;
    if (observer_ != nullptr) observer_->freed(address);
    return Done{};
}

Result<int> Arena::share(std::uint64_t address) {
    const auto refuse = [&](const char* why) {
        return Error{.kind = ErrorKind::submission,
                     .message = fmt::format("sharing {}: {}", located(address), why)};
    };
    const auto it = live_.find(address);
    if (it == live_.end() || !it->second.pages || it->second.shown != nullptr)
        return refuse("it was not allocated for that");
    const std::uint64_t size = whole_pages(it->second.bytes);
    const int fd = memfd_create("cugrade-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return refuse("no file in memory can be made");
    // The seals keep the other process from taking pages of the file from under this one.
    if (ftruncate(fd, static_cast<off_t>(size)) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        close(fd);
        return refuse("a file in memory cannot be made as large");
    }
    void* map = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        close(fd);
        return refuse("the file in memory cannot be mapped");
    }
    copy_changed_pages(static_cast<std::byte*>(map), host(address), size);
    if (mmap(host(address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
        MAP_FAILED) {
        munmap(map, size);
        close(fd);
        return refuse("the file in memory cannot be mapped");
    }
    it->second.shown = static_cast<std::byte*>(map);
    return fd;
}

bool Arena::is_for_host(std::uint64_t address) const {
    const auto it = live_.find(find(address).lo);
    return it != live_.end() && it->second.pages;
}

void Arena::hide_stores() {
    for (const auto& [address, allocation] : live_) {
        if (allocation.shown == nullptr) continue;
        const std::uint64_t size = whole_pages(allocation.bytes);
        if (mmap(host(address), size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
            throw HarnessFault("shared device memory cannot be copied");
        copy_changed_pages(host(address), allocation.shown, size);
    }
}

void Arena::show_stores() {
    for (const auto& [address, allocation] : live_) {
        if (allocation.shown == nullptr) continue;
        const std::uint64_t size = whole_pages(allocation.bytes);
        copy_changed_pages(allocation.shown, host(address), size);
        // An old size of 0 keeps the old mapping.
        if (mremap(allocation.shown, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, host(address)) ==
            MAP_FAILED)
            throw HarnessFault("shared device memory cannot be mapped again");
    }
}

bool Arena::shares_with_host() const {
    return std::ranges::any_of(live_, [](const auto& entry) { return entry.second.shown != nullptr; });
}

Range Arena::find(std::uint64_t address) const {
    auto it = live_.upper_bound(address);
    if (it == live_.begin()) return {};
    --it;
    if (address - it->first >= it->second.bytes) return {};
    return {it->first, it->second.bytes, bias()};
}

bool Arena::holds(std::uint64_t address, std::uint64_t bytes) const {
    if (bytes == 0) return true;
    return find(address).holds(address, bytes);
}

Error Arena::outside(const char* verb, std::uint64_t address, std::uint64_t bytes) const {
    const Range range = find(address);
    std::string where = located(address);
    if (range.bytes != 0)
        where = fmt::format("{}, where only {} are left", where,
                            plural(range.lo + range.bytes - address));
    return Error{.kind = ErrorKind::submission,
                 .message = fmt::format("{} {} at {}", verb, plural(bytes), where)};
}

Status Arena::write(std::uint64_t address, std::span<const std::byte> from) {
    if (!holds(address, from.size())) return outside("writing", address, from.size());
    if (!from.empty()) std::memcpy(host(address), from.data(), from.size());
    if (observer_ != nullptr) observer_->written(address, from.size());
    return Done{};
}

Status Arena::read(std::uint64_t address, std::span<std::byte> to) const {
    if (!holds(address, to.size())) return outside("reading", address, to.size());
    if (!to.empty()) std::memcpy(to.data(), host(address), to.size());
    return Done{};
}

void Arena::clear(std::uint64_t address, std::uint64_t bytes) {
    std::byte* const first = host(address);
    const std::uint64_t before =
        std::min(rounded_up(address - device_base, page) - (address - device_base), bytes);
    const std::uint64_t pages = (bytes - before) / page * page;
    if (pages <= poison_limit) {
        std::memset(first, 0, bytes);
    } else {
        std::memset(first, 0, before);
        if (madvise(first + before, pages, MADV_DONTNEED) != 0)
            std::memset(first + before, 0, pages);
        std::memset(first + before + pages, 0, bytes - before - pages);
    }
    if (observer_ != nullptr) observer_->written(address, bytes);
}

Status Arena::fill(std::uint64_t address, std::byte value, std::uint64_t bytes) {
    if (!holds(address, bytes)) return outside("filling", address, bytes);
    if (bytes != 0) std::memset(host(address), static_cast<int>(value), bytes);
    if (observer_ != nullptr) observer_->written(address, bytes);
    return Done{};
}

Status Arena::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    if (!holds(from, bytes)) return outside("reading", from, bytes);
    if (!holds(to, bytes)) return outside("writing", to, bytes);
    if (bytes != 0) std::memmove(host(to), host(from), bytes);
    if (observer_ != nullptr) observer_->copied(to, from, bytes);
    return Done{};
}

std::string Arena::located(std::uint64_t address) const {
    // A host address differs from run to run; to print it would make reports differ.
    const bool ours = address < 4096 || address - device_base < reserved_ ||
                      address - shared_window < std::uint64_t{1} << 32 ||
                      address - local_window < std::uint64_t{1} << 32;
    return ours ? fmt::format("{:#x}, {}", address, describe(address)) : describe(address);
}

std::string Arena::describe(std::uint64_t address) const {
    if (address < 4096) return "a null pointer, or an offset from one";
    if (address >= shared_window && address - shared_window < std::uint64_t{1} << 32)
        return "an address of shared memory";
    if (address >= local_window && address - local_window < std::uint64_t{1} << 32)
        return "an address of a thread's local memory";
    if (address < device_base || address - device_base >= reserved_)
        return "what is no device address (a host pointer, or an index far out of range)";
    auto after = live_.upper_bound(address);
    const auto name = [](const auto& allocation) {
        return fmt::format("`{}` ({})", allocation.second.name, plural(allocation.second.bytes));
    };
    std::string nearest = "inside no allocation";
    std::uint64_t distance = UINT64_MAX;
    if (after != live_.begin()) {
        const auto& before = *std::prev(after);
        const std::uint64_t offset = address - before.first;
        if (offset < before.second.bytes)
            return fmt::format("{} into {}", plural(offset), name(before));
        distance = offset - before.second.bytes;
        nearest = fmt::format("{} past the end of {}", plural(distance), name(before));
    }
    for (const auto& old : freed_)
        if (address >= old.first && address - old.first < old.second.bytes)
            return fmt::format("{} into {}, which has been freed", plural(address - old.first),
                               name(old));
    if (after != live_.end() && after->first - address < distance)
        nearest =
            fmt::format("{} before the start of {}", plural(after->first - address), name(*after));
    return nearest;
}

}  // namespace cugrade::emulator
