// Paths as text: folders, joining, and the border that inheritance must not cross.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/files.hpp"

namespace shapelint::formats {

// Everything before the last slash; "." when there is none.
std::string folder_of(std::string_view path);
// The part after the last slash.
std::string_view file_name(std::string_view path);
// The part after the last dot of the file's name, in lower case, without the dot.
std::string extension(std::string_view path);
// `folder/name` without `.` and, where possible, `..` components.
std::string join(std::string_view folder, std::string_view name);
// True when `path` lies in `folder` or below; both as join() makes them.
bool is_inside(std::string_view path, std::string_view folder);
// The folders from that of `path` up to the root of its repository (the nearest with `.git`), nearest first;
// without one, at most as far as the path as given names folders, and for an absolute path six of them.
std::vector<std::string> ancestors(const text::FileSystem& files, const std::string& path);

// Of a path in somebody's container, or below a folder that only the run knows (`$ROOT/conf/x.yaml`), the
// longest end that is a file below one of the folders: a folder and what is in it, as a name alone may be
// any. Empty where there is none.
std::string end_inside(const text::FileSystem& files, const std::vector<std::string>& folders,
                       std::string_view path);

}  // namespace shapelint::formats
