// What lies next to a configuration, and the local cache of published models.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/dialect/known.hpp"
#include "formats/read.hpp"

namespace shapelint::formats {

// What `name` in the folder of `path` describes; nothing when it is not there, is `path` itself, or holds no
// model.
std::optional<ReadResult> read_beside(const text::FileSystem& files, const std::string& path,
                                      const std::string& name, const ReadOptions& options,
                                      const Dialects& dialects);

// How `plan` says that a model is run, for a reading of that model.
void run_as(const model::Reading& plan, model::Reading& reading);

// Where a Hugging Face cache has a model.
struct CachedModel {
  std::string folder;  // `HUB/models--org--Name`, whether it is there or not
  std::string config;  // of the main revision, or of the last of the others; empty: there is none
};

// `name`: `org/Name` or `Name`. Nothing when no model can be called so.
std::optional<CachedModel> cached_model(const text::FileSystem& files, const std::string& hub,
                                        std::string_view name);

// The name of the model that a cache has a file of: `org/Name` for `…/models--org--Name/snapshots/…`; empty
// for a path elsewhere.
std::string hub_name(std::string_view path);

// The model that `name` (`org/Name`) stands for in a Hugging Face cache, by its own config.json: the main
// revision's, or the last of the others. `hub`: the folder with `models--org--Name`. Nothing else is read
// there.
std::optional<Checkpoint> find_in_cache(const text::FileSystem& files, const std::string& hub,
                                        std::string_view name);

// The config.json of the folder that `name` is for a configuration at `path`: from the folder of that upwards
// in its repository, and of an absolute name its longest end that is there. Empty where there is none, or it
// is `path`.
std::string config_of_folder(const text::FileSystem& files, const std::string& path, const std::string& name);

// The language model of the config.json at `config`, which messages call `called`; nothing where none is
// whole.
std::optional<Checkpoint> model_in(const text::FileSystem& files, const std::string& config,
                                   std::string called);

}  // namespace shapelint::formats
