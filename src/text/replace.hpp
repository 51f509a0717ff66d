// Atomic writes: no reader ever sees half a file. The only place that writes one.
#pragma once

#include <string>
#include <string_view>

namespace shapelint::text {

// Puts `content` in the place of the regular file `path`, or makes it. It is written next to the target under
// an unpredictable name, synced, and renamed; an old file's mode and owner are kept, and where the
// owner cannot be kept the old file is written into instead. `path` is no link: what links lead to is the
// caller's to find out. What was wrong (errno, or has_changed), or 0; if not 0 nothing has changed.
int replace_file(const std::string& path, std::string_view content);

// While it lives, this thread replaces files only while they have that content: each is read again just
// before its name changes hands, and once more behind that where the two can be exchanged (renameat2), so
// that what somebody saved in between comes back.
class ReplaceGuard {
 public:
  explicit ReplaceGuard(std::string_view before);
  ~ReplaceGuard();
  ReplaceGuard(const ReplaceGuard&) = delete;
  ReplaceGuard& operator=(const ReplaceGuard&) = delete;
};

inline constexpr int has_changed = -3;  // no errno

// Takes away what replace_file left in a folder when it was killed between naming a file and renaming it:
// files of this user with such names (`.NAME.0123456789abcdef.tmp`) that no process is writing.
void remove_stale_temporaries(const std::string& folder);

// Writes to a device or a pipe, which must not be replaced.
int write_into(const std::string& path, std::string_view content);

}  // namespace shapelint::text
