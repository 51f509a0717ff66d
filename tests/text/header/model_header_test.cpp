// Headers of model files, made by hand byte by byte.
#include "text/header/model_header.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

template <class T>
std::string bytes(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}
std::string string(const std::string& value) {
  return bytes<std::uint64_t>(value.size()) + value;
}
std::string entry(const std::string& key, std::uint32_t type, const std::string& value) {
  return string(key) + bytes(type) + value;
}
std::string gguf(const std::vector<std::string>& entries, std::uint64_t claimed) {
  std::string out = "GGUF" + bytes<std::uint32_t>(3) + bytes<std::uint64_t>(2) + bytes(claimed);
  for (const std::string& each : entries) out += each;
  return out;
}
std::string gguf(const std::vector<std::string>& entries) {
  return gguf(entries, entries.size());
}
std::string safetensors(const std::string& json) {
  return bytes<std::uint64_t>(json.size()) + json;
}
// The listing, or the error.
std::string gguf_text(const std::string& file, std::int64_t file_bytes = -1) {
  const auto listing =
      gguf_listing("m.gguf", file, file_bytes < 0 ? static_cast<std::int64_t>(file.size()) : file_bytes);
  return listing ? *listing : "error: " + listing.error().message;
}
std::string safetensors_text(const std::string& file) {
  const auto listing = safetensors_listing("m.safetensors", file, static_cast<std::int64_t>(file.size()));
  return listing ? *listing : "error: " + listing.error().message;
}

}  // namespace

TEST_CASE("gguf: names with dots are tables, long lists are their length") {
  std::string words = bytes<std::uint32_t>(8) + bytes<std::uint64_t>(2) + string("a") + string("b");
  std::string floats = bytes<std::uint32_t>(6) + bytes<std::uint64_t>(600) + std::string(2400, '\0');
  std::string layers =
      bytes<std::uint32_t>(4) + bytes<std::uint64_t>(2) + bytes<std::uint32_t>(8) + bytes<std::uint32_t>(0);
  CHECK(gguf_text(gguf({entry("general.architecture", 8, string("llama")),
                        entry("llama.embedding_length", 4, bytes<std::uint32_t>(4096)),
                        entry("llama.attention.head_count_kv", 9, layers),
                        entry("llama.rope.freq_base", 6, bytes(500000.0F)),
                        entry("tokenizer.ggml.tokens", 9, words), entry("tokenizer.ggml.scores", 9, floats),
                        entry("general.x", 7, "\x01"),
                        entry("general.big", 10, bytes<std::uint64_t>(1ULL << 63U))})) ==
        R"({
 "gguf": 3,
 "tensor_count": 2,
 "general": {
  "architecture": "llama",
  "x": true,
  "big": 9223372036854775808
 },
 "llama": {
  "embedding_length": 4096,
  "attention": {
   "head_count_kv": [8, 0]
  },
  "rope": {
   "freq_base": 500000
  }
 },
 "tokenizer": {
  "ggml": {
   "tokens": {"count": 2},
   "scores": {"count": 600}
  }
 }
}
)");
}

