// Internal to the native format: the keys that are not in the table of fields.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/spec.hpp"

namespace shapelint::formats {

// Tables inside `[model]`.
inline constexpr std::array<std::string_view, 11> model_tables{
    "moe",     "mla",        "mixer",  "second_mixer", "third_mixer", "window",
    "indexer", "compressed", "sparse", "shared_block", "diffusion"};
constexpr bool is_model_table(std::string_view key) {
  for (const std::string_view each : model_tables) {
    if (each == key) return true;
  }
  return false;
}
// All tables that hold fields, in the order of the reference.
inline constexpr std::array<std::string_view, 14> field_sections{"model",
                                                                 "model.moe",
                                                                 "model.mla",
                                                                 "model.mixer",
                                                                 "model.second_mixer",
                                                                 "model.third_mixer",
                                                                 "model.window",
                                                                 "model.indexer",
                                                                 "model.compressed",
                                                                 "model.sparse",
                                                                 "model.shared_block",
                                                                 "model.diffusion",
                                                                 "run",
                                                                 "parallel"};

// One number of a layer of [[conv]]; `second` is set as well by the shorthands.
struct ConvKey {
  std::string_view key;
  std::int64_t minimum;
  std::int64_t maximum;
  std::string_view doc;
  std::int64_t model::Layer::*member;
  std::int64_t model::Layer::*second = nullptr;
};

inline constexpr std::int64_t largest_channels = 1'048'576;  // 2^20
inline constexpr std::int64_t largest_image = 1'048'576;     // 2^20 pixels along one side

inline constexpr std::array<ConvKey, 15> conv_keys{{
    {"in_channels", 1, largest_channels, "input channels [default: those of the layer before]",
     &model::Layer::in_channels},
    {"out_channels", 1, largest_channels,
     "output channels; required except for depthwise layers [default: the input channels] and pools",
     &model::Layer::out_channels},
    {"kernel", 1, largest_image, "height and width of a square kernel [default: 1]",
     &model::Layer::kernel_height, &model::Layer::kernel_width},
    {"kernel_height", 1, largest_image, "height of the kernel", &model::Layer::kernel_height},
    {"kernel_width", 1, largest_image, "width of the kernel", &model::Layer::kernel_width},
    {"stride", 1, largest_image, "stride in both directions [default: 1; pools: the kernel]",
     &model::Layer::stride},
    {"padding", 0, largest_image, "zero padding on each side; `\"same\"`: half the kernel [default: 0]",
     &model::Layer::padding_height, &model::Layer::padding_width},
    {"padding_height", 0, largest_image, "zero padding above and below", &model::Layer::padding_height},
    {"padding_width", 0, largest_image, "zero padding left and right", &model::Layer::padding_width},
    {"dilation", 1, largest_image, "dilation of the kernel [default: 1]", &model::Layer::dilation},
    {"groups", 1, largest_channels, "groups of channels [default: 1]", &model::Layer::groups},
    {"image", 1, largest_image,
     "height and width of a square input [default: the output of the layer before]",
     &model::Layer::image_height, &model::Layer::image_width},
    {"image_height", 1, largest_image, "height of the input", &model::Layer::image_height},
    {"image_width", 1, largest_image, "width of the input", &model::Layer::image_width},
    {"repeat", 1, 65'536, "repetitions of the layer or block [default: 1]", &model::Layer::repeat},
}};

// Keys with other values.
struct ConvOther {
  std::string_view key;
  std::string_view values;
  std::string_view doc;
  bool model::Layer::*flag = nullptr;
};
inline constexpr std::array<ConvOther, 7> conv_others{{
    {"type", "", "kind of layer [default: `\"conv\"`; `\"block\"` with `layers` or `branches`]"},
    {"name", "a string", "name in reports [default: its kind and place in the list]"},
    {"bias", "`true`, `false`", "one number per output channel; `true` unless a batch norm follows",
     &model::Layer::bias},
    {"batch_norm", "`true`, `false`",
     "a batch norm follows [default: that of `[model]`; `false` for linear layers]",
     &model::Layer::batch_norm},
    {"layers", "a list of layers", "a block: these, one after the other"},
    {"branches", "a list of lists of layers",
     "a block: each list takes the block's input; their outputs are concatenated along channels"},
    {"residual", "`true`, `false`",
     "residual connection around the block, with a 1 x 1 convolution if the sizes differ",
     &model::Layer::residual},
}};
inline constexpr std::array<std::string_view, 7> conv_types{
    "conv", "depthwise", "linear", "max_pool", "average_pool", "global_pool", "block"};

// Keys of [model] with [[conv]].
struct ImageKey {
  std::string_view key;
  std::string_view values;
  std::string_view doc;
};
inline constexpr std::array<ImageKey, 7> image_keys{{
    {"name", "a string", "used in headings"},
    {"in_channels", "1 to 2^20", "channels of the image, such as 3"},
    {"image", "1 to 2^20", "height and width of a square image"},
    {"image_height", "1 to 2^20", "height of the image"},
    {"image_width", "1 to 2^20", "width of the image"},
    {"batch_norm", "`true`, `false`", "every convolution is followed by a batch norm [default: `false`]"},
    {"bias", "`true`, `false`", "convolutions have a bias; `true` unless a batch norm follows"},
}};

struct PlainKey {
  std::string_view key;
  std::string_view doc;
};

inline constexpr std::array<PlainKey, 10> lint_keys{{
    {"gpu", "GPU to lint for, or a list of them"},
    {"select", "list of rules (codes, names or prefixes such as `SL1`) to run"},
    {"ignore", "list of rules not to run"},
    {"min_gain", "hide findings that save less than this share of the step: 0.01 is 1 %"},
    {"fail_level", "findings from this severity on make the exit status 1: `info`, `warning` or `error`"},
    {"min_severity", "show findings from this severity on [default: `warning`; at most the fail level]"},
    {"shape", "what fixes may change of the model: `free`, `padding` or `fixed`"},
    {"head_multiple", "proposed head counts are multiples of this; 1: any"},
    {"stack", "packages whose requirements are checked: `vllm==0.24`, or a list; `auto`: detect them"},
    {"params", "a table per rule with its parameters: `params.SL104 = { multiple = 128 }`"},
}};

}  // namespace shapelint::formats
