// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: PROGRAM FOLDER
// Calls a fuzz target with each file of a folder, without libFuzzer. Fails where the target finds
// something, or the folder has no file.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/fuzz_check.hpp"

namespace {

bool passes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), error.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: PROGRAM FOLDER\n", stderr);
    return 2;
  }
  int files = 0, findings = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    ++files;
    findings += passes(entry.path()) ? 0 : 1;
  }
  std::fprintf(stderr, "%d files, %d findings\n", files, findings);
  return files == 0 || findings != 0 ? 1 : 0;
}
