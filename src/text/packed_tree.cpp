// Columns of differences from what is to be expected, as integers of 7 bits a byte.
#include "text/packed_tree.hpp"

#include <cstring>

namespace shapelint::text {

namespace {

constexpr unsigned bits = 7;
constexpr std::uint64_t more = 1U << bits;

class Writer {
 public:
  // Small numbers of either sign take one byte.
  std::int64_t number(std::int64_t value) {
    auto rest = static_cast<std::uint64_t>(value) << 1U;
    if (value < 0) rest = ~rest;
    for (; rest >= more; rest >>= bits) packed_ += static_cast<char>((rest % more) | more);
    packed_ += static_cast<char>(rest);
    return value;
  }
  double real(double value) {
    std::uint64_t rest = 0;
    std::memcpy(&rest, &value, sizeof rest);
    for (std::size_t i = 0; i < sizeof rest; ++i, rest >>= 8U) packed_ += static_cast<char>(rest & 0xFFU);
    return value;
  }
  std::string take() { return std::move(packed_); }

 private:
  std::string packed_;
};

class ColumnReader {
 public:
  explicit ColumnReader(std::string_view packed) : packed_(packed) {}

  std::int64_t number(std::int64_t /*value*/) {
    std::uint64_t all = 0;
    std::uint64_t byte = more;
    for (unsigned shift = 0; byte >= more; shift += bits) {
      byte = next();
      all |= (byte % more) << shift;
    }
    return static_cast<std::int64_t>(all % 2 == 0 ? all >> 1U : ~(all >> 1U));
  }
  double real(double /*expected*/) {
    std::uint64_t all = 0;
    for (unsigned i = 0; i < sizeof all; ++i) all |= next() << (8 * i);
    double value = 0;
    std::memcpy(&value, &all, sizeof value);
    return value;
  }

 private:
  std::uint64_t next() { return at_ < packed_.size() ? static_cast<unsigned char>(packed_[at_++]) : 0; }

  std::string_view packed_;
  std::size_t at_ = 0;
};

// `field` as it is, written to the stream (or read from it) as the difference from what is expected.
template <class Field, class Stream>
void pass(Field& field, std::int64_t expected, Stream& stream) {
  field = static_cast<Field>(expected + stream.number(static_cast<std::int64_t>(field) - expected));
}

// Both ways: a writer gets the nodes, a reader fills them.
template <class Stream>
void pass_columns(std::span<Node> nodes, Stream& stream) {
  for (Node& node : nodes) pass(node.kind, 0, stream);
  std::int64_t parent = no_node;
  for (Node& node : nodes) {
    pass(node.parent, parent, stream);
    parent = node.parent;
  }
  for (Node& node : nodes) pass(node.key_size, 0, stream);
  for (Node& node : nodes) pass(node.text_size, 0, stream);
  std::int64_t end = 0;  // in the pool strings stand one after the other
  for (Node& node : nodes) {
    if (node.key_size > 0) {
      pass(node.key_offset, end, stream);
      end = std::int64_t{node.key_offset} + node.key_size;
    }
    if (node.text_size > 0) {
      pass(node.text_offset, end, stream);
      end = std::int64_t{node.text_offset} + node.text_size;
    }
  }
  end = 0;  // and in the file values do
  for (Node& node : nodes) {
    pass(node.key_begin, end, stream);
    pass(node.key_end, std::int64_t{node.key_begin} + node.key_size, stream);
    pass(node.value_begin, node.key_end, stream);
    pass(node.value_end, std::int64_t{node.value_begin} + node.text_size, stream);
    end = node.value_end;
  }
  for (Node& node : nodes) {
    if (node.kind == Kind::integer || node.kind == Kind::boolean) pass(node.integer, 0, stream);
  }
  for (Node& node : nodes) {
    if (node.kind == Kind::number) node.number = stream.real(node.number);
    if (node.kind == Kind::integer) node.number = static_cast<double>(node.integer);
  }
}

// Children stand in the order of the nodes.
void link_children(std::span<Node> nodes) {
  std::vector<std::int32_t> last(nodes.size(), no_node);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    if (nodes[i].parent == no_node) continue;
    const auto parent = static_cast<std::size_t>(nodes[i].parent);
    std::int32_t& before = last[parent];
    (before == no_node ? nodes[parent].first_child : nodes[static_cast<std::size_t>(before)].next_sibling) =
        node;
    before = node;
  }
}

}  // namespace

std::string packed_tree(std::span<const Node> nodes) {
  Writer writer;
  writer.number(static_cast<std::int64_t>(nodes.size()));
  std::vector<Node> written(nodes.begin(), nodes.end());
  pass_columns(written, writer);
  return writer.take();
}

std::vector<Node> unpacked_tree(std::string_view packed) {
  ColumnReader reader(packed);
  std::vector<Node> nodes(static_cast<std::size_t>(reader.number(0)));
  pass_columns(nodes, reader);
  link_children(nodes);
  return nodes;
}

}  // namespace shapelint::text
