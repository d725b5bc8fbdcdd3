// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What a compiler that instruments for the thread sanitizer calls at each access. These functions take the place of
/// the sanitizer's library. For the compiler they never throw.
#include "api.hpp"
#include "device.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "shadow.hpp"
#include "user_code.hpp"

#include <simt/kernel.hpp>

#include <mutex>

extern "C" {
extern char __executable_start, __data_start; // the program's code and constants stand between them
void* __real_memcpy(void*, void const*, unsigned long);
void* __real_memmove(void*, void const*, unsigned long);
void* __real_memset(void*, int, unsigned long);
}

namespace simt::race {
namespace {

/// Whether a kernel's own code asks, and not the host's in another thread of the operating system.
[[gnu::always_inline]] inline bool is_kernel()
{
    return runs_kernels && in_user_code.load(std::memory_order_relaxed);
}

bool is_between(std::uintptr_t address, void const* first, void const* last)
{
    return address >= reinterpret_cast<std::uintptr_t>(first) && address < reinterpret_cast<std::uintptr_t>(last);
}

/// A kernel reaches its own stack, its parameters and the program's constants. What lies elsewhere outside the arena is
/// the host's.
void check_outside(thread& running, std::uintptr_t address, std::size_t bytes, access how, void const* where)
{
    launch_request const& request = running.owner->owner->request;
    auto const* const parameters = static_cast<char const*>(request.parameters.get());
    bool const writes = how != access::read && how != access::atomic_read;
    if (!writes && (is_between(address, parameters, parameters + request.parameter_bytes) ||
                    is_between(address, &__executable_start, &__data_start)))
        return;
    if (all_devices().front().reads_host_memory)
        return;
    auto const location = location_of(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(where)));
    stop_thread("host memory", std::string("a kernel ") + (writes ? "writes " : "reads ") + std::to_string(bytes) +
                                   " bytes of the host's memory, or of another thread's variables" + location);
}

/// The host may use pinned and managed memory, if it waits for whoever else does.
void check_host(std::uintptr_t address, std::size_t bytes, access how, bool is_object, void const* where)
{
    std::lock_guard const lock(runtime_mutex()); // several threads may copy
    if (first_report())
        return;
    allocation const* const found = allocation_near(reinterpret_cast<void const*>(address), 256);
    if (found == nullptr || (found->kind != memory_kind::pinned && found->kind != memory_kind::managed))
        return note("device memory",
                    "the host touches " + region_of(address) +
                        location_of(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(where))));
    if (auto const wrong = judge(host(), address, bytes, how, is_object, where))
        note(wrong->kind.c_str(), wrong->text + "\n  on the host");
}

/// Checks an access of a kernel's that is not to its own stack. False where nobody keeps track.
bool check_kernel(std::uintptr_t address, std::size_t bytes, access how, bool is_object, void const* where)
{
    interpreter_code const guard;
    machine& m = the_machine();
    thread& running = *m.current;
    if (!is_in_arena(address)) {
        check_outside(running, address, bytes, how, where);
        return false;
    }
    if (m.random.one_in(how == access::read || how == access::write ? m.habit.switch_at_access_one_in
                                                                    : m.habit.switch_one_in))
        switch_thread();
    if (auto const wrong = judge(agent_of(running), address, bytes, how, is_object, where))
        stop_thread(wrong->kind.c_str(), wrong->text);
    return true;
}

/// Checks one access; inlined, because most are to variables of the host or of the running thread, and leave here.
/// False where nobody keeps track.
[[gnu::always_inline]] inline bool check(void const volatile* memory, std::size_t bytes, access how, bool is_object,
                                         void const* where)
{
    auto const address = reinterpret_cast<std::uintptr_t>(memory);
    if (is_kernel())
        return !fiber::is_on_running_stack(address) && check_kernel(address, bytes, how, is_object, where);
    if (is_in_arena(address))
        check_host(address, bytes, how, is_object, where);
    return false;
}

bool orders_later(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}
bool orders_earlier(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/// After a checked atomic or volatile read.
void acquired(void const volatile* from, int order)
{
    interpreter_code const guard;
    acquire_at(*the_machine().current, reinterpret_cast<std::uintptr_t>(from), orders_later(order));
}
/// Before or after a checked atomic or volatile write: nothing runs in between.
void released(void volatile* to, int order, bool is_update)
{
    interpreter_code const guard;
    release_at(*the_machine().current, reinterpret_cast<std::uintptr_t>(to), orders_earlier(order), is_update);
}

template <class T, class Change>
T update(T volatile* memory, int order, void const* where, Change change)
{
    bool const checked = check(memory, sizeof(T), access::atomic_update, false, where);
    T const old = change();
    if (checked) {
        acquired(memory, order);
        released(memory, order, true);
    }
    return old;
}

template <class T>
bool compare_exchange(T volatile* memory, T* expected, T desired, int order, void const* where)
{
    bool const checked = check(memory, sizeof(T), access::atomic_update, false, where);
    bool const equal =
        __atomic_compare_exchange_n(memory, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (checked) {
        acquired(memory, order);
        if (equal)
            released(memory, order, true);
    }
    return equal;
}

} // namespace
} // namespace simt::race

using namespace simt::race;

#define SIMT_WHERE __builtin_return_address(0)

