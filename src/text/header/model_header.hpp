// The headers of model files: GGUF (llama.cpp) and safetensors (Hugging Face).
//
// Only the header is read, never a weight. It is given as JSON text with one value per line, which is parsed
// like any configuration: what points into a binary file points to a line of this listing. Dots in names
// become tables
// (`llama.attention.head_count`, `model.layers.0.mlp.up_proj.weight`); of a long list (a tokenizer's words)
// only its length is kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "text/errors.hpp"
#include "text/files.hpp"

namespace shapelint::text::header {

// Names with dots as nested tables, written as JSON with one value per line.

// Why a tree takes no more.
std::string too_many();

class Tree {
 public:
  Tree();
  // `json` under `name`, whose dots are tables. A name that is both a value and a table keeps what came
  // first. False when there are too many names, one has too many dots, or the text is too long.
  bool add(std::string_view name, std::string json);
  std::string write() const;

 private:
  struct Entry {
    std::string key;
    std::string json;  // of a value; empty: a table
    std::int32_t first_child = -1;
    std::int32_t last_child = -1;
    std::int32_t next_sibling = -1;
  };
  std::int32_t child(std::int32_t table, std::string_view key);
  void write(std::int32_t table, int level, std::string& out) const;
  std::vector<Entry> entries_;
  std::int64_t bytes_ = 0;  // of all names and values
  std::map<std::pair<std::int32_t, std::string>, std::int32_t> by_name_;
};

}  // namespace shapelint::text::header

namespace shapelint::text {

enum class ModelFile : std::uint8_t { gguf, safetensors };

// Most bytes of a model file that are read. The longest public headers, with a tokenizer of 256,000 words and
// its merges, have about 20 MB.
inline constexpr std::int64_t max_header_bytes = std::int64_t{64} * 1024 * 1024;

// Most names (keys, tensors) that are listed; the largest public model has 91,000 tensors.
inline constexpr std::size_t max_header_entries = 150'000;
// Most text that a header is written as. The 100,000 tensors of the largest models take 10 MB.
inline constexpr std::int64_t max_header_text_bytes = 2 * max_source_bytes;

// By the first bytes: `GGUF`; or a length of 8 bytes and a `{` behind it.
std::optional<ModelFile> model_file_of(std::string_view first_bytes);

// `first_bytes`: the file's beginning, at most max_header_bytes of it. `file_bytes`: how large the file is;
// -1 when that is not known. Errors: no such header, a length past the end of the file, too many entries, not
// UTF-8.
Result<std::string> gguf_listing(const std::string& path, std::string_view first_bytes,
                                 std::int64_t file_bytes);
Result<std::string> safetensors_listing(const std::string& path, std::string_view first_bytes,
                                        std::int64_t file_bytes);

// Which kind of model file a listing was made from; nothing for any other text.
std::optional<ModelFile> listing_of(std::string_view text);

// The whole content of a file of at most `max_bytes`, or the listing of a model file's header, by the
// content.
Result<std::string> read_source(const FileSystem& files, const std::string& path,
                                std::int64_t max_bytes = max_source_bytes);

}  // namespace shapelint::text
