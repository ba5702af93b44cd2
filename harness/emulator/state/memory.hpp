// Device memory of the emulated GPU: one reserved host range, an allocation table in front of it.
#pragma once

#include <cstring>
#include <deque>
#include <map>

#include "emulator/state/machine.hpp"

namespace cugrade::emulator {

/// Windows of the generic address space that are not device memory. Host pointers of a process on
/// a 64-bit machine do not lie here, so a stray one is told from a device address.
constexpr std::uint64_t shared_window = 0x100000000000;
constexpr std::uint64_t local_window = 0x200000000000;
constexpr std::uint64_t param_window = 0x280000000000;
constexpr std::uint64_t code_window = 0x400000000000;  ///< values of function pointers, 16 apart

/// A live allocation as the interpreter caches it: addresses [lo, lo + bytes).
struct Range {
    std::uint64_t lo = 0;
    std::uint64_t bytes = 0;
    std::uintptr_t bias = 0;           ///< an address in the range plus this is its host address
    std::uint64_t* written = nullptr;  ///< a bit per byte, set by stores: see speculation.hpp
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t n) const {
        const std::uint64_t offset = address - lo;
        return offset < bytes && bytes - offset >= n;
    }
    [[nodiscard]] std::byte* host(std::uint64_t address) const {
        return reinterpret_cast<std::byte*>(bias + address);
    }
};

class Arena final : public Memory {
public:
    explicit Arena(std::uint64_t bytes);
    ~Arena() override;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    Result<std::uint64_t> allocate(std::string name, std::uint64_t bytes) override {
        return allocate(std::move(name), bytes, granule);
    }
    Result<std::uint64_t> allocate_pages(std::string name, std::uint64_t bytes) override {
        return allocate(std::move(name), bytes, page);
    }
    /// malloc and cudaMalloc in device code, which have a heap of their own.
    Result<std::uint64_t> allocate_on_device(std::string name, std::uint64_t bytes);
    Result<int> share(std::uint64_t address) override;
    [[nodiscard]] bool is_for_host(std::uint64_t address) const override;
    void hide_stores() override;
    void show_stores() override;
    Status free(std::uint64_t address) override;
    /// Frees only memory from `allocate_on_device`: a kernel does not own its caller's buffers.
    Status free_on_device(std::uint64_t address);
    Status write(std::uint64_t address, std::span<const std::byte> from) override;
    Status read(std::uint64_t address, std::span<std::byte> to) const override;
    Status fill(std::uint64_t address, std::byte value, std::uint64_t bytes) override;
    Status copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;
    [[nodiscard]] std::string describe(std::uint64_t address) const override;
    /// The address and its description; for a host address only the description.
    [[nodiscard]] std::string located(std::uint64_t address) const;
    /// Is there memory that another process maps too?
    [[nodiscard]] bool shares_with_host() const;
    void watch(MemoryObserver* observer) override { observer_ = observer; }
    [[nodiscard]] std::uint64_t used() const override { return used_; }
    [[nodiscard]] std::uint64_t total() const override { return total_; }

    /// Fills part of a new allocation with zeros. If the part is large, its whole pages take no
    /// host memory until somebody writes there.
    void clear(std::uint64_t address, std::uint64_t bytes);

    /// Allocations begin at multiples of these.
    static constexpr std::uint64_t granule = 256;
    static constexpr std::uint64_t page = 4096;

    [[nodiscard]] std::byte* host(std::uint64_t address) const {
        return base_ + (address - device_base);
    }
    /// A device address plus this, modulo 2^64, is its host address.
    [[nodiscard]] std::uintptr_t bias() const {
        return reinterpret_cast<std::uintptr_t>(base_) - device_base;
    }
    /// The live allocation that holds the address; an empty range if there is none.
    [[nodiscard]] Range find(std::uint64_t address) const;
    /// Counts changes of the table, so that cached ranges know when they are stale.
    [[nodiscard]] std::uint64_t generation() const { return generation_; }

private:
    struct Allocation {
        std::string name;
        std::uint64_t bytes = 0;
        std::uint64_t reserved = 0;  ///< with rounding and the gap that follows
        bool pages = false;          ///< no other allocation lies on its pages
        bool on_device = false;      ///< from the heap of device code
        std::byte* shown = nullptr;  ///< a second mapping, if another process maps its file too
    };
    Result<std::uint64_t> allocate(std::string name, std::uint64_t bytes, std::uint64_t align);
    [[nodiscard]] Error outside(const char* verb, std::uint64_t address, std::uint64_t bytes) const;
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const;

    MemoryObserver* observer_ = nullptr;
    std::byte* base_ = nullptr;
    std::uint64_t reserved_ = 0, total_ = 0, used_ = 0, next_ = 0, generation_ = 0;
    std::map<std::uint64_t, Allocation> live_;
    /// Freed ranges, oldest first; used again only when the reserved range is spent.
    std::deque<std::pair<std::uint64_t, Allocation>> freed_;
};

}  // namespace cugrade::emulator
