// Writing a file so that nobody ever sees half of it: the one place that does.
#pragma once

#include <string>
#include <string_view>

namespace shapelint::text {

// Puts `content` in the place of the regular file `path`, or makes it. It is written beside the target under
// a name that nobody can foresee, synced, and renamed; an old file's mode and owner are kept, and where the
// owner cannot be kept the old file is written into instead. `path` is no link: what links lead to is the
// caller's to find out. What was wrong (errno), or 0; then nothing has changed.
int replace_file(const std::string& path, std::string_view content);

// Writes to a device or a pipe, which must not be replaced.
int write_into(const std::string& path, std::string_view content);

}  // namespace shapelint::text
