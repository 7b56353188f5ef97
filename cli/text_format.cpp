// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/text_format.hpp"

#include <cstring>
#include <vector>

#include "cli/number_text.hpp"

namespace cli {

void format_text(const std::byte* data, std::uint64_t count, dtype type,
                 const std::function<void(std::string_view)>& write) {
  constexpr std::size_t numbers = 4096;
  std::vector<char> buffer(numbers * (longest_number + 1));
  with_dtype(type, [&]<dtype D>() {
    for (std::uint64_t done = 0; done < count;) {
      char* end = buffer.data();
      for (std::size_t i = 0; i < numbers && done < count; ++i, ++done) {
        stored_t<D> value;
        std::memcpy(&value, data + done * sizeof value, sizeof value);
        end = format_number<D>(end, value);
        *end++ = '\n';
      }
      write({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
    }
  });
}

}  // namespace cli
