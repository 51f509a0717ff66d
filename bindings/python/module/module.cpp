// The functions of the library, as the Python package asks for them.
#include <map>

#include <optional>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <shapelint/shapelint.hpp>

namespace shapelint::python {

namespace py = pybind11;

namespace {

using namespace py::literals;
using Texts = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

// What the caller did wrong, for bindings/python/shapelint to raise: a ShapelintError with the errors, as
// JSON.
PyObject* refused = nullptr;

[[noreturn]] void refuse(const std::vector<api::Error>& errors) {
  PyErr_SetObject(refused, py::str(api::to_json(errors)).ptr());
  throw py::error_already_set();
}

template <class T>
T value_of(api::Result<T> result) {
  if (!result) refuse(result.errors());
  return std::move(*result);
}

// What every question about a model has.
struct Question {
  std::string path;
  std::optional<std::string> text;
  std::map<std::string, std::string> files;  // instead of those of this machine, where there are any
  Texts gpus;
  Pairs settings;
  std::string config;
  bool isolated = false;
  bool assume_native = false;
};

Question question_of(const py::dict& all) {
  Question out;
  out.path = all["path"].cast<std::string>();
  out.text = all["text"].cast<std::optional<std::string>>();
  out.files = all["files"].cast<std::map<std::string, std::string>>();
  out.gpus = all["gpus"].cast<Texts>();
  out.settings = all["settings"].cast<Pairs>();
  out.config = all["config"].cast<std::string>();
  out.isolated = all["isolated"].cast<bool>();
  out.assume_native = all["assume_native"].cast<bool>();
  return out;
}

api::Source source_of(const Question& question) {
  return {question.path, question.text, std::nullopt};
}

api::ReadOptions read_of(const Question& question) {
  api::ReadOptions out;
  for (const auto& [field, value] : question.settings) out.settings.push_back({field, value, {}});
  out.config = question.config;
  out.isolated = question.isolated;
  out.assume_native = question.assume_native;
  return out;
}

std::unique_ptr<const api::FileSystem> files_of(const Question& question) {
  return question.files.empty() ? api::local_files({}, {question.path}) : api::memory_files(question.files);
}

// Whether somebody at the keyboard wants it to end; to be asked without the interpreter's lock.
class Interrupt {
 public:
  bool keep_going() {
    const py::gil_scoped_acquire lock;
    raised_ = raised_ || PyErr_CheckSignals() != 0;
    return !raised_;
  }
  void raise() const {
    if (raised_) throw py::error_already_set();
  }

 private:
  bool raised_ = false;
};

std::optional<api::Severity> severity_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  for (const auto each : {api::Severity::info, api::Severity::warning, api::Severity::error}) {
    if (api::name(each) == *text) return each;
  }
  refuse({{"invalid-option", "`" + *text + "` is not a severity", "info, warning or error", "", {}}});
}

std::optional<api::Shape> shape_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  for (const auto each : {api::Shape::free, api::Shape::padding, api::Shape::fixed}) {
    if (api::name(each) == *text) return each;
  }
  refuse({{"invalid-option", "`" + *text + "` is no shape", "free, padding or fixed", "", {}}});
}

std::string lint(const py::dict& asked, Texts select, Texts ignore,
                 const std::optional<std::string>& min_severity,
                 const std::optional<std::string>& fail_severity, const std::optional<std::string>& shape,
                 std::optional<std::int64_t> head_multiple, std::optional<double> min_gain, bool with_fields,
                 bool with_operations) {
  const Question question = question_of(asked);
  api::LintOptions options;
  options.read = read_of(question);
  options.gpus.names = question.gpus;
  options.select = std::move(select);
  options.ignore = std::move(ignore);
  options.min_severity = severity_of(min_severity);
  options.fail_severity = severity_of(fail_severity);
  options.shape = shape_of(shape);
  options.head_multiple = head_multiple;
  options.min_gain = min_gain;
  options.with_fields = with_fields;
  options.with_operations = with_operations;
  options.expect_models = question.text.has_value();
  api::LintResult result;
  {
    const py::gil_scoped_release unlocked;
    const auto files = files_of(question);
    result = api::lint(*files, {source_of(question)}, options);
  }
  return api::to_json(result);
}

std::string read(const py::dict& asked) {
  const Question question = question_of(asked);
  api::ReadResult result;
  {
    const py::gil_scoped_release unlocked;
    const auto files = files_of(question);
    result = api::read(*files, source_of(question), read_of(question));
  }
  if (!result.errors.empty()) refuse(result.errors);
  return api::to_json(result);
}

std::string price(const py::dict& asked) {
  const Question question = question_of(asked);
  std::optional<api::Result<std::vector<api::Step>>> result;
  {
    const py::gil_scoped_release unlocked;
    const auto files = files_of(question);
    result = api::price_step(*files, source_of(question), {read_of(question), {question.gpus, {}, {}}});
  }
  return api::to_json(value_of(*std::move(result)));
}

