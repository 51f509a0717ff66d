// The data files that people write of their own: rules, requirements, configuration formats, GPUs. Which
// keys each has is said where it is read; schemas for editors and docs/reference/data-files.md follow.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::text {
struct KeyInfo;
}

namespace shapelint::project {

struct DataFile {
  std::string_view name;     // as `config --schema` takes it: `rule`
  std::string_view title;    // "Rules"
  std::string_view setting;  // of the configuration: the folders that hold them
  std::string_view guide;    // docs/contributing/NAME.md
  std::vector<text::KeyInfo> (*keys)();
};
std::span<const DataFile> data_files();

// docs/schema/shapelint-NAME.schema.json.
std::string schema(const DataFile& file);
// docs/reference/data-files.md.
std::string data_files_page();

}  // namespace shapelint::project
