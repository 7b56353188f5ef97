// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>

namespace upsweep {

// The base of every exception that the library itself throws.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A call whose arguments contradict each other or the stated preconditions: sizes that differ, an
// axis out of range, buffers that overlap without being the same. Nothing has been written.
struct argument_error : error {
  using error::error;
};

namespace detail {

// Throws argument_error on behalf of code that is compiled without exceptions.
[[noreturn]] void throw_argument_error(const char* what);

// Throws argument_error, from code compiled without exceptions too: where nobody can catch it, the
// program ends with the message, as at any other exception of the standard library.
[[noreturn]] inline void refuse(const char* what) {
#if defined(__cpp_exceptions)
  throw argument_error(what);
#else
  detail::throw_argument_error(what);
#endif
}

}  // namespace detail

}  // namespace upsweep
