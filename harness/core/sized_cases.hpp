// A task's timed case in any size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/spec.hpp"

namespace cugrade {

/// A task's timed case with other sizes. The two cases under `model` in assignment.yaml, which are
/// smaller versions of it, tell its sizes: the parameters in which they differ are sizes, and a
/// number of a generator in which they differ has to follow one (a highest index). Without a model,
/// the sizes are those that the shape of the largest argument names. Several sizes keep their
/// ratio: an image stays as wide as it is high.
class SizedCases {
public:
    /// Errors: there is no timed case, its data comes from a file, or nothing in it is a size.
    [[nodiscard]] static Result<SizedCases> of(const AssignmentSpec&, const TaskSpec&);
    /// The largest argument, whose elements a size counts.
    [[nodiscard]] const std::string& argument() const { return argument_->name; }
    /// A case of about n elements: the nearest number that whole sizes give, and at least 1.
    [[nodiscard]] CaseSpec with(std::uint64_t n) const;
    [[nodiscard]] std::uint64_t elements(const CaseSpec&) const;
    /// "height=64 width=64"
    [[nodiscard]] std::string parameters(const CaseSpec&) const;

private:
    /// `argument`'s generator takes the value of the size plus `offset` as `key`.
    struct Follows {
        std::string argument, key, size;
        double offset = 0;
    };
    const CaseSpec* timed_ = nullptr;
    const ArgumentSpec* argument_ = nullptr;
    std::vector<std::string> sizes_;
    std::vector<Follows> follows_;
};

}  // namespace cugrade
