// Which configuration file applies to a file, where many are asked for.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "text/files.hpp"

namespace shapelint::project {

using ConfigOfFolder = std::map<std::string, std::string>;

// As find_config() without it (project/config.hpp). What was found for a folder is asked of `known`, and
// added to it: files of many folders share those above.
std::string find_config(const text::FileSystem& files, std::string_view path, ConfigOfFolder& known);

}  // namespace shapelint::project
