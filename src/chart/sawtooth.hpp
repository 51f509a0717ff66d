// The sawtooth picture: a rate against a dimension, with the edges of tiles and waves below it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shapelint::chart {

struct SawtoothPoint {
  double x = 0;
  double y = 0;
  std::string hover;
  bool fails = false;      // violates a hard rule of a framework: cannot run
  bool overflows = false;  // does not fit into the GPU's memory
};

struct SawtoothLine {
  std::string label;
  std::vector<SawtoothPoint> points;  // by x
  std::vector<double> wave_edges;     // first x of one more wave
  std::vector<double> tile_edges;     // first x of one more tile
};

struct SawtoothFigure {
  std::string title;
  std::string subtitle;
  std::string x_name;
  std::string y_name;
  std::string edges_of;  // the op whose edges are marked
  std::vector<SawtoothLine> lines;
  bool x_logarithmic = false;
  double current_x = 0;  // where the file stands; 0: nowhere
};

std::string sawtooth_svg(const SawtoothFigure& figure);

}  // namespace shapelint::chart
