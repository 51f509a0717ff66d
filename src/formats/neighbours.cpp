// Neighbours and the cache.
#include "formats/neighbours.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/dialect/paths.hpp"

namespace shapelint::formats {

namespace {

constexpr std::int64_t longest_revision = 200;  // bytes of refs/main: a commit's 40 digits

bool is_safe(std::string_view part) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !part.empty() && part != "." && part.find("..") == std::string_view::npos &&
         part.find_first_not_of(allowed) == std::string_view::npos;
}

// The folder of the revision to read; empty when there is none.
std::string snapshot_of(const text::FileSystem& files, const std::string& model) {
  const std::string snapshots = join(model, "snapshots");
  const auto main = files.read(join(model, "refs/main"), longest_revision);
  if (main) {
    const std::string revision = main->substr(0, main->find_first_of(" \r\n"));
    std::string folder = join(snapshots, revision);
    if (is_safe(revision) && files.exists(join(folder, "config.json"))) return folder;
  }
  const auto listed = files.list(snapshots);
  if (!listed) return {};
  for (auto each = listed->rbegin(); each != listed->rend(); ++each) {
    if (files.exists(join(*each, "config.json"))) return *each;
  }
  return {};
}

}  // namespace

std::optional<ReadResult> read_beside(const text::FileSystem& files, const std::string& path,
                                      const std::string& name, const ReadOptions& options,
                                      const Dialects& dialects) {
  const std::string other = join(folder_of(path), name);
  if (other == join("", path) || !files.exists(other) || files.is_directory(other)) return std::nullopt;
  ReadResult result = read_any(files, other, options, dialects);
  if (result.readings.empty()) return std::nullopt;
  result.notes.insert(result.notes.begin(),
                      {fmt::format("the model is the one of `{}` beside this file", name), path, {}, {}});
  return result;
}

void run_as(const model::Reading& plan, model::Reading& reading) {
  for (const model::FieldInfo& field : model::fields()) {
    const bool is_plan = field.section == "run" || field.section == "parallel";
    if (!is_plan || plan.origins[field.id].kind != model::Origin::Kind::stated) continue;
    if (reading.origins[field.id].kind == model::Origin::Kind::command_line) continue;
    field.set(reading.setup, field.get(plan.setup));
    reading.origins[field.id] = plan.origins[field.id];
  }
}

std::optional<catalog::KnownModel> find_in_cache(const text::FileSystem& files, const std::string& hub,
                                                 std::string_view name) {
  const auto slash = name.find('/');
  if (hub.empty() || slash == std::string_view::npos) return std::nullopt;
  const std::string_view organisation = name.substr(0, slash);
  const std::string_view model = name.substr(slash + 1);
  if (!is_safe(organisation) || !is_safe(model)) return std::nullopt;
  const std::string folder =
      snapshot_of(files, join(hub, fmt::format("models--{}--{}", organisation, model)));
  if (folder.empty()) return std::nullopt;
  const ReadResult read = read_any(files, join(folder, "config.json"));
  // The language model is the last part that is whole: towers of images and sounds come with it.
  const auto found = std::find_if(read.readings.begin(), read.readings.end(), [](const model::Reading& each) {
    return each.complete && each.part != "vision" && each.part != "audio";
  });
  if (found == read.readings.end()) return std::nullopt;
  catalog::KnownModel known;
  known.name = fmt::format("{} in the local cache", name);
  known.title = known.name;
  known.source = join(folder, "config.json");
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section.starts_with("model") && model::is_known(*found, field.id))
      known.values.emplace_back(field.id, field.get(found->setup));
  }
  return known;
}

}  // namespace shapelint::formats
