// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread of a device that the CPU plays: a stack of its own on a thread of the CPU, known to
// the sanitizers, where there are any, as a thread. A switch orders nothing in ThreadSanitizer's
// eyes. Used by the lab's simulator and by the emulated device of tests/protocol.
#pragma once

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <new>

// Weak, so that one compiled emulator serves binaries with and without sanitizers.
extern "C" {
[[gnu::weak]] void* __tsan_create_fiber(unsigned);
[[gnu::weak]] void __tsan_destroy_fiber(void*);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void __tsan_switch_to_fiber(void*, unsigned);
[[gnu::weak]] void __tsan_acquire(void*);
[[gnu::weak]] void __tsan_release(void*);
[[gnu::weak]] void __sanitizer_start_switch_fiber(void**, const void*, std::size_t);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*);
}

namespace upsweep::fibers {

// Happens-before edges for ThreadSanitizer: from whoever releases a token to whoever acquires it.
inline void acquire(void* token) {
  if (__tsan_acquire != nullptr) __tsan_acquire(token);
}
inline void release(void* token) {
  if (__tsan_release != nullptr) __tsan_release(token);
}

// Who ThreadSanitizer holds responsible for what happens next.
class identity {
 public:
  static void* create() {
    return __tsan_create_fiber != nullptr ? __tsan_create_fiber(0) : nullptr;
  }
  static void destroy(void* who) {
    if (who != nullptr) __tsan_destroy_fiber(who);
  }
  static void* current() {
    return __tsan_get_current_fiber != nullptr ? __tsan_get_current_fiber() : nullptr;
  }
  static void become(void* who) {
    if (who != nullptr) __tsan_switch_to_fiber(who, 1);  // 1: no synchronisation
  }
};

class fiber {
 public:
  // On a stack of its own. body(argument) must not return.
  void create(void (*body)(void*), void* argument) {
    constexpr std::size_t bytes = std::size_t{128} << 10;
    void* const stack =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) throw std::bad_alloc();
    create(body, argument, stack, bytes);
    owned_ = true;
  }
  // On the caller's stack, which must be there until destroy().
  void create(void (*body)(void*), void* argument, void* stack, std::size_t bytes) {
    body_ = body, argument_ = argument;
    stack_ = stack, stack_bytes_ = bytes;
    at_ = boost::context::detail::make_fcontext(static_cast<char*>(stack_) + bytes, bytes,
                                                &fiber::enter);
    me_ = identity::create();
  }
  void destroy() {
    identity::destroy(me_);
    if (owned_) munmap(stack_, stack_bytes_);
  }

  // As if the suspended fiber had released the token.
  void release_for(void* token) const {
    void* const caller = identity::current();
    identity::become(me_);
    release(token);
    identity::become(caller);
  }

  // From the thread's own stack: runs the fiber until it suspends.
  void resume() {
    home_ = identity::current();
    void* saved = nullptr;
    if (__sanitizer_start_switch_fiber != nullptr)
      __sanitizer_start_switch_fiber(&saved, stack_, stack_bytes_);
    identity::become(me_);
    at_ = boost::context::detail::jump_fcontext(at_, this).fctx;
    if (__sanitizer_finish_switch_fiber != nullptr)
      __sanitizer_finish_switch_fiber(saved, nullptr, nullptr);
  }
  // From the fiber: back to whoever resumed it.
  void suspend() {
    void* saved = nullptr;
    if (__sanitizer_start_switch_fiber != nullptr)
      __sanitizer_start_switch_fiber(&saved, home_stack_, home_bytes_);
    identity::become(home_);
    back_ = boost::context::detail::jump_fcontext(back_, nullptr).fctx;
    arrive(saved);
  }

 private:
  static void enter(boost::context::detail::transfer_t from) {
    fiber& self = *static_cast<fiber*>(from.data);
    self.back_ = from.fctx;
    self.arrive(nullptr);
    self.body_(self.argument_);
  }
  void arrive(void* saved) {
    if (__sanitizer_finish_switch_fiber != nullptr)
      __sanitizer_finish_switch_fiber(saved, &home_stack_, &home_bytes_);
  }

  boost::context::detail::fcontext_t at_ = nullptr, back_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  void *stack_ = nullptr, *me_ = nullptr, *home_ = nullptr;
  const void* home_stack_ = nullptr;
  std::size_t stack_bytes_ = 0, home_bytes_ = 0;
  bool owned_ = false;
};

}  // namespace upsweep::fibers
