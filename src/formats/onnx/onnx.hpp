// ONNX graphs: exported networks, of which only the shapes matter here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/read.hpp"

namespace shapelint::formats {

// Whether a file is named as a graph: `.onnx`.
bool is_onnx(std::string_view path);

// Whether this program was built with the libraries that read graphs.
bool reads_onnx();

// Largest file that is read at this path, in bytes: a graph holds its weights, a configuration none.
std::int64_t size_limit(std::string_view path);

// The graph's convolutions, linear layers and matrix products as a network for inference, with shapes
// inferred. A symbolic first dimension is the batch, `micro_batch_size`; in inputs of tokens the second is
// `sequence_length`. One error for a broken file, or for missing dimensions. Weights in files
// next to the graph are not read.
ReadResult read_onnx(const std::string& path, std::string_view bytes, const ReadOptions& options);

}  // namespace shapelint::formats
