// What GCC 12's static libraries ask of a C library that Debian 12 has (2.36) and an older one has not.
// Linked into the self-contained program and the Python module alone (cmake/SelfContained.cmake).
#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

extern "C" {

// glibc 2.32: whether no second thread was ever started. Not known here: counts of references are always
// atomic.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// glibc 2.36: std::random_device's, of which nothing here depends on.
__attribute__((visibility("hidden"))) std::uint32_t arc4random() {
  std::uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
  }
  return value;
}
}

namespace {

struct Search {
  std::uintptr_t place;
  dl_find_object* result;
};

int look_at(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const ElfW(Phdr)* here = nullptr;
  const ElfW(Phdr)* unwinding = nullptr;
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const std::uintptr_t from = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) unwinding = &segment;
    if (segment.p_type != PT_LOAD) continue;
    if (search.place >= from && search.place < from + segment.p_memsz) here = &segment;
    if (from < begin) begin = from;
    if (from + segment.p_memsz > end) end = from + segment.p_memsz;
  }
  if (here == nullptr || unwinding == nullptr) return 0;
  *search.result = {};
  search.result->dlfo_map_start = reinterpret_cast<void*>(begin);
  search.result->dlfo_map_end = reinterpret_cast<void*>(end);
  search.result->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + unwinding->p_vaddr);
  return 1;
}

}  // namespace

// glibc 2.35: which loaded object a place in the code belongs to, and where that describes how to unwind its
// stack.
extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(void* place, dl_find_object* result) {
  Search search{reinterpret_cast<std::uintptr_t>(place), result};
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}
