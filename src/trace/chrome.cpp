// PyTorch's profiler: JSON event by event, none of which is kept whole.
#include <algorithm>
#include <istream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/number.hpp"
#include "text/errors.hpp"
#include "text/printable.hpp"
#include "trace/builder.hpp"
#include "trace/classify.hpp"
#include "trace/read.hpp"

namespace shapelint::trace {

namespace {

enum class Category : std::uint8_t { other, kernel, launch, op, range };

Category category_of(std::string_view name) {
  if (name == "kernel" || name == "Kernel" || name == "gpu_memcpy" || name == "Memcpy" ||
      name == "gpu_memset" || name == "Memset")
    return Category::kernel;
  if (name == "cpu_op" || name == "Operator") return Category::op;
  if (name == "user_annotation") return Category::range;
  if (name.ends_with("_runtime") || name.ends_with("_driver") || name == "Runtime") return Category::launch;
  return Category::other;
}

// What of the host's calls puts work on a device.
bool launches(std::string_view name) {
  return name.find("aunch") != std::string_view::npos || name.find("emcpy") != std::string_view::npos ||
         name.find("emset") != std::string_view::npos || name.find("nqueue") != std::string_view::npos;
}

// One event's fields, in whatever order they come.
struct Event {
  bool is_complete = false;  // ph is X
  Category category = Category::other;
  std::string name;
  std::string sizes;
  double start_us = -1;
  double time_us = -1;
  std::int64_t process = 0;
  std::int64_t thread = 0;
  std::int64_t correlation = -1;
  std::int64_t id = -1;
  std::int32_t stream = 0;
  std::int32_t device = 0;
  std::int32_t ranks = 0;
};

enum class Key : std::uint8_t {
  other,
  ph,
  cat,
  name,
  ts,
  dur,
  pid,
  tid,
  args,
  correlation,
  id,
  stream,
  device,
  sizes,
  ranks
};

// The events of nlohmann's parser, one value at a time.
class Handler {
 public:
  Handler(SourceBuffer& buffer, Builder& builder, Trace& trace)
      : buffer_(buffer), builder_(builder), trace_(trace) {}

  bool null() { return value(); }
  bool boolean(bool /*value*/) { return value(); }
  bool number_integer(std::int64_t number) { return this->number(static_cast<double>(number), number); }
  bool number_unsigned(std::uint64_t number) {
    return this->number(static_cast<double>(number), static_cast<std::int64_t>(number));
  }
  bool number_float(double number, const std::string& /*text*/) {
    return this->number(number, static_cast<std::int64_t>(std::min(std::max(number, -1e15), 1e15)));
  }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return value(); }

  bool string(std::string& text) {
    if (in_event_ && depth_ == event_depth_) {
      if (key_ == Key::ph) event_.is_complete = text == "X";
      if (key_ == Key::cat) event_.category = category_of(text);
      if (key_ == Key::name) event_.name.swap(text);
      if (key_ == Key::tid) event_.thread = static_cast<std::int64_t>(std::hash<std::string>()(text) >> 1U);
      // torch.autograd.profiler says so alone.
      if (key_ == Key::pid && event_.category == Category::other) {
        if (text == "CPU functions") event_.category = Category::op;
        if (text == "CUDA functions") event_.category = Category::kernel;
      }
      if (key_ == Key::pid) event_.process = static_cast<std::int64_t>(std::hash<std::string>()(text) >> 1U);
    } else if (!in_event_ && root_key_ == "deviceProperties" && inner_key_ == "name" &&
               trace_.device.empty()) {
      trace_.device = text::one_line(text.substr(0, 256));
    }
    return value();
  }

  bool start_object(std::size_t /*elements*/) {
    if (!open()) return false;
    if (in_events_ && depth_ == event_depth_) {
      event_ = Event{};
      in_event_ = true;
    }
    return true;
  }
  bool end_object() {
    if (in_event_ && depth_ == event_depth_) {
      in_event_ = false;
      finish_event();
    }
    --depth_;
    return builder_.too_much().empty() && value();
  }
  bool start_array(std::size_t /*elements*/) {
    if (!open()) return false;
    // A list of events alone, too, is a trace.
    if (depth_ == 1 || (depth_ == 2 && root_key_ == "traceEvents")) {
      in_events_ = true;
      event_depth_ = depth_ + 1;
    }
    if (in_sizes()) event_.sizes += '[';
    return true;
  }
  bool end_array() {
    if (in_sizes()) event_.sizes += ']';
    if (in_events_ && depth_ + 1 == event_depth_) in_events_ = false;
    --depth_;
    return value();
  }

