// What emscripten's C library declares and does not have.
#include <cerrno>

#include <spawn.h>

// There are no other programs: who starts one (git, for --diff-base) is told so.
int posix_spawnp(pid_t* /*pid*/, const char* /*file*/, const posix_spawn_file_actions_t* /*actions*/,
                 const posix_spawnattr_t* /*attributes*/, char* const* /*arguments*/,
                 char* const* /*environment*/) {
  return ENOSYS;
}
