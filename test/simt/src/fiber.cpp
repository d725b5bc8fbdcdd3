// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber.hpp"

#include <boost/context/detail/fcontext.hpp>

#include <sys/mman.h>

#include <cstdlib>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {
namespace {

namespace context = boost::context::detail;

constexpr std::size_t page_bytes = 4096;

context::fcontext_t scheduler = nullptr;
std::vector<char*> spare_stacks;

#ifdef __SANITIZE_ADDRESS__
void const* scheduler_stack = nullptr;
std::size_t scheduler_stack_bytes = 0;
#endif

} // namespace

/// A stack above a page that cannot be touched.
char* fiber::take_stack()
{
    if (!spare_stacks.empty()) {
        char* const stack = spare_stacks.back();
        spare_stacks.pop_back();
        return stack;
    }
    void* const memory = mmap(nullptr, stack_bytes + page_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page_bytes, PROT_NONE) != 0)
        std::abort();
    return static_cast<char*>(memory) + page_bytes;
}

void fiber::resume(void (*entry)())
{
    if (stack_ == nullptr) {
        static std::size_t offset = 0; // spreads the tops of the stacks over the sets of the cache
        offset = (offset + 320) % 8192;
        stack_ = take_stack();
        context_ =
            context::make_fcontext(stack_ + stack_bytes - offset, stack_bytes - offset, [](context::transfer_t t) {
                scheduler = t.fctx;
#ifdef __SANITIZE_ADDRESS__
                __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_bytes);
#endif
                reinterpret_cast<void (*)()>(t.data)();
            });
    }
#ifdef __SANITIZE_ADDRESS__
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, stack_, stack_bytes);
#endif
    running_stack_ = stack_;
    context_ = context::jump_fcontext(context_, reinterpret_cast<void*>(entry)).fctx;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void fiber::leave([[maybe_unused]] bool for_good)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack_, scheduler_stack, scheduler_stack_bytes);
#endif
    scheduler = context::jump_fcontext(scheduler, nullptr).fctx;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake_stack_, &scheduler_stack, &scheduler_stack_bytes);
#endif
}

void fiber::suspend()
{
    leave(false);
}

void fiber::finish()
{
    leave(true);
    std::abort();
}

void fiber::abandon()
{
    if (stack_ == nullptr)
        return;
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack_, stack_bytes);
#endif
    spare_stacks.push_back(stack_);
    stack_ = nullptr;
}

} // namespace simt
