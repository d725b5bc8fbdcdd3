// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Makes oneTBB's synchronisation visible to the thread sanitizer, which cannot see into libtbb.so as it is shipped and
/// would report every hand-over of a task as a race. Linked into the tests under -fsanitize=thread.
///
/// The program's calls of the scheduler's entry points arrive here, are annotated and passed on. A task is wrapped, so
/// that its thread acquires what the spawning thread released; whoever waits acquires what finished tasks released.
/// Task memory comes from malloc, whose reuse the sanitizer understands. No race of the program's own is suppressed.
/// Written for oneTBB 2021; another version may have other entry points.

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstdlib>
#include <dlfcn.h>

extern "C" void __tsan_acquire(void* address); // NOLINT(bugprone-reserved-identifier)
extern "C" void __tsan_release(void* address); // NOLINT(bugprone-reserved-identifier)

/// What libtbb does with memset and the like is its own affair.
extern "C" char const* __tsan_default_suppressions() // NOLINT(bugprone-reserved-identifier)
{
    return "called_from_lib:libtbb.so\n";
}

namespace {

/// libtbb's own function of that mangled name.
template <class Function>
Function* libtbb(char const* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Acquires at its end, also when an exception passes, what the tasks released that `pending` counted.
class acquire_at_end {
public:
    explicit acquire_at_end(tbb::detail::d1::wait_context& context) : pending(context) {}
    acquire_at_end(acquire_at_end const&) = delete;
    ~acquire_at_end() { pending.reserve(0); } // reads the count that they decremented

private:
    tbb::detail::d1::wait_context& pending;
};

/// A task that stands for another and is gone when that one runs.
class visible_task : public tbb::detail::d1::task {
    using data = tbb::detail::d1::execution_data;

public:
    explicit visible_task(task& spawned) : wrapped(spawned) { __tsan_release(this); }

    task* execute(data& where) override
    {
        __tsan_acquire(this);
        task* const next = wrapped.execute(where); // when it throws, the scheduler calls cancel
        delete this;
        return next;
    }
    task* cancel(data& where) override
    {
        __tsan_acquire(this);
        task* const next = wrapped.cancel(where);
        delete this;
        return next;
    }

private:
    task& wrapped;
};

/// A call that an arena may make on another thread.
class visible_delegate : public tbb::detail::d1::delegate_base {
public:
    explicit visible_delegate(delegate_base& delegate) : wrapped(delegate) { __tsan_release(&wrapped); }
    bool operator()() const override
    {
        __tsan_acquire(&wrapped);
        bool const result = wrapped();
        __tsan_release(&wrapped);
        return result;
    }

private:
    delegate_base& wrapped;
};

tbb::detail::d1::small_object_pool* any_pool()
{
    static char pool;
    return reinterpret_cast<tbb::detail::d1::small_object_pool*>(&pool);
}

void* aligned(std::size_t size)
{
    constexpr std::size_t alignment = tbb::detail::d1::task_alignment;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

} // namespace

namespace tbb::detail::r1 {

void spawn(d1::task& task, d1::task_group_context& context)
{
    static auto* const real = libtbb<void(d1::task&, d1::task_group_context&)>(
        "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE");
    real(*new visible_task(task), context);
}

void spawn(d1::task& task, d1::task_group_context& context, d1::slot_id slot)
{
    static auto* const real = libtbb<void(d1::task&, d1::task_group_context&, d1::slot_id)>(
        "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt");
    real(*new visible_task(task), context, slot);
}

void execute_and_wait(d1::task& task, d1::task_group_context& context, d1::wait_context& pending,
                      d1::task_group_context& waiting)
{
    using function = void(d1::task&, d1::task_group_context&, d1::wait_context&, d1::task_group_context&);
    static auto* const real = libtbb<function>(
        "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_");
    acquire_at_end const acquire(pending);
    real(task, context, pending, waiting);
}

void wait(d1::wait_context& pending, d1::task_group_context& context)
{
    static auto* const real = libtbb<void(d1::wait_context&, d1::task_group_context&)>(
        "_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE");
    acquire_at_end const acquire(pending);
    real(pending, context);
}

void execute(d1::task_arena_base& arena, d1::delegate_base& delegate)
{
    static auto* const real = libtbb<void(d1::task_arena_base&, d1::delegate_base&)>(
        "_ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE");
    visible_delegate visible(delegate);
    real(arena, visible);
    __tsan_acquire(&delegate);
}

void* allocate(d1::small_object_pool*& pool, std::size_t size)
{
    pool = any_pool();
    return aligned(size);
}

void* allocate(d1::small_object_pool*& pool, std::size_t size, d1::execution_data const&)
{
    return allocate(pool, size);
}

void deallocate(d1::small_object_pool&, void* memory, std::size_t)
{
    std::free(memory);
}

void deallocate(d1::small_object_pool&, void* memory, std::size_t, d1::execution_data const&)
{
    std::free(memory);
}

} // namespace tbb::detail::r1