  bool key(std::string& name) {
    buffer_.note_progress();
    if (depth_ == 1 && !in_event_) root_key_ = name;
    if (!in_event_) {
      inner_key_ = name;
    } else if (depth_ == event_depth_) {
      key_ = field_of(name);
    } else if (depth_ == event_depth_ + 1 && key_is_args()) {
      arg_ = argument_of(name);
      if (arg_ == Key::sizes) event_.sizes.clear();
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& problem) {
    if (!problem_.empty()) return false;
    std::string_view what = problem.what();
    const std::size_t label = what.find("] ");
    if (label != std::string_view::npos) what.remove_prefix(label + 2);
    constexpr std::string_view begins = "parse error at ";
    if (what.starts_with(begins)) what.remove_prefix(begins.size());
    constexpr std::size_t max_shown = 160;
    problem_ = fmt::format("is not JSON at byte {}: {}", position, text::one_line(what.substr(0, max_shown)));
    return false;
  }

  const std::string& problem() const { return problem_; }

 private:
  static Key field_of(std::string_view name) {
    if (name == "ph") return Key::ph;
    if (name == "cat") return Key::cat;
    if (name == "name") return Key::name;
    if (name == "ts") return Key::ts;
    if (name == "dur") return Key::dur;
    if (name == "pid") return Key::pid;
    if (name == "tid") return Key::tid;
    return name == "args" ? Key::args : Key::other;
  }
  static Key argument_of(std::string_view name) {
    if (name == "correlation") return Key::correlation;
    if (name == "External id") return Key::id;
    if (name == "stream") return Key::stream;
    if (name == "device") return Key::device;
    if (name == "Input Dims" || name == "Input dims") return Key::sizes;
    return name == "Group size" ? Key::ranks : Key::other;
  }
  bool key_is_args() const { return key_ == Key::args; }
  bool in_sizes() const {
    constexpr std::size_t longest = 4096;
    return in_event_ && key_ == Key::args && arg_ == Key::sizes && depth_ > event_depth_ + 1 &&
           event_.sizes.size() < longest;
  }

  bool open() {
    buffer_.note_progress();
    ++depth_;
    if (depth_ <= text::max_depth) return true;
    problem_ = fmt::format("is nested more than {} levels deep: not a trace", text::max_depth);
    return false;
  }

  bool value() {
    buffer_.note_progress();
    return true;
  }

  bool number(double real, std::int64_t whole) {
    if (!in_event_) {
      if (root_key_ == "distributedInfo" && depth_ == 2) {
        if (inner_key_ == "rank") trace_.rank = whole;
        if (inner_key_ == "world_size") trace_.world_size = whole;
      }
      return value();
    }
    if (depth_ == event_depth_) {
      if (key_ == Key::ts) event_.start_us = real;
      if (key_ == Key::dur) event_.time_us = real;
      if (key_ == Key::pid) event_.process = whole;
      if (key_ == Key::tid) event_.thread = whole;
    } else if (depth_ == event_depth_ + 1 && key_ == Key::args) {
      const auto small =
          static_cast<std::int32_t>(std::min<std::int64_t>(std::max<std::int64_t>(whole, -1), 1 << 30));
      if (arg_ == Key::correlation) event_.correlation = whole;
      if (arg_ == Key::id) event_.id = whole;
      if (arg_ == Key::stream) event_.stream = small;
      if (arg_ == Key::device) event_.device = small;
      if (arg_ == Key::ranks) event_.ranks = small;
    } else if (in_sizes()) {
      event_.sizes += fmt::format("{},", whole);
    }
    return value();
  }

  void finish_event() {
    ++trace_.events;
    Event& event = event_;
    if (!event.is_complete || event.category == Category::other || !(event.start_us >= 0) ||
        !(event.time_us >= 0))
      return;
    const double end_us = event.start_us + event.time_us;
    switch (event.category) {
      case Category::kernel: {
        DeviceEvent out;
        out.kernel.start_us = event.start_us;
        out.kernel.time_us = event.time_us;
        out.kernel.name = builder_.text(event.name);
        out.kernel.stream = event.stream;
        out.kernel.device = event.device;
        out.kernel.ranks = event.ranks;
        out.correlation = event.correlation;
        out.host_id = event.id;
        builder_.add(out);
        break;
      }
      case Category::launch:
        if (event.correlation < 0 || !launches(event.name)) break;
        builder_.add(LaunchEvent{event.correlation, event.start_us, end_us,
                                 builder_.thread(event.process, event.thread), none, none});
        break;
      case Category::range:
        builder_.add_range(event.name, event.start_us, end_us);
        [[fallthrough]];
      case Category::op: {
        HostEvent out;
        out.start_us = event.start_us;
        out.end_us = end_us;
        out.thread = builder_.thread(event.process, event.thread);
        out.name = builder_.text(event.name);
        out.is_range = event.category == Category::range;
        if (!event.sizes.empty() && multiplies(event.name)) out.sizes = builder_.text(event.sizes);
        out.id = event.id;
        builder_.add(out);
        break;
      }
      case Category::other:
        break;
    }
  }

  SourceBuffer& buffer_;
  Builder& builder_;
  Trace& trace_;
  Event event_;
  int depth_ = 0;
  int event_depth_ = -1;
  bool in_events_ = false;
  bool in_event_ = false;
  Key key_ = Key::other;
  Key arg_ = Key::other;
  std::string root_key_;
  std::string inner_key_;
  std::string problem_;
};

}  // namespace

Result<Trace> read_chrome(const std::string& path, ByteSource& source) {
  Trace trace;
  trace.path = path;
  trace.format = "PyTorch profiler";
  SourceBuffer buffer(source);
  std::istream stream(&buffer);
  Builder builder;
  Handler handler(buffer, builder, trace);
  const bool is_good =
      nlohmann::json::sax_parse(stream, &handler, nlohmann::json::input_format_t::json, true);
  // What is wrong with the file comes before what its reader made of it.
  std::string problem = source.problem();
  if (problem.empty() && buffer.is_endless()) problem = "has a string of more than 64 MB: not a trace";
  if (problem.empty() && !builder.too_much().empty()) problem = fmt::format("has {}", builder.too_much());
  if (problem.empty() && !is_good) problem = handler.problem();
  if (!problem.empty()) return Error{std::move(problem), "", path, {}};
  return std::move(builder).finish(std::move(trace));
}

}  // namespace shapelint::trace
