#include "emulator/model/time_model.hpp"

#include <algorithm>
#include <cmath>

#include "protocol/occupancy.hpp"

namespace cugrade::model {
namespace {

using emulator::AtomicLoad;
using emulator::Counts;
using emulator::HostCounts;
using emulator::InstructionClass;
using emulator::KernelCounts;
using emulator::number;
namespace protocol = emulator::protocol;

/// The quantities that are extrapolated from the samples.
enum Quantity : std::size_t {
    launches,
    host_launches,
    blocks,
    warps,
    instructions,
    doubles,
    barriers,
    lines,
    accesses,
    local_lines,
    load_requests,
    load_sectors,
    global_requests,
    missed_requests,
    missed_lines,
    missed_sectors,
    stored_lines,
    stored_sectors,
    distinct_sectors,
    rewritten_sectors,
    wavefronts,
    waits,
    missed_waits,
    passes,
    again_sectors,
    again_reach,
    swap_passes,
    shared_waits,
    shared_requests,
    busiest_global,
    busiest_shared,
    busiest_block_global,
    busiest_block_shared,
    most_sectors,
    first_atomic,  // for each kind: sectors, on one address, in one KiB
    quantities = first_atomic + 12,
};
using Work = std::array<double, quantities>;

Work work_of(const KernelCounts& k) {
    Work w{};
    const Counts& c = k.total;
    const emulator::TimingCounts& t = *k.timing;
    const double threads = std::max(1.0, number(k.block[0]) * k.block[1] * k.block[2]);
    w[launches] = number(k.launches);
    w[host_launches] = number(c.host_launches);
    w[blocks] = number(k.blocks);
    w[warps] = number(k.blocks) * std::ceil(threads / 32);
    w[instructions] = number(t.issue_slots);
    w[doubles] = number(c.by_class[static_cast<std::size_t>(InstructionClass::fp64)]);
    w[barriers] = number(c.barriers);
    w[lines] = number(t.lines);
    w[accesses] = number(c.global_load.lanes + c.global_store.lanes + c.global_atomic.lanes);
    w[local_lines] = number(c.local_load.sectors + c.local_store.sectors) / 4;
    w[load_requests] = number(c.global_load.requests);
    w[load_sectors] = number(c.global_load.sectors);
    w[global_requests] =
        number(c.global_load.requests + c.global_store.requests + c.global_atomic.requests);
    w[missed_requests] = number(t.missed_requests);
    w[missed_lines] = number(t.missed_lines);
    w[missed_sectors] = number(t.missed_sectors);
    w[stored_lines] = number(t.stored_lines);
    w[stored_sectors] = number(c.global_store.sectors);
    w[distinct_sectors] = number(k.distinct_global_bytes) / 32;
    w[rewritten_sectors] = number(k.rewritten_global_bytes) / 32;
    w[wavefronts] =
        number(c.shared_load.wavefronts + c.shared_store.wavefronts + c.shared_atomic.wavefronts);
    w[waits] = number(t.waits);
    w[missed_waits] = number(t.missed_waits);
    w[passes] = number(t.passes);
    w[again_sectors] = number(t.again_sectors);
    w[again_reach] = number(t.again_reach);
    w[swap_passes] = number(t.shared_swaps);
    w[shared_waits] = number(t.shared_waits);
    w[shared_requests] =
        number(c.shared_load.requests + c.shared_store.requests + c.shared_atomic.requests);
    w[busiest_global] = number(t.busiest_global_requests);
    w[busiest_shared] = number(t.busiest_shared_requests);
    w[busiest_block_global] = number(t.busiest_block_global);
    w[busiest_block_shared] = number(t.busiest_block_shared);
    w[most_sectors] = number(k.most_global_bytes) / 32;
    std::size_t at = first_atomic;
    for (const AtomicLoad* a : {&t.integer32, &t.integer64, &t.floating, &t.swaps}) {
        w[at++] = number(a->sectors);
        w[at++] = number(a->most_on_one_address);
        w[at++] = number(a->most_in_one_kib);
    }
    return w;
}

const KernelCounts* find(const Sample& sample, const std::string& kernel) {
    const auto found = std::ranges::find(sample.counts.kernels, kernel, &KernelCounts::kernel);
    return found == sample.counts.kernels.end() || !found->timing ? nullptr : &*found;
}

/// Extrapolates the launches of one kernel. A program launches it equally often at every size, or
/// so many times for each element, or so many more for each doubling of the size.
double extrapolated_launches(double small, double larger, double small_elements,
                             double larger_elements, double elements) {
    if (small >= larger || small <= 0) return larger;
    const double doublings = std::log2(larger_elements / small_elements);
    if (std::log2(larger / small) > 0.5 * doublings)
        return extrapolated(small, larger, small_elements, larger_elements, elements);
    return std::max(larger + (larger - small) * std::log2(elements / larger_elements) / doublings,
                    1.0);
}

/// What L1 does not have. Where data outgrow it between two samples, these counts jump, and grow
/// with the data from there.
bool is_missed(std::size_t q) {
    return q == missed_requests || q == missed_lines || q == missed_sectors || q == missed_waits ||
           q == again_sectors;
}

bool is_of_busiest_block(std::size_t q) {
    return q == busiest_block_global || q == busiest_block_shared;
}

/// The requests of the busiest block. They grow at most as the data do. Where more multiprocessors
/// get more blocks, each has less to do.
double busiest_block_at(std::size_t q, const Work& small, const Work& larger, const Work& wide,
                        const std::array<double, 3>& elements, double more) {
    const double now = larger[q];
    double out = now;
    if (small[launches] > 0)
        out = std::min(extrapolated(small[q], now, elements[0], elements[1], elements[2]),
                       now * std::max(1.0, elements[2] / elements[1]));
    const double wider = wide[blocks] / std::max(larger[blocks], 1.0);
    if (wider > 1 && wide[q] > 0 && wide[q] < now)
        out *= std::pow(wide[q] / now, std::log(1 + (wider - 1) * more) / std::log(wider));
    return out;
}

/// The work of all launches of a kernel, extrapolated to `elements` and `multiprocessors`.
Work work_at(const Samples& samples, const KernelCounts& larger, double elements,
             double multiprocessors, const Cautious* cautious) {
    const Sample &a = samples[0], &b = samples[1], &c = samples[2];
    const Work at_larger = work_of(larger);
    Work out = at_larger;
    const KernelCounts* small = find(a, larger.kernel);
    const KernelCounts* wide = find(c, larger.kernel);
    // A kernel that the smaller size does not launch would else seem to be the same at every size.
    const double in_proportion = std::max(1.0, elements / b.elements);
    const KernelCounts* middle = cautious != nullptr && cautious->between
                                     ? find(*cautious->between, larger.kernel)
                                     : nullptr;
    const Work at_middle = middle != nullptr ? work_of(*middle) : Work{};
    const Work at_small = small != nullptr ? work_of(*small) : Work{};
    const Work at_wide = wide != nullptr ? work_of(*wide) : out;
    const double more =
        c.multiprocessors == b.multiprocessors
            ? 0
            : (multiprocessors - b.multiprocessors) / (c.multiprocessors - b.multiprocessors);
    for (std::size_t q = 0; q < quantities; ++q) {
        if (is_of_busiest_block(q)) {
            out[q] = busiest_block_at(q, at_small, at_larger, at_wide,
                                      {a.elements, b.elements, elements}, more);
            continue;
        }
        const bool is_number_of_launches = q == launches || q == host_launches;
        const auto continued = is_number_of_launches ? extrapolated_launches : extrapolated;
        const double at_b = out[q];
        if (small != nullptr)
            out[q] = continued(at_small[q], at_b, a.elements, b.elements, elements);
        else if (!is_number_of_launches)
            out[q] *= in_proportion;
        if (is_missed(q)) out[q] = std::min(out[q], at_b * in_proportion);
        if (cautious != nullptr && is_number_of_launches && at_b >= Cautious::least_launches)
            out[q] = std::max(out[q], at_b * in_proportion);
        if (cautious != nullptr && !cautious->only_launches && !is_number_of_launches) {
            out[q] = std::max(out[q], at_b * in_proportion);
            // Along the line, never as a power: two near sizes make a large power of a small doubt.
            if (middle != nullptr && at_b > at_middle[q])
                out[q] = std::max(out[q], at_b + (at_b - at_middle[q]) * (elements - b.elements) /
                                                     (b.elements - cautious->between->elements));
        }
        // More multiprocessors do not make less work; a program that is told of few might.
        out[q] += std::max(0.0, at_wide[q] - at_b) * more;
    }
    // Where threads walk sections that are short at small sizes, lanes share lines there, and do
    // not later: a lane touches one.
    out[lines] = std::min(out[lines], std::max(out[accesses], at_larger[lines]));
    out[passes] = std::min(out[passes], std::max(out[accesses], at_larger[passes]));
    out[missed_waits] = std::min(out[missed_waits], out[waits]);
    out[again_sectors] = std::min(out[again_sectors], out[missed_sectors] + out[stored_sectors]);
    if (at_larger[again_sectors] > 0)
        out[again_reach] = at_larger[again_reach] / at_larger[again_sectors] * out[again_sectors];
    out[missed_requests] = std::min(out[missed_requests], out[load_requests]);
    out[missed_lines] = std::clamp(out[lines] - out[stored_lines], 0.0, out[missed_lines]);
    out[missed_sectors] = std::min(out[missed_sectors], out[load_sectors]);
    return out;
}

/// Since compute capability 8.0 the system reserves 1 KiB of shared memory for each block.
protocol::Multiprocessor multiprocessor_of(const Device& d) {
    return {.threads = static_cast<std::uint64_t>(d.threads),
            .blocks = static_cast<std::uint64_t>(d.blocks),
            .shared_bytes = static_cast<std::uint64_t>(d.shared_kib * 1024),
            .reserved_shared_bytes = 1024};
}

/// Where each launch has less to do than the one before, all launches together take as long as a
/// few of the largest: as so many.
double like_largest_of(const Work& all) {
    const double launched = std::max(all[launches], 1.0);
    return all[most_sectors] > 0
               ? std::clamp(all[distinct_sectors] / all[most_sectors], 1.0, launched)
               : launched;
}

double bytes_of_largest(const Work& all) {
    return all[distinct_sectors] * 32 / like_largest_of(all);
}

double l2_bytes_of(const Device& d) { return d.l2_mib * 1024 * 1024; }

/// Data that fit into L2 are there already: the launch before, or the caller, left them there. But
/// not where the launches of a call touch different data, and all of it together does not fit. The
/// part of what such launches touch that comes from DRAM: what the other launches have not brought.
double beyond_l2(const Device& d, double distinct_bytes, const std::vector<Work>& kernels) {
    double in_large = 0, in_small = 0;
    for (const Work& all : kernels)
        (bytes_of_largest(all) > l2_bytes_of(d) ? in_large : in_small) +=
            all[distinct_sectors] * 32;
    return distinct_bytes > l2_bytes_of(d) && in_small > 0
               ? std::clamp((distinct_bytes - in_large) / in_small, 0.0, 1.0)
               : 0;
}

/// Is a line gone from L2 after so many others? Measured on an H200 with warps that walk sections
/// of their own: 16 % are when the others fill L2, 69 % when they would fill it 1.15 times.
double chance_to_go(double part_of_l2) { return 1 / (1 + std::pow(1.08 / part_of_l2, 12)); }

/// Computes the parts in clocks of one launch, then scales them to microseconds of all launches.
/// `beyond`: of beyond_l2().
KernelTime time_of(const Device& d, const Calibration& k, const KernelCounts& kernel,
                   const Work& all, double beyond) {
    KernelTime out{.kernel = kernel.kernel, .launches = std::max(all[launches], 1.0)};
    const double like_largest = like_largest_of(all);
    out.blocks = all[blocks] / like_largest;
    Work w = all;
    for (double& q : w) q /= like_largest;
    const double clocks_per_us = d.clock_ghz * 1e3;
    const double sms = d.multiprocessors;

    out.issue = (w[instructions] * k.issue / 4 + w[doubles] * 32 / d.fp64_lanes) / sms;
    out.l1 = ((w[passes] + w[local_lines]) * k.l1_pass + w[missed_sectors] * k.l1_fill +
              w[stored_lines] * k.l1_store + w[wavefronts] * k.wavefront +
              w[swap_passes] * k.swap_pass) /
             sms;
    double atomic_sectors = 0;
    const double address[] = {k.address32, k.address64, k.address_float, k.address_swap};
    const double kib[] = {k.kib32, k.kib64, k.kib64, k.kib64};
    for (std::size_t kind = 0; kind < 4; ++kind) {
        const double* a = &w[first_atomic + 3 * kind];
        atomic_sectors += a[0];
        out.atomics = std::max({out.atomics, a[1] * address[kind], a[2] * kib[kind]});
    }
    out.atomics = std::max(out.atomics, atomic_sectors * k.atomic_sector / d.l2_bytes_per_clock);
    const auto in_l2 = [&](double loads, double stores, double sectors) {
        return (loads * k.l2_load + stores * k.l2_store + sectors * k.l2_sector) /
               d.l2_bytes_per_clock;
    };
    out.l2 = in_l2(w[missed_lines], w[stored_lines], w[missed_sectors] + w[stored_sectors]);
    const double bytes = w[distinct_sectors] * 32;
    const bool fits = bytes <= l2_bytes_of(d);
    const double moved = w[missed_sectors] + w[stored_sectors];
    // What is loaded and stored goes both ways.
    const double both_ways = bytes + w[rewritten_sectors] * 32;
    const double of_dram = fits ? beyond * both_ways : both_ways;
    // Of what warps come back to, this part has been displaced from L2, too.
    const double reach = w[again_sectors] > 0 ? w[again_reach] / w[again_sectors] * sms * 128 : 0;
    const double displaced = w[again_sectors] * 32 * chance_to_go(reach / l2_bytes_of(d));
    const double in_a_line = w[missed_lines] > 0 ? w[missed_sectors] / w[missed_lines] : 4;
    const double of_loads = moved > 0 ? w[missed_sectors] / moved : 0;
    const double single = of_loads * std::clamp((4 - in_a_line) / 3, 0.0, 1.0);
    out.dram = (of_dram * (1 + k.dram_single * single) + displaced * k.dram_again) /
               (d.dram_gb_s * k.dram_efficiency) * d.clock_ghz;
    if (fits) out.l2 = std::max(out.l2, in_l2(0, 0, w[distinct_sectors]));

    const double threads =
        std::max(1.0, number(kernel.block[0]) * kernel.block[1] * kernel.block[2]);
    const double resident = std::max(
        1.0,
        number(protocol::resident_blocks(multiprocessor_of(d), static_cast<std::uint64_t>(threads),
                                         kernel.shared_bytes)
                   .count));
    const double block_count = std::max(w[blocks], 1.0), warp_count = std::max(w[warps], 1.0);
    const double misses = w[waits] > 0 ? std::min(1.0, w[missed_waits] / w[waits]) : 1;
    const double from_dram = moved > 0 ? std::min(1.0, of_dram / 32 / moved) : 0;
    const double missed = from_dram * k.dram_latency + (1 - from_dram) * k.l2_latency;
    const double load = k.l1_latency + misses * (missed - k.l1_latency);
    // The work of a block's busiest warp, as a multiple of the average warp's.
    const auto busier = [&](double busiest, double by_all) {
        return by_all > 0 ? std::max(1.0, busiest / by_all * warp_count / block_count) : 1.0;
    };
    const double in_global = busier(w[busiest_global], w[global_requests]);
    const double in_shared = busier(w[busiest_shared], w[shared_requests]);
    // Blocks that have next to nothing to do hide no other's latency. As the requests of the
    // busiest one tell, this part of them shares the work; twice as many, because counts at small
    // sizes are uneven. Some blocks may do the one kind of work and others the other, and both
    // compute.
    const auto busy = [&](double busiest, double by_all) {
        const double even = busiest * block_count;
        return even > 0 ? std::min(1.0, 2 * by_all / even) : 1.0;
    };
    const double busy_global = busy(w[busiest_block_global], w[global_requests]);
    const double busy_shared = busy(w[busiest_block_shared], w[shared_requests]);
    // How often one of these blocks comes after another.
    const auto rounds = [&](double part) {
        return std::max(1.0, std::max(block_count * part, 1.0) / (sms * resident));
    };
    const auto shared_by = [&](double part, double clocks) {
        return clocks / std::max(warp_count * part, 1.0) * rounds(part);
    };
    out.latency =
        k.block * rounds(1) + shared_by(busy_global, in_global * w[waits] * load) +
        shared_by(busy_shared, in_shared * w[shared_waits] * k.shared_latency) +
        shared_by(std::max(busy_global, busy_shared),
                  std::max(1.0, std::min(in_global, in_shared)) * w[instructions] * k.dependent +
                      w[barriers] * k.barrier);
    out.latency = std::max(out.latency, w[blocks] * k.dispatch);

    // Memory that is nearly full answers late, so waits and DRAM's own time add up more than
    // others.
    const double loaded =
        std::pow(std::pow(out.dram, k.loaded_norm) + std::pow(out.latency, k.loaded_norm),
                 1 / k.loaded_norm);
    double sum = 0;
    for (const double part : {out.issue, out.l1, out.l2, out.atomics, loaded})
        sum += std::pow(part, k.norm);
    const double children = std::max(0.0, out.launches - all[host_launches]);
    out.overhead = k.launch_us * (out.launches - children) + k.child_launch_us * children;
    const double scale = like_largest / clocks_per_us;
    for (double* part : {&out.issue, &out.l1, &out.l2, &out.dram, &out.atomics, &out.latency})
        *part *= scale;
    out.us = std::pow(sum, 1 / k.norm) * scale + out.overhead;
    return out;
}

double host_time(const Device& d, const Calibration& k, const Samples& samples, double elements,
                 const Cautious* cautious) {
    const HostCounts &a = samples[0].counts.host, &b = samples[1].counts.host;
    const auto continued = [&](auto how, std::uint64_t HostCounts::*member) {
        return how(number(a.*member), number(b.*member), samples[0].elements, samples[1].elements,
                   elements);
    };
    const auto calls = [&](std::uint64_t HostCounts::*member) {
        return continued(extrapolated_launches, member);
    };
    const auto at = [&](std::uint64_t HostCounts::*member) {
        const double proportion = std::max(1.0, elements / samples[1].elements);
        return std::max(continued(extrapolated, member),
                        cautious != nullptr ? number(b.*member) * proportion : 0.0);
    };
    // Host and device take turns: a copy back waits for the kernels before it, and the host waits
    // for the copy. What kernels store in memory that both share goes over the same bus.
    const double bytes =
        at(&HostCounts::written_bytes) + at(&HostCounts::read_bytes) + at(&HostCounts::shown_bytes);
    const double on_device = 2 * at(&HostCounts::copied_bytes) + at(&HostCounts::filled_bytes);
    return calls(&HostCounts::allocations) * k.allocation_us +
           calls(&HostCounts::releases) * k.release_us + calls(&HostCounts::writes) * k.write_us +
           calls(&HostCounts::reads) * k.copy_us +
           (calls(&HostCounts::copies) + calls(&HostCounts::fills)) * k.launch_us +
           bytes / (d.host_gb_s * k.host_efficiency * 1e3) +
           on_device / (d.dram_gb_s * k.dram_efficiency * 1e3);
}

}  // namespace

double extrapolated(double small, double larger, double small_elements, double larger_elements,
                    double elements) {
    if (small >= larger) return larger;
    const double exponent =
        small > 0 ? std::log(larger / small) / std::log(larger_elements / small_elements) : 1;
    if (exponent > 1.03) return larger * std::pow(elements / larger_elements, exponent);
    return larger +
           (larger - small) * (elements - larger_elements) / (larger_elements - small_elements);
}

std::string_view KernelTime::bound() const {
    const std::pair<double, std::string_view> parts[] = {
        {issue, "instructions"}, {l1, "L1 and shared memory"}, {l2, "L2"},
        {dram, "DRAM"},          {atomics, "atomics"},         {latency, "latency"},
        {overhead, "launches"}};
    return std::ranges::max_element(parts)->second;
}

std::string Prediction::limited_by() const {
    const auto longest = std::ranges::max_element(kernels, {}, &KernelTime::us);
    if (longest == kernels.end() || longest->us < host_us) return "host";
    return std::string(longest->bound());
}

double least_us(const Device& device, const Calibration& calibration, double bytes) {
    const double by_dram = bytes / (device.dram_gb_s * 1e3);
    const double by_l2 = bytes / (device.l2_bytes_per_clock * device.clock_ghz * 1e3);
    return calibration.launch_us + (bytes > device.l2_mib * 1024 * 1024 ? by_dram : by_l2);
}

Prediction predict(const Device& device, const Calibration& calibration, const Samples& samples,
                   double elements, const Cautious* cautious) {
    Prediction out;
    std::vector<const KernelCounts*> timed;
    std::vector<Work> work;
    for (const KernelCounts& kernel : samples[1].counts.kernels) {
        if (!kernel.timing) continue;
        timed.push_back(&kernel);
        work.push_back(work_at(samples, kernel, elements, device.multiprocessors, cautious));
    }
    const double distinct = extrapolated(number(samples[0].counts.distinct_bytes),
                                         number(samples[1].counts.distinct_bytes),
                                         samples[0].elements, samples[1].elements, elements);
    const double beyond = beyond_l2(device, distinct, work);
    for (std::size_t i = 0; i < timed.size(); ++i) {
        out.kernels.push_back(time_of(device, calibration, *timed[i], work[i], beyond));
        out.us += out.kernels.back().us;
    }
    out.host_us = host_time(device, calibration, samples, elements, cautious);
    out.us += out.host_us;
    return out;
}

}  // namespace cugrade::model
