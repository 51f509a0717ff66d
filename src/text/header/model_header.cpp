// Which files are model files, and the header of safetensors.
#include "text/header/model_header.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "text/json/json.hpp"

namespace shapelint::text::header {

namespace {

// Names of real tensors have at most ten parts.
constexpr int most_parts = 32;

}  // namespace

std::string too_many() {
  return fmt::format("more than {} names, a name with too many parts, or {} MB of text", max_header_entries,
                     max_header_text_bytes / 1'000'000);
}

Tree::Tree() {
  entries_.emplace_back();
}

std::int32_t Tree::child(std::int32_t table, std::string_view key) {
  const auto index = static_cast<std::int32_t>(entries_.size());
  const auto [at, is_new] = by_name_.try_emplace({table, std::string(key)}, index);
  if (!is_new) return at->second;
  entries_.push_back({std::string(key), {}, -1, -1, -1});
  Entry& parent = entries_[static_cast<std::size_t>(table)];
  if (parent.last_child >= 0) {
    entries_[static_cast<std::size_t>(parent.last_child)].next_sibling = index;
  } else {
    parent.first_child = index;
  }
  parent.last_child = index;
  return index;
}

bool Tree::add(std::string_view name, std::string json) {
  std::int32_t at = 0;
  bytes_ += static_cast<std::int64_t>(quoted(name).size() + json.size());
  if (bytes_ > max_header_text_bytes) return false;
  for (int part = 0;; ++part) {
    if (part >= most_parts || entries_.size() >= max_header_entries) return false;
    const auto dot = name.find('.');
    at = child(at, name.substr(0, dot));
    Entry& entry = entries_[static_cast<std::size_t>(at)];
    if (dot == std::string_view::npos) {
      if (entry.json.empty() && entry.first_child < 0) entry.json = std::move(json);
      return true;
    }
    if (!entry.json.empty()) return true;
    name.remove_prefix(dot + 1);
  }
}

void Tree::write(std::int32_t table, int level, std::string& out) const {
  const std::string indent(static_cast<std::size_t>(level), ' ');
  out += "{\n";
  for (std::int32_t each = entries_[static_cast<std::size_t>(table)].first_child; each >= 0;) {
    const Entry& entry = entries_[static_cast<std::size_t>(each)];
    out += indent + ' ' + quoted(entry.key) + ": ";
    if (entry.json.empty()) {
      write(each, level + 1, out);
    } else {
      out += entry.json;
    }
    each = entry.next_sibling;
    out += each >= 0 ? ",\n" : "\n";
  }
  out += indent + '}';
}

std::string Tree::write() const {
  std::string out;
  write(0, 0, out);
  return out + '\n';
}

}  // namespace shapelint::text::header

namespace shapelint::text {

namespace {

constexpr std::string_view gguf_start = "{\n \"gguf\": ";
constexpr std::string_view safetensors_start = "{\n \"safetensors\": ";
// The format's own bound of a header (safetensors, `MAX_HEADER_SIZE`).
constexpr std::uint64_t longest_safetensors_header = 100'000'000;
constexpr std::size_t length_bytes = 8;

std::uint64_t length_of(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8U | static_cast<unsigned char>(bytes[i]);
  return length;
}

// `{"dtype": "BF16", "shape": [4096, 4096]}`; empty when that is not what it says.
std::string tensor_json(NodeRef tensor) {
  const auto dtype = tensor["dtype"].as_string();
  const NodeRef shape = tensor["shape"];
  if (!dtype || !shape.is(Kind::list)) return {};
  std::string sizes;
  for (const NodeRef each : shape) {
    const auto size = each.as_integer();
    if (!size || *size < 0) return {};
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(*size);
  }
  return fmt::format("{{\"dtype\": {}, \"shape\": [{}]}}", quoted(*dtype), sizes);
}

}  // namespace

std::optional<ModelFile> model_file_of(std::string_view first_bytes) {
  if (first_bytes.starts_with("GGUF")) return ModelFile::gguf;
  if (first_bytes.size() > length_bytes && first_bytes[length_bytes] == '{' &&
      length_of(first_bytes) <= longest_safetensors_header && first_bytes[length_bytes - 1] == '\0') {
    return ModelFile::safetensors;
  }
  return std::nullopt;
}

Result<std::string> safetensors_listing(const std::string& path, std::string_view first_bytes,
                                        std::int64_t file_bytes) {
  const auto refuse = [&](std::string message) -> Result<std::string> {
    return Error{"no safetensors header: " + std::move(message), {}, path, {}};
  };
  if (first_bytes.size() <= length_bytes) return refuse("the file ends after its first bytes");
  const std::uint64_t length = length_of(first_bytes);
  if (length > longest_safetensors_header)
    return refuse(fmt::format("it would be {} bytes long, and at most {} are allowed", length,
                              longest_safetensors_header));
  const std::uint64_t end = length + length_bytes;
  if (file_bytes >= 0 && end > static_cast<std::uint64_t>(file_bytes))
    return refuse(fmt::format("it would be {} bytes long, and the file ends before that", length));
  if (end > first_bytes.size())
    return refuse(fmt::format("it is {} bytes long, and at most {} are read", length, max_source_bytes));
  const auto document = parse_json(path, std::string(first_bytes.substr(length_bytes, length)));
  if (!document) return refuse(document.error().message);
  if (!document->root().is(Kind::table)) return refuse("it is not a table of tensors");
  header::Tree tree;
  tree.add("safetensors", "1");
  std::size_t tensors = 0;
  for (const NodeRef tensor : document->root()) {
    if (tensor.key() == "__metadata__") continue;
    std::string json = tensor_json(tensor);
    if (json.empty())
      return refuse(fmt::format("`{}` has no `dtype` and `shape`", tensor.key().substr(0, 100)));
    if (!tree.add(tensor.key(), std::move(json))) return refuse(header::too_many());
    ++tensors;
  }
  tree.add("tensor_count", std::to_string(tensors));
  return tree.write();
}

std::optional<ModelFile> listing_of(std::string_view text) {
  if (text.starts_with(gguf_start)) return ModelFile::gguf;
  if (text.starts_with(safetensors_start)) return ModelFile::safetensors;
  return std::nullopt;
}

Result<std::string> read_source(const FileSystem& files, const std::string& path, std::int64_t max_bytes) {
  constexpr std::int64_t enough_to_tell = 16;
  std::int64_t file_bytes = -1;
  const auto first = files.read_start(path, enough_to_tell, file_bytes);
  const auto kind = first ? model_file_of(*first) : std::nullopt;
  if (!kind) return files.read(path, max_bytes);
  const auto header = files.read_start(path, max_header_bytes, file_bytes);
  if (!header) return header.error();
  return *kind == ModelFile::gguf ? gguf_listing(path, *header, file_bytes)
                                  : safetensors_listing(path, *header, file_bytes);
}

}  // namespace shapelint::text
