// Internal to the native format: the keys that are not in the table of fields.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/spec.hpp"

namespace shapelint::formats {

// One key of [[conv]]; `second` is set as well by the shorthands.
struct ConvKey {
  std::string_view key;
  std::int64_t minimum;
  std::int64_t maximum;
  std::string_view doc;
  std::int64_t model::Conv::*member;
  std::int64_t model::Conv::*second = nullptr;
};

inline constexpr std::int64_t largest_channels = 1'048'576;  // 2^20
inline constexpr std::int64_t largest_image = 1'048'576;     // 2^20 pixels along one side

inline constexpr std::array<ConvKey, 12> conv_keys{{
    {"in_channels", 1, largest_channels, "channels of the input; required", &model::Conv::in_channels},
    {"out_channels", 1, largest_channels, "channels of the output; required", &model::Conv::out_channels},
    {"kernel", 1, largest_image, "height and width of a square kernel", &model::Conv::kernel_height,
     &model::Conv::kernel_width},
    {"kernel_height", 1, largest_image, "height of the kernel; 1 unless stated", &model::Conv::kernel_height},
    {"kernel_width", 1, largest_image, "width of the kernel; 1 unless stated", &model::Conv::kernel_width},
    {"stride", 1, largest_image, "step in both directions; 1 unless stated", &model::Conv::stride},
    {"padding", 0, largest_image, "rows and columns added on each side; 0 unless stated",
     &model::Conv::padding},
    {"groups", 1, largest_channels, "groups of channels; 1 unless stated", &model::Conv::groups},
    {"image", 1, largest_image, "height and width of a square input", &model::Conv::image_height,
     &model::Conv::image_width},
    {"image_height", 1, largest_image, "height of the input; required", &model::Conv::image_height},
    {"image_width", 1, largest_image, "width of the input; required", &model::Conv::image_width},
    {"repeat", 1, 65'536, "identical layers one after the other; 1 unless stated", &model::Conv::repeat},
}};

struct PlainKey {
  std::string_view key;
  std::string_view doc;
};

inline constexpr std::array<PlainKey, 6> lint_keys{{
    {"gpu", "GPU to lint for, or a list of them"},
    {"select", "list of rules (codes, names or prefixes such as `SL1`) to run"},
    {"ignore", "list of rules not to run"},
    {"min_gain", "findings that gain less than this share of the step are not reported: 0.01 is 1 %"},
    {"fail_level", "findings from this severity on make the exit status 1: `info`, `warning` or `error`"},
    {"params", "a table per rule with its parameters: `params.SL104 = { multiple = 128 }`"},
}};

}  // namespace shapelint::formats
