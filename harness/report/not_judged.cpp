#include "report/not_judged.hpp"

#include <algorithm>
#include <array>

namespace cugrade::report {
namespace {

using Why = NotJudged::Why;

struct Sentence {
    Why why;
    std::string_view text;  ///< followed by the detail, if the reason takes one
    bool has_detail = false;
};

/// Reading a text takes the first row that matches.
constexpr std::array sentences{
    Sentence{Why::needs_gpu, "needs a GPU"},
    Sentence{Why::no_timed_case, "this task has no timed case"},
    Sentence{Why::timing_off, "timing was switched off"},
    Sentence{Why::not_built_for_model,
             "it does not compile for compute_75, on which speed is modelled"},
    Sentence{Why::too_little_memory, "not judged: too little memory is free on this GPU"},
    Sentence{Why::disturbed, "not judged: ", true},
    Sentence{Why::other, "", true},
};

}  // namespace

std::string text(const NotJudged& of) {
    const auto* row = std::ranges::find(sentences, of.why, &Sentence::why);
    if (row == sentences.end()) return "";
    return std::string(row->text) + (row->has_detail ? of.detail : "");
}

NotJudged not_judged_from(std::string_view text) {
    if (text.empty()) return {};
    const auto* row = std::ranges::find_if(sentences, [&](const Sentence& r) {
        return r.has_detail ? text.starts_with(r.text) : text == r.text;
    });
    return {.why = row->why,
            .detail = row->has_detail ? std::string(text.substr(row->text.size())) : ""};
}

}  // namespace cugrade::report
