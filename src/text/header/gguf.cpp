// The header of GGUF, versions 1 to 3 (ggml, docs/gguf.md).
#include <cstring>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "text/header/model_header.hpp"
#include "text/printable.hpp"
#include "text/source.hpp"

namespace shapelint::text {

namespace {

// Types of values, in the order of the format's numbers.
enum class Type : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };
constexpr std::uint32_t last_type = 12;

// Lists longer than this are given by their length: the longest list of sizes has one for each layer.
constexpr std::uint64_t longest_list = 512;
// Strings longer than this (chat templates) are cut.
constexpr std::size_t longest_string = 256;
constexpr std::uint32_t newest_version = 3;

struct Stopped {};  // the bytes at hand end

class GgufReader {
 public:
  GgufReader(std::string_view bytes, std::uint32_t version) : bytes_(bytes), version_(version) {}

  std::uint64_t at() const { return at_; }
  void skip(std::uint64_t count) {
    if (count > bytes_.size() - at_) throw Stopped{};
    at_ += count;
  }
  template <class T>
  T number() {
    T value{};
    const std::uint64_t from = at_;
    skip(sizeof(T));
    std::memcpy(&value, bytes_.data() + from, sizeof(T));
    return value;
  }
  std::uint64_t count() { return version_ == 1 ? number<std::uint32_t>() : number<std::uint64_t>(); }
  std::string_view string() {
    const std::uint64_t size = count();
    const std::uint64_t from = at_;
    skip(size);
    return bytes_.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(size));
  }

 private:
  std::string_view bytes_;
  std::uint64_t at_ = 0;
  std::uint32_t version_;
};

std::uint64_t size_of(Type type) {
  switch (type) {
    case Type::u8:
    case Type::i8:
    case Type::boolean:
      return 1;
    case Type::u16:
    case Type::i16:
      return 2;
    case Type::u32:
    case Type::i32:
    case Type::f32:
      return 4;
    case Type::u64:
    case Type::i64:
    case Type::f64:
      return 8;
    case Type::string:
    case Type::array:
      return 0;
  }
  return 0;
}

// NaN and infinity are numbers to Python's json, and so to our reader.
std::string real(double value) {
  if (value != value) return "NaN";
  if (value > 1.7e308) return "Infinity";
  if (value < -1.7e308) return "-Infinity";
  return fmt::format("{}", value);
}

std::string text_value(std::string_view text) {
  const std::string written = shortened(text, longest_string);
  return first_invalid_utf8(written) >= 0 ? "\"(not UTF-8)\"" : quoted(written);
}

class Header {
 public:
  Header(const std::string& path, std::string_view bytes, std::uint32_t version)
      : path_(path), reader_(bytes, version) {}

  // The keys and their values, then the tensors' number. Throws Stopped where the bytes at hand end.
  std::optional<Error> read(header::Tree& tree) {
    reader_.skip(8);  // magic and version
    const std::uint64_t tensors = reader_.count();
    const std::uint64_t keys = reader_.count();
    if (!tree.add("tensor_count", std::to_string(tensors))) return too_many();
    for (std::uint64_t i = 0; i < keys; ++i) {
      const std::uint64_t begin = reader_.at();
      const std::string_view key = reader_.string();
      if (key.empty() || first_invalid_utf8(key) >= 0) return error("a key has no name in UTF-8", begin);
      const auto type = reader_.number<std::uint32_t>();
      if (type > last_type) return error(fmt::format("`{}` has the unknown type {}", key, type), begin);
      std::string json = value(static_cast<Type>(type), 0);
      if (bad_) return error(fmt::format("`{}` is a list of an unknown kind", key), begin);
      if (!tree.add(key, std::move(json))) return too_many();
    }
    return std::nullopt;
  }

 private:
  Error error(std::string message, std::uint64_t at) const {
    return Error{fmt::format("no GGUF header: {} (byte {})", message, at), {}, path_, {}};
  }
  Error too_many() const { return Error{"the header has " + header::too_many(), {}, path_, {}}; }

  std::string value(Type type, int depth) {
    switch (type) {
      case Type::u8:
        return std::to_string(reader_.number<std::uint8_t>());
      case Type::i8:
        return std::to_string(reader_.number<std::int8_t>());
      case Type::u16:
        return std::to_string(reader_.number<std::uint16_t>());
      case Type::i16:
        return std::to_string(reader_.number<std::int16_t>());
      case Type::u32:
        return std::to_string(reader_.number<std::uint32_t>());
      case Type::i32:
        return std::to_string(reader_.number<std::int32_t>());
      case Type::f32:
        return real(static_cast<double>(reader_.number<float>()));
      case Type::boolean:
        return reader_.number<std::uint8_t>() != 0 ? "true" : "false";
      case Type::string:
        return text_value(reader_.string());
      case Type::array:
        return array(depth + 1);
      case Type::u64:
        return std::to_string(reader_.number<std::uint64_t>());
      case Type::i64:
        return std::to_string(reader_.number<std::int64_t>());
      case Type::f64:
        return real(reader_.number<double>());
    }
    return "null";
  }

  // A short list of numbers as it is; of others only how long they are. Bytes are walked, never copied.
  std::string array(int depth) {
    constexpr int deepest = 4;
    const auto type = reader_.number<std::uint32_t>();
    const std::uint64_t count = reader_.count();
    bad_ = bad_ || type > last_type || depth > deepest;
    if (bad_) return "null";
    const auto item = static_cast<Type>(type);
    const std::uint64_t size = size_of(item);
    if (size > 0 && count <= longest_list) {
      std::string out = "[";
      for (std::uint64_t i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + value(item, depth);
      return out + "]";
    }
    if (size > 0) {
      if (count > max_header_bytes / size) throw Stopped{};
      reader_.skip(count * size);
    } else {
      // Each item has a length of its own, so that a made-up count ends where the bytes do.
      for (std::uint64_t i = 0; i < count && !bad_; ++i) {
        if (item == Type::string) {
          reader_.string();
        } else {
          array(depth + 1);
        }
      }
    }
    return fmt::format("{{\"count\": {}}}", count);
  }

  const std::string& path_;
  GgufReader reader_;
  bool bad_ = false;
};

}  // namespace

Result<std::string> gguf_listing(const std::string& path, std::string_view first_bytes,
                                 std::int64_t file_bytes) {
  const auto refuse = [&](std::string message) -> Result<std::string> {
    return Error{"no GGUF header: " + std::move(message), {}, path, {}};
  };
  if (!first_bytes.starts_with("GGUF")) return refuse("the file does not begin with `GGUF`");
  if (first_bytes.size() < 8) return refuse("the file ends after its first bytes");
  std::uint32_t version = 0;
  std::memcpy(&version, first_bytes.data() + 4, sizeof(version));
  constexpr std::uint32_t largest_sensible = 0xFFFF;
  if (version > largest_sensible) return refuse("its numbers are big-endian, which is not supported");
  if (version == 0 || version > newest_version)
    return refuse(fmt::format("version {} is unknown, 1 to {} are read", version, newest_version));
  header::Tree tree;
  tree.add("gguf", std::to_string(version));
  try {
    Header header(path, first_bytes, version);
    if (auto error = header.read(tree)) return *std::move(error);
  } catch (const Stopped&) {
    const bool is_whole = file_bytes < 0 || file_bytes <= static_cast<std::int64_t>(first_bytes.size());
    if (is_whole) return refuse("the file ends inside it");
    // The sizes stand before the tokenizer, whose words may go on past what is read.
    tree.add("header_cut_off", "true");
  }
  return tree.write();
}

}  // namespace shapelint::text