template <class Enum>
Enum choice_of(const std::string& text, const char* what, const std::vector<const char*>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<Enum>(i);
    all += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  refuse({{"invalid-option", "`" + text + "` is no " + what, all, "", {}}});
}

std::string suggest(const py::dict& asked, const std::string& model, Texts vary, Texts fix, Texts ranges,
                    Texts where, const std::optional<std::string>& shape,
                    std::optional<std::int64_t> head_multiple, const std::map<std::string, double>& budget,
                    const std::string& objective, const std::string& basket,
                    std::map<std::string, double> weights, std::map<std::string, double> prices,
                    std::size_t top, bool every) {
  const Question question = question_of(asked);
  api::SuggestOptions options;
  options.read = read_of(question);
  options.gpus.names = question.gpus;
  options.model = model;
  options.vary = std::move(vary);
  options.fix = std::move(fix);
  options.ranges = std::move(ranges);
  options.where = std::move(where);
  options.shape = shape_of(shape);
  options.head_multiple = head_multiple;
  options.objective = choice_of<api::Objective>(objective, "objective",
                                                {"tokens", "mfu", "step", "prefill", "decode", "cost"});
  options.basket = choice_of<api::Basket>(basket, "basket", {"worst", "mean"});
  options.weights = std::move(weights);
  options.prices = std::move(prices);
  options.top = top;
  options.every = every;
  for (const auto& [name, share] : budget) {
    if (name == "parameters") {
      options.budget.parameters = share;
    } else if (name == "tokens") {
      options.budget.tokens = share;
    } else if (name == "flops") {
      options.budget.flops = share;
    } else if (name == "aspect") {
      options.budget.aspect = share;
    } else {
      refuse({{"invalid-option",
               "`" + name + "` is nothing that has a budget",
               "parameters, tokens, flops or aspect",
               "",
               {}}});
    }
  }
  Interrupt interrupt;
  options.progress = [&](const api::SearchProgress&) { return interrupt.keep_going(); };
  std::optional<api::Result<api::SuggestResult>> result;
  {
    const py::gil_scoped_release unlocked;
    const auto files = files_of(question);
    result = api::suggest(*files, source_of(question), options);
  }
  interrupt.raise();
  return api::to_json(value_of(*std::move(result)));
}

std::string plan(const py::dict& asked, const std::string& model, const std::string& num_gpus,
                 std::map<std::string, double> prices, std::optional<std::int64_t> global_batch,
                 double tokens, std::optional<std::int64_t> input_tokens,
                 std::optional<std::int64_t> output_tokens, double ttft_ms, double tpot_ms, double e2e_ms,
                 double rate, std::int64_t concurrency, Texts formats, Texts over, std::size_t top) {
  const Question question = question_of(asked);
  api::PlanOptions options;
  options.read = read_of(question);
  options.gpus.names = question.gpus;
  options.model = model;
  options.num_gpus = num_gpus;
  options.prices = std::move(prices);
  options.global_batch = global_batch;
  options.tokens = tokens;
  options.input_tokens = input_tokens;
  options.output_tokens = output_tokens;
  options.ttft_ms = ttft_ms;
  options.tpot_ms = tpot_ms;
  options.e2e_ms = e2e_ms;
  options.rate = rate;
  options.concurrency = concurrency;
  options.formats = std::move(formats);
  options.over = std::move(over);
  options.top = top;
  Interrupt interrupt;
  options.progress = [&](std::size_t, std::size_t) { return interrupt.keep_going(); };
  std::optional<api::Result<api::PlanResult>> result;
  {
    const py::gil_scoped_release unlocked;
    const auto files = files_of(question);
    result = api::plan(*files, source_of(question), options);
  }
  interrupt.raise();
  return api::to_json(value_of(*std::move(result)));
}

// Whole numbers of 64 bits, one after the other in memory.
std::span<const std::int64_t> numbers_of(const py::buffer_info& info) {
  if (info.ndim != 1 || info.itemsize != 8 || (info.size > 1 && info.strides[0] != 8)) {
    throw py::type_error("a column is no buffer of 64-bit whole numbers");
  }
  return {static_cast<const std::int64_t*>(info.ptr), static_cast<std::size_t>(info.size)};
}

