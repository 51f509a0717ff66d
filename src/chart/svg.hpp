// Scalable vector graphics as text, with the look that all pictures share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shapelint::chart {

struct Pixel {
  double x = 0;
  double y = 0;
};

enum class Anchor : unsigned char { start, middle, end };

// Collects elements; text and attributes are escaped, coordinates rounded to a hundredth of a pixel. Colours
// are classes, so that one style sheet serves a light and a dark page: `c0` to `c7` are the colours of
// series, to be given with `series`, `roof`, `mark` or `bar`; `axis`, `grid`, `edge`, `faint`, `clear` and
// for text `soft`, `small`, `strong`, `title`, `halo` are the other looks.
class Svg {
 public:
  // `title` and `description` are for screen readers.
  Svg(double width, double height, std::string_view title, std::string_view description);
  void line(Pixel from, Pixel to, std::string_view classes);
  void path(const std::vector<Pixel>& points, std::string_view classes, std::string_view hover = {});
  void circle(Pixel center, double radius, std::string_view classes, std::string_view hover = {});
  void rectangle(Pixel corner, double width, double height, std::string_view classes,
                 std::string_view hover = {});
  void text(Pixel at, std::string_view text, Anchor anchor, std::string_view classes = {}, double turn = 0);
  // The title of a picture with the given margin, and a subtitle below it, in two lines if one is too short.
  void heading(std::string_view title, std::string_view subtitle, double width, double margin = 24);
  // The whole document; the object is done with.
  std::string finish() &&;

 private:
  void close_with_hover(std::string_view element, std::string_view hover);
  std::string out_;
};

inline constexpr std::size_t series_colours = 8;
// `c3`, over and over for more series than colours.
std::string colour_of(std::size_t series);
// Pixels that a text takes, about: the font is whatever the viewer has.
double text_width(std::string_view text, double font_size = 12);

}  // namespace shapelint::chart
