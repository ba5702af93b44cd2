// How an assignment tells the runner which functions a student writes: assignments/<id>/tasks.cpp
//
//     #include <cugrade/tasks.hpp>
//     #include "interface.cuh"
//     CUGRADE_TASKS(CUGRADE_TASK("sum", reduce_sum), CUGRADE_TASK("max", reduce_max))
//
// interface.cuh declares each function with CUGRADE_FUNCTION in front. Here that makes the
// reference weak, so that a submission without one of the functions still links and loses that task
// only.
//
// The compiler deduces each function's parameters: pointers become device buffers, arithmetic types
// become scalars, in the order of assignment.yaml. The grader compares both at the start.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace cugrade::runner {

struct Task {
    const char* name;
    int argument_count;
    void (*describe)(char (*out)[8]);           ///< writes one signature string per argument
    void (*call)(const std::uint64_t* values);  ///< one 64-bit value per argument
    bool (*defined)();                          ///< false: the submission lacks the function
};

struct TaskTable {
    const Task* tasks;
    std::size_t count;
};

/// Defined once per assignment, by CUGRADE_TASKS.
extern const TaskTable task_table;

namespace detail {

template <class T>
constexpr const char* element_name() {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, float>)
        return "f32";
    else if constexpr (std::is_same_v<U, double>)
        return "f64";
    else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>)
        return sizeof(U) == 1 ? "i8" : sizeof(U) == 2 ? "i16" : sizeof(U) == 4 ? "i32" : "i64";
    else if constexpr (std::is_integral_v<U>)
        return sizeof(U) == 1 ? "u8" : sizeof(U) == 2 ? "u16" : sizeof(U) == 4 ? "u32" : "u64";
    else
        return "b";  // a struct: matched by the grader against nothing
}

template <class A>
void describe_argument(char (&out)[8]) {
    if constexpr (std::is_pointer_v<A>) {
        using E = std::remove_pointer_t<A>;
        out[0] = std::is_const_v<E> ? 'p' : 'P';
        std::strncpy(out + 1, element_name<E>(), 6);
    } else {
        out[0] = 's';
        std::strncpy(out + 1, element_name<A>(), 6);
    }
    out[7] = '\0';
}

template <class A>
A argument(std::uint64_t value) {
    if constexpr (std::is_pointer_v<A>) {
        return reinterpret_cast<A>(value);
    } else {
        static_assert(std::is_arithmetic_v<A>, "pass buffers as pointers and scalars by value");
        A out;
        std::memcpy(&out, &value, sizeof(A));  // little endian: the low bytes
        return out;
    }
}

template <auto F>
struct Adapter;
template <class... A, void (*F)(A...)>
struct Adapter<F> {
    static constexpr int count = sizeof...(A);
    static void describe(char (*out)[8]) {
        int i = 0;
        (describe_argument<A>(out[i++]), ...);
    }
    static void call(const std::uint64_t* values) {
        [&]<std::size_t... I>(std::index_sequence<I...>) { F(argument<A>(values[I])...); }
        (std::index_sequence_for<A...>{});
    }
    static bool defined() { return F != nullptr; }
};

}  // namespace detail
}  // namespace cugrade::runner

#define CUGRADE_FUNCTION __attribute__((weak))

#define CUGRADE_TASK(name, function)                                  \
    ::cugrade::runner::Task {                                         \
        name, ::cugrade::runner::detail::Adapter<&function>::count,   \
            &::cugrade::runner::detail::Adapter<&function>::describe, \
            &::cugrade::runner::detail::Adapter<&function>::call,     \
            &::cugrade::runner::detail::Adapter<&function>::defined   \
    }

#define CUGRADE_TASKS(...)                                          \
    namespace {                                                     \
    const ::cugrade::runner::Task all_tasks[] = {__VA_ARGS__};      \
    }                                                               \
    const ::cugrade::runner::TaskTable cugrade::runner::task_table{ \
        all_tasks, sizeof(all_tasks) / sizeof(all_tasks[0])};