template <class T>
py::object bytes_of(const std::vector<T>& numbers) {
  return py::bytearray(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

// Columns come back as bytes, for the package to give them the type of an array.
py::object sweep(const py::dict& asked, const std::vector<std::pair<std::string, py::buffer>>& columns,
                 const std::string& model, std::size_t threads) {
  const Question question = question_of(asked);
  std::vector<py::buffer_info> held;
  held.reserve(columns.size());
  std::vector<api::SweepColumn> all;
  for (const auto& [field, buffer] : columns) {
    held.push_back(buffer.request());
    all.push_back({field, numbers_of(held.back())});
  }
  api::SweepOptions options;
  options.read = read_of(question);
  options.gpus.names = question.gpus;
  options.model = model;
  options.threads = threads;
  Interrupt interrupt;
  options.progress = [&](double) { return interrupt.keep_going(); };
  std::optional<api::Result<api::SweepResult>> swept;
  {
    const py::gil_scoped_release unlocked;
    const auto files = files_of(question);
    swept = api::sweep(*files, source_of(question), all, options);
  }
  interrupt.raise();
  const api::SweepResult result = value_of(*std::move(swept));
  py::list gpus;
  for (const api::SweepOnGpu& each : result.gpus) {
    gpus.append(py::make_tuple(
        each.gpu,
        py::dict("step_us"_a = bytes_of(each.step_us),
                 "tokens_per_s_per_gpu"_a = bytes_of(each.tokens_per_s_per_gpu), "mfu"_a = bytes_of(each.mfu),
                 "hfu"_a = bytes_of(each.hfu), "compute_us"_a = bytes_of(each.compute_us),
                 "memory_us"_a = bytes_of(each.memory_us),
                 "communication_us"_a = bytes_of(each.communication_us),
                 "overhead_us"_a = bytes_of(each.overhead_us), "bubble_us"_a = bytes_of(each.bubble_us))));
  }
  return py::dict("parameters"_a = bytes_of(result.parameters), "memory_gib"_a = bytes_of(result.memory_gib),
                  "fails"_a = bytes_of(result.fails), "reasons"_a = py::tuple(py::cast(result.reasons)),
                  "gpus"_a = gpus);
}

std::string price_gemm(const std::string& gpu, std::int64_t m, std::int64_t n, std::int64_t k,
                       std::int64_t batch, const std::string& dtype, const std::string& layout) {
  return api::to_json(value_of(api::price_gemm(gpu, {m, n, k, batch, dtype, layout})));
}

std::string price_attention(const std::string& gpu, std::int64_t sequences, std::int64_t heads,
                            std::int64_t key_value_heads, std::int64_t query_length, std::int64_t key_length,
                            std::int64_t head_dim, bool causal, const std::string& dtype) {
  return api::to_json(value_of(api::price_attention(
      gpu, {sequences, heads, key_value_heads, query_length, key_length, head_dim, causal, dtype})));
}

}  // namespace

}  // namespace shapelint::python

PYBIND11_MODULE(_shapelint, module) {
  using namespace shapelint;
  using namespace shapelint::python;
  namespace py = pybind11;
  using py::kw_only;
  using namespace py::literals;
  module.doc() = "The library behind the package shapelint; what it gives may change.";
  refused = PyErr_NewException("shapelint._shapelint.Refused", PyExc_ValueError, nullptr);
  module.add_object("Refused", py::handle(refused));
  module.def("version", [] { return api::version(); });
  module.def("gpus", [] { return api::to_json(api::gpus()); });
  module.def("find_gpu", [](const std::string& name) { return api::to_json(value_of(api::find_gpu(name))); });
  module.def("rules", [] { return api::to_json(api::rules()); });
  module.def("find_rule",
             [](const std::string& name) { return api::to_json(value_of(api::find_rule(name))); });
  module.def("fields", [] { return api::to_json(api::fields()); });
  module.def("read", &shapelint::python::read);
  module.def("price", &shapelint::python::price);
  module.def("lint", &shapelint::python::lint, "asked"_a, kw_only(), "select"_a, "ignore"_a, "min_severity"_a,
             "fail_severity"_a, "shape"_a, "head_multiple"_a, "min_gain"_a, "with_fields"_a,
             "with_operations"_a);
  module.def("suggest", &shapelint::python::suggest, "asked"_a, kw_only(), "model"_a, "vary"_a, "fix"_a,
             "ranges"_a, "where"_a, "shape"_a, "head_multiple"_a, "budget"_a, "objective"_a, "basket"_a,
             "weights"_a, "prices"_a, "top"_a, "every"_a);
  module.def("plan", &shapelint::python::plan, "asked"_a, kw_only(), "model"_a, "num_gpus"_a, "prices"_a,
             "global_batch"_a, "tokens"_a, "input_tokens"_a, "output_tokens"_a, "ttft_ms"_a, "tpot_ms"_a,
             "e2e_ms"_a, "rate"_a, "concurrency"_a, "formats"_a, "over"_a, "top"_a);
  module.def("sweep", &shapelint::python::sweep, "asked"_a, "columns"_a, kw_only(), "model"_a, "threads"_a);
  module.def("price_gemm", &price_gemm, "gpu"_a, kw_only(), "m"_a, "n"_a, "k"_a, "batch"_a, "dtype"_a,
             "layout"_a);
  module.def("price_attention", &price_attention, "gpu"_a, kw_only(), "sequences"_a, "heads"_a,
             "key_value_heads"_a, "query_length"_a, "key_length"_a, "head_dim"_a, "causal"_a, "dtype"_a);
}