TEST_CASE("gguf: what is claimed is compared with what is there") {
  const std::string key = entry("llama.block_count", 4, bytes<std::uint32_t>(2));
  CHECK(gguf_text("GGUF") == "error: no GGUF header: the file ends after its first bytes");
  CHECK(gguf_text("GGML" + std::string(20, 'x')) ==
        "error: no GGUF header: the file does not begin with `GGUF`");
  CHECK(gguf_text("GGUF" + bytes<std::uint32_t>(9) + std::string(16, '\0')) ==
        "error: no GGUF header: version 9 is unknown, 1 to 3 are read");
  CHECK(gguf_text("GGUF" + std::string("\0\0\0\3", 4) + std::string(16, '\0')) ==
        "error: no GGUF header: its numbers are big-endian, which is not supported");
  CHECK(gguf_text(gguf({key}, 2)) == "error: no GGUF header: the file ends inside it");
  // Lengths and counts of a gigantic header in a small file.
  CHECK(gguf_text(gguf({bytes<std::uint64_t>(1ULL << 60U)}, 1)) ==
        "error: no GGUF header: the file ends inside it");
  CHECK(gguf_text(gguf({entry("a", 9, bytes<std::uint32_t>(8) + bytes<std::uint64_t>(~0ULL))})) ==
        "error: no GGUF header: the file ends inside it");
  CHECK(gguf_text(gguf({entry("a", 9, bytes<std::uint32_t>(12) + bytes<std::uint64_t>(~0ULL))})) ==
        "error: no GGUF header: the file ends inside it");
  CHECK(gguf_text(gguf({entry("a", 99, "")})) ==
        "error: no GGUF header: `a` has the unknown type 99 (byte 24)");
  // A list of lists of lists …
  std::string nested;
  for (int i = 0; i < 20; ++i) nested += bytes<std::uint32_t>(9) + bytes<std::uint64_t>(1);
  CHECK(gguf_text(gguf({entry("a", 9, nested)})) ==
        "error: no GGUF header: `a` is a list of an unknown kind (byte 24)");
  // Of a file that is larger than what is read, the sizes come first.
  const std::string cut = gguf_text(gguf({key}, 2), 1 << 30);
  CHECK(cut.find("\"block_count\": 2") != std::string::npos);
  CHECK(cut.find("\"header_cut_off\": true") != std::string::npos);
}

TEST_CASE("safetensors: shapes by name") {
  CHECK(
      safetensors_text(safetensors(
          R"({"__metadata__":{"format":"pt"},"model.norm.weight":{"dtype":"BF16","shape":[64],"data_offsets":[0,128]}})")) ==
      R"({
 "safetensors": 1,
 "model": {
  "norm": {
   "weight": {"dtype": "BF16", "shape": [64]}
  }
 },
 "tensor_count": 1
}
)");
}

TEST_CASE("safetensors: what is claimed is compared with what is there") {
  CHECK(safetensors_text("abc") == "error: no safetensors header: the file ends after its first bytes");
  CHECK(safetensors_text(bytes<std::uint64_t>(1000) + "{}") ==
        "error: no safetensors header: it would be 1000 bytes long, and the file ends before that");
  CHECK(safetensors_text(bytes<std::uint64_t>(1ULL << 62U) + "{}") ==
        "error: no safetensors header: it would be 4611686018427387904 bytes long, and at most 100000000 are "
        "allowed");
  CHECK(safetensors_text(safetensors("[1]")) == "error: no safetensors header: it is not a table of tensors");
  CHECK(safetensors_text(safetensors(R"({"a": 1})")) ==
        "error: no safetensors header: `a` has no `dtype` and `shape`");
  CHECK(safetensors_text(safetensors(R"({"a": {"dtype": "F32", "shape": [-1]}})")) ==
        "error: no safetensors header: `a` has no `dtype` and `shape`");
  CHECK(safetensors_text(safetensors("{\"a\"")).find("not valid JSON") != std::string::npos);
}

TEST_CASE("model files are told by their first bytes, whatever they are called") {
  MemoryFileSystem files;
  files.files["blob"] = gguf({entry("llama.block_count", 4, bytes<std::uint32_t>(2))});
  files.files["weights.bin"] =
      safetensors(R"({"a.weight":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})");
  files.files["plain.json"] = "{\"a\": 1}";
  REQUIRE(read_source(files, "blob"));
  CHECK(listing_of(*read_source(files, "blob")) == ModelFile::gguf);
  CHECK(listing_of(*read_source(files, "weights.bin")) == ModelFile::safetensors);
  CHECK(*read_source(files, "plain.json") == "{\"a\": 1}");
  CHECK_FALSE(read_source(files, "absent"));
}
