// Runs a fuzz target on files and folders, without libFuzzer: the seeds as tests, within the time and memory
// that run.sh allows. A target that mutates by a grammar also runs what becomes of each.
//
//   TARGET PATH...
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#if defined(__unix__)
#include <sys/resource.h>
#endif

#include "base/sanitizer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                     std::size_t most, unsigned seed);

namespace {

// The most that the process has held; none with a sanitizer, which keeps what is freed.
double megabytes() {
#if defined(__unix__)
  rusage usage{};
  if (!shapelint::has_address_sanitizer && getrusage(RUSAGE_SELF, &usage) == 0)
    return static_cast<double>(usage.ru_maxrss) / 1024;
#endif
  return 0;
}

void run(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most_small = 65536;
  static int times = shapelint::has_address_sanitizer ? 10 : 1;
  if (size > most_small) times = std::max(times, 5);
  const std::clock_t begin = std::clock();
  LLVMFuzzerTestOneInput(data, size);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (seconds < times && megabytes() < 200 * times) return;
  std::fprintf(stderr, "%zu bytes take %.2f s and %.0f MB\n", size, seconds, megabytes());
  std::abort();
}

void run(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  run(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  constexpr std::size_t most = 8192;
  constexpr unsigned mutations = 10;
  if (LLVMFuzzerCustomMutator == nullptr || content.size() > most) return;
  std::vector<std::uint8_t> bytes(content.begin(), content.end());
  for (unsigned seed = 0; seed < mutations; ++seed) {
    const std::size_t size = bytes.size();
    bytes.resize(most);
    bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, most, seed));
    run(bytes.data(), bytes.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      run(std::filesystem::path(argv[i]));
      ++count;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      run(entry.path());
      ++count;
    }
  }
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