extern "C" {

void* __wrap_memcpy(void* to, void const* from, unsigned long bytes)
{
    check(from, bytes, access::read, true, SIMT_WHERE);
    check(to, bytes, access::write, true, SIMT_WHERE);
    return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, void const* from, unsigned long bytes)
{
    check(from, bytes, access::read, true, SIMT_WHERE);
    check(to, bytes, access::write, true, SIMT_WHERE);
    return __real_memmove(to, from, bytes);
}
void* __wrap_memset(void* memory, int value, unsigned long bytes)
{
    check(memory, bytes, access::write, true, SIMT_WHERE);
    return __real_memset(memory, value, bytes);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __tsan_read_range(void* from, unsigned long bytes)
{
    check(from, bytes, access::read, true, SIMT_WHERE);
}
void __tsan_write_range(void* to, unsigned long bytes)
{
    check(to, bytes, access::write, true, SIMT_WHERE);
}

#define SIMT_ACCESSES(bytes, prefix)                                                                                   \
    void __tsan_##prefix##read##bytes(void* from)                                                                      \
    {                                                                                                                  \
        check(from, bytes, access::read, false, SIMT_WHERE);                                                           \
    }                                                                                                                  \
    void __tsan_##prefix##write##bytes(void* to)                                                                       \
    {                                                                                                                  \
        check(to, bytes, access::write, false, SIMT_WHERE);                                                            \
    }                                                                                                                  \
    void __tsan_##prefix##volatile_read##bytes(void* from)                                                             \
    {                                                                                                                  \
        if (check(from, bytes, access::atomic_read, false, SIMT_WHERE))                                                \
            acquired(from, __ATOMIC_RELAXED);                                                                          \
    }                                                                                                                  \
    void __tsan_##prefix##volatile_write##bytes(void* to)                                                              \
    {                                                                                                                  \
        if (check(to, bytes, access::atomic_write, false, SIMT_WHERE))                                                 \
            released(to, __ATOMIC_RELAXED, false);                                                                     \
    }
#define SIMT_ALL_ACCESSES(bytes) SIMT_ACCESSES(bytes, ) SIMT_ACCESSES(bytes, unaligned_)
SIMT_ALL_ACCESSES(1)
SIMT_ALL_ACCESSES(2)
SIMT_ALL_ACCESSES(4)
SIMT_ALL_ACCESSES(8)
SIMT_ALL_ACCESSES(16)

void __tsan_atomic_thread_fence(int)
{
    if (is_kernel())
        simt::fence(simt::scope::device);
    else
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

#define SIMT_UPDATE(bits, T, name, builtin)                                                                            \
    T __tsan_atomic##bits##_##name(T volatile* memory, T value, int order)                                             \
    {                                                                                                                  \
        return update(memory, order, SIMT_WHERE, [=] { return builtin(memory, value, __ATOMIC_SEQ_CST); });            \
    }
#define SIMT_ATOMICS(bits, T)                                                                                          \
    T __tsan_atomic##bits##_load(T const volatile* from, int order)                                                    \
    {                                                                                                                  \
        bool const checked = check(from, sizeof(T), access::atomic_read, false, SIMT_WHERE);                           \
        T const value = __atomic_load_n(from, __ATOMIC_SEQ_CST);                                                       \
        if (checked)                                                                                                   \
            acquired(from, order);                                                                                     \
        return value;                                                                                                  \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(T volatile* to, T value, int order)                                               \
    {                                                                                                                  \
        if (check(to, sizeof(T), access::atomic_write, false, SIMT_WHERE))                                             \
            released(to, order, false);                                                                                \
        __atomic_store_n(to, value, __ATOMIC_SEQ_CST);                                                                 \
    }                                                                                                                  \
    SIMT_UPDATE(bits, T, exchange, __atomic_exchange_n)                                                                \
    SIMT_UPDATE(bits, T, fetch_add, __atomic_fetch_add)                                                                \
    SIMT_UPDATE(bits, T, fetch_sub, __atomic_fetch_sub)                                                                \
    SIMT_UPDATE(bits, T, fetch_and, __atomic_fetch_and)                                                                \
    SIMT_UPDATE(bits, T, fetch_or, __atomic_fetch_or)                                                                  \
    SIMT_UPDATE(bits, T, fetch_xor, __atomic_fetch_xor)                                                                \
    SIMT_UPDATE(bits, T, fetch_nand, __atomic_fetch_nand)                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(T volatile* memory, T* expected, T desired, int order, int)      \
    {                                                                                                                  \
        return compare_exchange(memory, expected, desired, order, SIMT_WHERE);                                         \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(T volatile* memory, T* expected, T desired, int order, int)        \
    {                                                                                                                  \
        return compare_exchange(memory, expected, desired, order, SIMT_WHERE);                                         \
    }                                                                                                                  \
    T __tsan_atomic##bits##_compare_exchange_val(T volatile* memory, T expected, T desired, int order, int)            \
    {                                                                                                                  \
        compare_exchange(memory, &expected, desired, order, SIMT_WHERE);                                               \
        return expected;                                                                                               \
    }
SIMT_ATOMICS(8, unsigned char)
SIMT_ATOMICS(16, unsigned short)
SIMT_ATOMICS(32, unsigned)
SIMT_ATOMICS(64, unsigned long)

} // extern "C"
