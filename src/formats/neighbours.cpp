// Neighbours and the cache.
#include "formats/neighbours.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/dialect/paths.hpp"
#include "model/derive.hpp"
#include "model/reading.hpp"

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
  if (!is_inside(other, ancestors(files, path).back())) return std::nullopt;
  if (other == join("", path) || !files.exists(other) || files.is_directory(other)) return std::nullopt;
  ReadResult result = read_any(files, other, options, dialects);
  if (result.readings.empty()) return std::nullopt;
  result.notes.insert(result.notes.begin(),
                      {fmt::format("the model is that of `{}` in the same folder", name), path, {}, {}});
  return result;
}

namespace {

// By the file or its framework, and not what holds for every framework.
bool is_said(const model::Reading& plan, model::FieldId field) {
  const model::Origin& origin = plan.origins[field];
  if (origin.kind == model::Origin::Kind::stated) return true;
  const bool may_be = origin.kind == model::Origin::Kind::derived || model::is_assumed(plan, field);
  return may_be && !model::derives_from_table(plan, field);
}

}  // namespace

void run_as(const model::Reading& plan, model::Reading& reading) {
  for (const model::Remark* each : model::unresolved(plan)) {
    const bool is_given = model::is_known(reading, each->field) &&
                          reading.origins[each->field].kind == model::Origin::Kind::command_line;
    if (!is_given && !model::is_unresolved(reading, each->field)) reading.remarks.push_back(*each);
  }
  for (const model::FieldInfo& field : model::fields()) {
    const bool is_plan = field.section == "run" || field.section == "parallel";
    if (!is_plan || !is_said(plan, field.id)) continue;
    if (reading.origins[field.id].kind == model::Origin::Kind::command_line) continue;
    field.set(reading.setup, field.get(plan.setup));
    reading.origins[field.id] = plan.origins[field.id];
  }
  for (const model::Extra& each : plan.extras) {
    const bool is_there = std::any_of(reading.extras.begin(), reading.extras.end(),
                                      [&](const model::Extra& other) { return other.name == each.name; });
    if (!is_there) reading.extras.push_back(each);
  }
}

std::optional<CachedModel> cached_model(const text::FileSystem& files, const std::string& hub,
                                        std::string_view name) {
  if (hub.empty()) return std::nullopt;
  std::string folder = "models";
  for (std::string_view rest = name;;) {
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (!is_safe(part)) return std::nullopt;
    folder += fmt::format("--{}", part);
    if (slash == std::string_view::npos) break;
    if (rest.data() != name.data()) return std::nullopt;  // a second slash
    rest.remove_prefix(slash + 1);
  }
  CachedModel out;
  out.folder = join(hub, folder);
  const std::string snapshot = snapshot_of(files, out.folder);
  if (!snapshot.empty()) out.config = join(snapshot, "config.json");
  return out;
}

std::string hub_name(std::string_view path) {
  constexpr std::string_view start = "models--";
  const auto end = path.find("/snapshots/");
  if (end == std::string_view::npos) return {};
  std::string_view folder = path.substr(0, end);
  folder.remove_prefix(folder.rfind('/') + 1);  // npos + 1: from the beginning
  if (!folder.starts_with(start)) return {};
  std::string name(folder.substr(start.size()));
  if (const auto between = name.find("--"); between != std::string::npos) name.replace(between, 2, "/");
  return name;
}

namespace {

// What a checkpoint's config.json says of its weights.
catalog::StoredWeights storage_of(const model::Reading& reading) {
  using model::FieldId;
  catalog::StoredWeights out;
  out.means = "from its config.json";
  out.is_packed = extra(reading, "packs_weights") > 0;
  out.quantization_block = static_cast<std::int64_t>(extra(reading, "quantization_block"));
  for (const FieldId field :
       {FieldId::dtype, FieldId::recipe, FieldId::weight_bits, FieldId::weight_group_size,
        FieldId::expert_weight_bits, FieldId::expert_weight_group_size}) {
    if (model::is_stated(reading, field)) out.values.emplace_back(field, model::get(reading.setup, field));
  }
  return out;
}

}  // namespace

std::optional<Checkpoint> model_in(const text::FileSystem& files, const std::string& config,
                                   std::string called) {
  ReadOptions options;
  options.names_folders = false;  // nor names that one another folder, on and on
  const ReadResult read = read_any(files, config, options);
  // The language model is the last part that is whole: towers of images and sounds come with it.
  const auto found = std::find_if(read.readings.begin(), read.readings.end(), [](const model::Reading& each) {
    return each.complete && each.part != "vision" && each.part != "audio";
  });
  if (found == read.readings.end()) return std::nullopt;
  Checkpoint known;
  known.model.name = std::move(called);
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section.starts_with("model") && model::is_known(*found, field.id))
      known.model.values.emplace_back(field.id, field.get(found->setup));
  }
  known.stored = storage_of(*found);
  return known;
}

std::optional<Checkpoint> find_in_cache(const text::FileSystem& files, const std::string& hub,
                                        std::string_view name) {
  if (name.find('/') == std::string_view::npos) return std::nullopt;
  const auto cached = cached_model(files, hub, name);
  if (!cached || cached->config.empty()) return std::nullopt;
  return model_in(files, cached->config, fmt::format("{} in the local cache", name));
}

std::string config_of_folder(const text::FileSystem& files, const std::string& path,
                             const std::string& name) {
  if (name.empty() || name.find('$') != std::string::npos) return {};
  const std::vector<std::string> above = ancestors(files, path);
  std::string config = join(name, "config.json");
  if (name.starts_with('/')) config = end_inside(files, above, config);
  if (config.empty()) return {};
  for (const std::string& folder : above) {
    std::string there = join(folder, config);
    if (is_inside(there, above.back()) && there != join("", path) && files.exists(there)) return there;
  }
  return {};
}

}  // namespace shapelint::formats
