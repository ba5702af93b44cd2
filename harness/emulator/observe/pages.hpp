// An observer's notes on global memory: one T for each page of 4 KiB, empty at the start of each
// launch. A page is made when it is first asked for, and emptied when a launch first asks for it,
// so a small launch does not pay for a large one before it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/state/memory.hpp"

namespace cugrade::emulator {

template <class T>
class Pages {
public:
    static constexpr std::uint64_t page_bytes = 4096;

    void launch_started() {
        ++launch_;
        recent_.fill({});
        touched_.clear();
    }
    void clear() {
        pages_.clear();
        launch_started();
    }
    /// The T of the page that holds a device address.
    T& at(std::uint64_t address) {
        const std::uint64_t number = (address - Memory::device_base) / page_bytes;
        Recent& recent = recent_[slot_of(number)];
        if (number != recent.number) [[unlikely]]
            recent = {number, &slow(number)};
        return *recent.value;
    }
    /// Calls f(T&) for each page that this launch has asked for.
    template <class F>
    void for_each(F&& f) {
        for (const std::uint64_t number : touched_) f(pages_[number]->value);
    }
    /// Calls f(number of the page, T&) for the same.
    template <class F>
    void for_each_numbered(F&& f) {
        for (const std::uint64_t number : touched_) f(number, pages_[number]->value);
    }

private:
    struct Page {
        std::uint64_t launch = 0;
        T value;
    };
    T& slow(std::uint64_t number) {
        if (number >= pages_.size()) pages_.resize(number + number / 2 + 64);
        auto& page = pages_[number];
        if (page == nullptr) page = std::make_unique<Page>();
        if (page->launch != launch_) {
            page->launch = launch_;
            page->value.reset();
            touched_.push_back(number);
        }
        return page->value;
    }

    /// A kernel streams through a few arrays at once, so a few pages are asked for again and again.
    struct Recent {
        std::uint64_t number = ~std::uint64_t{0};
        T* value = nullptr;
    };
    static constexpr int log2_recent = 4;
    /// By Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): arrays
    /// of one size begin at pages whose last bits are alike.
    static std::size_t slot_of(std::uint64_t number) {
        return static_cast<std::size_t>(number * 0x9E3779B97F4A7C15u >> (64 - log2_recent));
    }

    std::uint64_t launch_ = 0;
    std::array<Recent, std::size_t{1} << log2_recent> recent_{};
    std::vector<std::unique_ptr<Page>> pages_;
    std::vector<std::uint64_t> touched_;
};

}  // namespace cugrade::emulator
