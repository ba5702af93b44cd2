// Any bytes that a student's build leaves are read by the grader, or refused: the submission's
// source, what nvcc says, the preprocessed text, PTX, dependency lists, object files, names. Names
// and messages are made printable.
#include <fmt/format.h>

#include "build/build_dependencies.hpp"
#include "build/build_lacking.hpp"
#include "build/build_messages.hpp"
#include "build/called_names.hpp"
#include "build/forbidden_names.hpp"
#include "build/includes.hpp"
#include "build/preprocessed.hpp"
#include "build/source_policy.hpp"
#include "core/printable.hpp"
#include "core/shell.hpp"
#include "emulator/ptx/fatbin.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptx/unresolved.hpp"
#include "input.hpp"

namespace {

using namespace cugrade;

const std::vector<SourceRule>& rules() {
    static const std::vector<SourceRule> all{{.includes = {"cub/*", "thrust/sort.h"},
                                              .calls = {"cub::*", "a::b::c"},
                                              .message = "m",
                                              .task = ""},
                                             {.includes = {},
                                              .calls = {"atomicAdd(double*, double)", "printf"},
                                              .message = "",
                                              .task = ""}};
    return all;
}

void read_source(const std::string& text) {
    const std::vector<SourceFile> files{{.name = "student.cu", .text = text},
                                        {.name = "a/b.cuh", .text = text}};
    for (const std::string& found : {find_foreign_include(files), find_line_directive(files)})
        fuzz::require(found.empty() || found.starts_with("student.cu:") ||
                      found.starts_with("a/b.cuh:"));
}

void read_preprocessor(const std::string& text) {
    const Preprocessed read = read_preprocessed(text, [](std::string_view name) {
        return name.starts_with("/course") ? Owner::course
               : name.starts_with('/')     ? Owner::foreign
                                           : Owner::submission;
    });
    for (const SourceToken& token : read.tokens)
        fuzz::require(!token.text.empty() && !read.place_of(token).text().empty());
    for (const auto& place : read.stray_directives) (void)place.text();
    (void)find_forbidden_include(rules(), read);
    (void)find_forbidden_name(compiled(rules()), read);
}

void read_messages(const std::string& text) {
    const PathNames names{{"/tmp/work", "student.cu"}, {"/tmp", "T"}};
    const std::string tidied = tidy(text, names);
    fuzz::require(tidy(tidied, {}).size() <= tidied.size());
    const std::string first = first_compile_error(tidied);
    fuzz::require(first.find('\n') == std::string::npos && first.size() < 400);
    (void)unresolved_by_ptxas(text);
    (void)asks_for_lambdas(text);
    (void)first_link_error(tidied);
    const auto lacking = lacking_functions(text, {}, {{"student.cu", text}});
    fuzz::require(lacking.empty() || !stand_ins(lacking).empty());
    (void)no_such_function(text.substr(0, 100), {"cudaMalloc", "cudaFree"});
    (void)foreign_assembler_file(text);
    for (const std::string& file : prerequisites(text)) fuzz::require(!file.empty());
}

void read_compiled(const std::string& text) {
    for (const CalledName& called : names_in_ptx(text)) (void)called.place.text();
    static fuzz::InputFile file;
    const std::string& path = file.path(text);
    fuzz::require_reason(symbols_of(path));
    auto images = ptx::read_object(path);
    fuzz::require_reason(images);
    if (images) (void)ptx::find_unresolved(std::move(*images), true);
    (void)runtime_functions(path);
}

void read_names(const std::string& text) {
    const std::string name = text.substr(0, text.find('\n'));
    const std::string plain = ptx::demangled(name);
    const FunctionName function = parse_function_name(plain);
    for (const std::string& part : function.parts) fuzz::require(!part.empty());
    for (const CompiledRule& rule : compiled(rules()))
        for (const CallPattern& call : rule.calls) (void)call.covers(function);

    for (const bool lines : {false, true}) {
        const std::string shown = clean(text, 200, lines);
        fuzz::require(clean(shown, 200, lines) == shown && shown.size() < 400);
    }
    const auto words = shell_words(text);
    if (!words) return;
    std::string again;
    for (const std::string& word : *words) again += shell_word(word) + " ";
    fuzz::require(shell_words(again) == words);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    read_source(text);
    read_preprocessor(text);
    read_messages(text);
    read_compiled(text);
    read_names(text);
    return 0;
}
