// What is written from tables or from real runs is fresh; UPDATE_GOLDEN=1 rewrites it. What the
// documents say of each other and of the version is true.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/help.hpp"
#include "objects/types.hpp"
#include "rules/book/rule.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/golden.hpp"
#include "tests/source_dir.hpp"

using shapelint::tests::compare_with_file;
using shapelint::tests::read_source_file;
using shapelint::tests::transcript;

namespace {

namespace fs = std::filesystem;

// The pages of docs/, without those of rules, which tests/rules looks after.
std::vector<std::string> pages() {
  std::vector<std::string> out;
  const fs::path root = shapelint::tests::source_dir();
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    const std::string path = entry.path().lexically_relative(root).generic_string();
    if (entry.path().extension() == ".md" && !path.starts_with("docs/reference/rules/")) out.push_back(path);
  }
  std::sort(out.begin(), out.end());
  return out;
}

const std::string skill = "skills/shapelint/SKILL.md";

const std::string marker = "<!-- output of: ";

// Of an output the line that begins so, and the indented ones below it.
std::string paragraph_of(const std::string& output, const std::string& begin) {
  const std::size_t at = output.find("\n" + begin);
  REQUIRE(at != std::string::npos);
  std::size_t end = output.find('\n', at + 1) + 1;
  while (output.compare(end, 2, "  ") == 0) end = output.find('\n', end) + 1;
  return output.substr(at + 1, end - at - 1);
}

// The text with what stands in each ```-block after `<!-- output of: ARGS -->` replaced by the real output of
// `shapelint ARGS`, or by a paragraph of it: `<!-- output of: ARGS | BEGIN -->`.
std::string with_real_outputs(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t begin = text.find(marker); begin != std::string::npos; begin = text.find(marker, at)) {
    const std::size_t args = begin + marker.size();
    const std::size_t args_end = text.find(" -->", args);
    const std::size_t block = text.find("```", args_end);
    const std::size_t body = text.find('\n', block) + 1;
    const std::size_t body_end = text.find("```", body);
    REQUIRE(body_end != std::string::npos);
    const std::string wanted = text.substr(args, args_end - args);
    const std::size_t bar = std::min(wanted.find(" | "), wanted.size());
    std::string shown = transcript("shapelint " + wanted.substr(0, bar));
    shown.erase(0, shown.find('\n') + 1);  // the command line
    shown.erase(shown.rfind("--- exit"));  // and the exit code
    if (bar < wanted.size()) shown = paragraph_of(shown, wanted.substr(bar + 3));
    out += text.substr(at, body - at) + shown;
    at = body_end;
  }
  return out + text.substr(at);
}

// The cells of the only row of a Markdown table that begins so.
std::vector<std::string> cells(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find("\n" + begin);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find("\n" + begin, at + 1) == std::string::npos);
  std::istringstream row(text.substr(at + 1, text.find('\n', at + 1) - at - 1));
  std::vector<std::string> out;
  for (std::string cell; std::getline(row, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    out.push_back(first == std::string::npos ? ""
                                             : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return out;
}

// The table of errors in README.md and docs/explanation/accuracy.md, from docs/benchmarks/accuracy.md and
// docs/benchmarks/training.md.
std::string accuracy_table() {
  const std::string accuracy = read_source_file("docs/benchmarks/accuracy.md");
  const std::string training = read_source_file("docs/benchmarks/training.md");
  std::string out = "| mean error of | on | how many | shapelint | roofline |\n|---|---|---|---|---|\n";
  const auto products = [&](const char* gpu, const char* row) {
    const auto found =
        cells(accuracy, row);  // "", file and GPU, slice, rows, MAPE, median, p90, bias, roofline
    out += fmt::format("| GEMM time | {} | {} | {} | {} |\n", gpu, found[3], found[4], found[8]);
  };
  products("A100, bf16", "| a100_sxm-bf16 a100-sxm4-80gb bf16 | all |");
  products("H100, bf16", "| h100_sxm-bf16 h100-sxm5 bf16 | all |");
  products("B200, bf16", "| b200_sxm-bf16 b200 bf16 | all |");
  const auto runs = [&](const char* gpus, const char* row) {
    const auto found = cells(training, row);  // "", runs, GPU, how many, error, bias, roofline
    out += fmt::format("| MFU of published training runs | {} | {} | {} | {} |\n", gpus, found[3], found[4],
                       found[6]);
  };
  runs("8 x A100", "| all of these | a100 |");
  runs("8 x H100", "| all of these | h100 |");
  runs("8 x H100, current software", "| runs on current software | h100 |");
  return out;
}

// Words of a page that is written by hand: without blocks of code, comments, and the table behind a comment
// that says where it comes from. Other tables count.
std::size_t written_words(const std::string& text) {
  std::istringstream lines(text);
  std::size_t words = 0;
  bool is_code = false;
  bool is_comment = false;
  bool is_generated = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("```") != std::string::npos) {
      is_code = !is_code;
      continue;
    }
    if (is_code) continue;
    if (line.starts_with("<!--")) {
      is_comment = true;
      is_generated = is_generated || line.starts_with("<!-- Generated");
    }
    if (is_comment) {
      is_comment = line.find("-->") == std::string::npos;
      continue;
    }
    if (line.starts_with("|") && is_generated) continue;
    if (!line.empty()) is_generated = false;
    std::istringstream split(line);
    for (std::string word; split >> word;) {
      const bool is_word = std::any_of(word.begin(), word.end(), [](unsigned char each) {
        return std::isalnum(each) != 0 || each >= 0x80;
      });
      if (is_word) ++words;
    }
  }
  return words;
}

// What stands in `constexpr TYPE NAME = …;` or `constexpr TYPE NAME{…};` of a source.
std::string initializer(const std::string& path, std::string_view name) {
  const std::string text = read_source_file(path);
  INFO(path << ": " << name);
  std::size_t begin = text.find(fmt::format(" {} = ", name));
  if (begin != std::string::npos) {
    begin += name.size() + std::string_view("  = ").size();
    return text.substr(begin, text.find(';', begin) - begin);
  }
  begin = text.find(fmt::format(" {}{{", name));
  REQUIRE(begin != std::string::npos);
  begin += name.size() + std::string_view(" {").size();
  return text.substr(begin, text.find('}', begin) - begin);
}

// The value of `constexpr TYPE NAME = VALUE;` in a source: numbers, other constants, `*` and `<<`.
std::int64_t constant(const std::string& path, std::string_view name) {
  std::string value = initializer(path, name);
  std::erase_if(value, [](char each) { return each == '\'' || each == '{' || each == '}'; });
  std::istringstream words(value);
  std::int64_t out = 0;
  std::string joins;
  for (std::string word; words >> word;) {
    if (word == "*" || word == "<<") {
      joins = word;
      continue;
    }
    if (word.starts_with("std::int64_t")) word.erase(0, std::string_view("std::int64_t").size());
    const auto number = shapelint::parse_integer(word);
    const std::int64_t operand = number ? *number : constant("src/base/budget.hpp", word);
    out = joins.empty() ? operand : joins == "*" ? out * operand : out << operand;
  }
  return out;
}

struct Limit {
  const char* what;
  const char* name;
  const char* path;
  enum class Unit : std::uint8_t { none, bytes, milliseconds } unit = Unit::none;
};

const Limit limits[] = {
    {"work on one file and all that it inherits, in units of about 10 ns", "max_work", "src/base/budget.hpp"},
    {"memory of that work", "max_working_bytes", "src/base/budget.hpp", Limit::Unit::bytes},
    {"processor time of that work", "max_cpu_ms", "src/base/budget.hpp", Limit::Unit::milliseconds},
    {"work on one profile", "max_profile_work", "src/cli/commands/profile/profile.cpp"},
    {"work on all files of a run", "max_project_work", "src/lint/run.cpp"},
    {"more of it for each file", "max_work_for_each", "src/lint/run.cpp"},
    {"size of all files of a run", "max_project_bytes", "src/lint/run.cpp", Limit::Unit::bytes},
    {"size of a configuration", "max_source_bytes", "src/text/errors.hpp", Limit::Unit::bytes},
    {"lines of a configuration", "max_lines", "src/text/errors.hpp"},
    {"nested tables, lists, brackets, commands, parts of a dotted key", "max_depth", "src/text/errors.hpp"},
    {"values of one file, aliases expanded", "max_values", "src/text/errors.hpp"},
    {"errors reported per file", "max_reported_errors", "src/text/errors.hpp"},
    {"remarks on one file: duplicate and misspelt keys, malformed numbers", "max_remarks",
     "src/formats/remarks.hpp"},
    {"comments of one file that silence nothing", "most_unused", "src/lint/suppression/suppress.hpp"},
    {"`%TAG` directives of a YAML file", "max_directives", "src/text/yaml/yaml.cpp"},
    {"header of a model file", "max_header_bytes", "src/text/header/model_header.hpp", Limit::Unit::bytes},
    {"nodes of an ONNX graph", "max_nodes", "src/formats/onnx/module/module.cpp"},
    {"memory of an ONNX graph once it is parsed, without weights", "max_parsed_bytes",
     "src/formats/onnx/module/module.cpp", Limit::Unit::bytes},
    {"dimensions of its tensors: of more the shape is unknown", "max_dimensions",
     "src/formats/onnx/module/infer.cpp"},
    {"statements of a launch script", "max_statements", "src/text/shell/grammar/syntax.cpp"},
    {"evaluations of a Python file", "most_steps", "src/text/python/run.cpp"},
    {"the same with its imports", "max_steps_with_imports", "src/text/python/run.cpp"},
    {"characters of an expression", "longest_expression", "src/expr/expression.cpp"},
    {"patterns in one configuration", "max_patterns", "src/project/read_keys.cpp"},
    {"configurations that extend each other", "max_extended", "src/project/config.cpp"},
    {"levels of inherited files", "max_inherited", "src/formats/dialect/inherit.cpp"},
    {"inherited files", "max_files", "src/formats/dialect/inherit.cpp"},
    {"levels of folders below a named one", "max_levels", "src/formats/discover.cpp"},
    {"files below a named folder", "max_files", "src/formats/discover.cpp"},
    {"names in lists of a configuration, GPUs of an option", "max_names", "src/formats/native/native.hpp"},
    {"values of a field that `roofline` draws", "max_drawn", "src/cli/commands/roofline/roofline.cpp"},
    {"numbers of GPUs for `plan` and `fits`", "max_planned_counts", "src/contracts/plan/layouts.hpp"},
    {"memory of `suggest`", "most_remembered_bytes", "src/suggest/search/optimize.cpp", Limit::Unit::bytes},
    {"documents of the language server whose results are kept", "max_results", "src/lsp/documents.hpp"},
    {"one call of git", "git_limit_ms", "src/lint/suppression/git.hpp", Limit::Unit::milliseconds},
    {"one call of rsvg-convert or resvg", "limit_ms", "src/cli/commands/roofline/pictures.cpp",
     Limit::Unit::milliseconds},
};

// Constants of the GPU model that hold for all GPUs, by the section that they are of.
struct ModelConstant {
  int section;
  const char* what;
  const char* name;
  const char* path;
};

const ModelConstant model_constants[] = {
    {2, "bandwidth without a measurement, share of the data sheet's", "default_dram_share",
     "src/cost/kernels/memory.cpp"},
    {2, "latency of DRAM, us", "dram_latency_us", "src/cost/kernels/memory.cpp"},
    {2, "usable L2, share", "l2_usable_share", "src/cost/kernels/memory.cpp"},
    {2, "`eager`: rate of a kernel, share of long copies'", "eager_bandwidth_share",
     "src/cost/kernels/memory.hpp"},
    {2, "`eager`: launch by the host, us", "module_launch_us", "src/model/op.hpp"},
    {3, "rate of a link, share (235 of 300 GB/s on A100)", "link_share", "src/cost/kernels/collective.cpp"},
    {3, "rate of the network, share (assumed)", "network_share", "src/cost/kernels/collective.cpp"},
    {3, "network per GPU, GB/s", "default_network_gb_s", "src/cost/kernels/collective.cpp"},
    {3, "rate of copies to and from the host, share", "host_share", "src/cost/kernels/collective.cpp"},
    {3, "simple protocol: start, step on NVLink, PCIe, network, us; share of the rate", "simple",
     "src/cost/kernels/collective.cpp"},
    {3, "low-latency protocol: the same", "low_latency", "src/cost/kernels/collective.cpp"},
    {3, "rate of `token_dispatcher = \"alltoall\"`, share of the link (NCCL alone: 0.6 to 0.8)",
     "plain_share", "src/cost/kernels/collective.cpp"},
    {3, "overlapped all-to-all: exposed, share (SMs of DeepEP's kernels)", "waited_share",
     "src/model/lower/mixture/moe.cpp"},
    {4, "overlapped gather of ZeRO-3: exposed, share (SMs of NCCL's channels)", "waited_share",
     "src/model/lower/collectives.cpp"},
    {4, "deviation s between ranks up to ZeRO 1 (2.2 % of a step from 8 to 2048 GPUs)", "step_spread",
     "src/model/lower/lower.cpp"},
    {4, "the same if ranks meet in each layer (15 %)", "layer_spread", "src/model/lower/lower.cpp"},
    {5, "FLOPs per clock and SM", "flops_per_clock", "src/cost/kernels/layer_scan.cpp"},
    {5, "time of a chunk, us", "chunk_us", "src/cost/kernels/layer_scan.cpp"},
    {5, "bandwidth of DRAM or L2, share", "memory_share", "src/cost/kernels/layer_scan.cpp"},
};

std::string constants_table() {
  std::string out = "| section | constant | value | code |\n|---|---|--:|---|\n";
  for (const ModelConstant& each : model_constants) {
    std::string value = initializer(each.path, each.name);
    for (std::size_t at = value.find(".0"); at != std::string::npos; at = value.find(".0", at))
      if (at + 2 == value.size() || std::isdigit(static_cast<unsigned char>(value[at + 2])) == 0)
        value.erase(at, 2);
      else
        at += 2;
    out += fmt::format("| {} | {} | {} | [`{}`](../../{}) |\n", each.section, each.what, value, each.name,
                       each.path);
  }
  return out;
}

// A page with the table below this head row replaced.
std::string with_table(const std::string& page, std::string_view head, const std::string& table) {
  const std::size_t begin = page.find(head);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = std::min(page.find("\n\n", begin), page.size() - 1);
  return page.substr(0, begin) + table + page.substr(end + 1);
}

std::string limits_table() {
  std::string out = "| what | limit | constant |\n|---|---|---|\n";
  for (const Limit& each : limits) {
    const std::int64_t value = constant(each.path, each.name);
    constexpr std::int64_t mib = 1024 * 1024;
    const std::string text = each.unit == Limit::Unit::milliseconds ? fmt::format("{} s", value / 1000)
                             : each.unit == Limit::Unit::none       ? shapelint::with_commas(value)
                             : value % mib == 0 ? fmt::format("{} MiB", shapelint::with_commas(value / mib))
                                                : fmt::format("{} MB", value / 1'000'000);
    out += fmt::format("| {} | {} | [`{}`](../../{}) |\n", each.what, text, each.name, each.path);
  }
  return out;
}

}  // namespace

TEST_CASE("the errors of README.md and of the page on accuracy are those of the reports", "[docs]") {
  for (const char* path : {"README.md", "docs/explanation/accuracy.md"}) {
    const std::string page = read_source_file(path);
    CHECK(compare_with_file(path, with_table(page, "| mean error of |", accuracy_table())) == "");
  }
}

TEST_CASE("the limits on the page about security are the constants of the code", "[docs]") {
  const char* path = "docs/reference/security.md";
  const std::string page = read_source_file(path);
  CHECK(compare_with_file(path, with_table(page, "| what | limit | constant |", limits_table())) == "");
}

TEST_CASE("the constants on the page about the GPU model are those of the code", "[docs]") {
  const char* path = "docs/explanation/gpu-model.md";
  const std::string page = read_source_file(path);
  CHECK(compare_with_file(path, with_table(page, "| section | constant |", constants_table())) == "");
}

TEST_CASE("the commands that README.md names run", "[docs]") {
  const std::string readme = read_source_file("README.md");
  const std::string model = read_source_file("examples/gpt2-124m.toml");
  shapelint::text::MemoryFileSystem files;
  files.files["model.toml"] = model;
  files.files["configs/model.toml"] = model;
  files.files["train.sh"] =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads "
      "12 "
      "--seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 8 --global-batch-size 64 "
      "--vocab-size 50257 --train-iters 1000 --lr 1e-4 --bf16\n";
  std::istringstream lines(readme.substr(readme.find("## Use it on your model")));
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("shapelint ")) continue;
    std::istringstream words(line.substr(0, line.find(" #")));
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    arguments.erase(arguments.begin());
    const auto ran = shapelint::tests::run(arguments, files);
    INFO(line << "\n" << ran.err);
    CHECK(ran.code != 2);
    ++commands;
  }
  CHECK(commands == 7);
}

TEST_CASE("schemas, declarations and the page of objects are what the structs' descriptions say", "[docs]") {
  using namespace shapelint;
  for (const objects::Document& document : objects::documents()) {
    const std::string path = fmt::format("docs/schema/shapelint-{}.schema.json", document.name);
    CHECK(compare_with_file(path, objects::schema(document)) == "");
  }
  CHECK(compare_with_file("docs/reference/objects.md", objects::markdown()) == "");
  CHECK(compare_with_file("bindings/python/shapelint/_generated.py", objects::python()) == "");
  const std::string types = read_source_file("bindings/wasm/module/index.d.ts");
  const std::string mark =
      "// What follows is written by the library from its own descriptions (include/shapelint).\n";
  REQUIRE(types.find(mark) != std::string::npos);
  const std::string own = types.substr(0, types.find(mark) + mark.size());
  CHECK(compare_with_file("bindings/wasm/module/index.d.ts", own + objects::typescript()) == "");
}

TEST_CASE("the man pages are what the tables of commands and options say", "[docs]") {
  std::set<std::string> names;
  for (const shapelint::cli::ManPage& page : shapelint::cli::man_pages()) {
    names.insert(page.name);
    CHECK(compare_with_file("man/" + page.name, page.text) == "");
    // Nobody scrolls through more for one command.
    INFO(page.name);
    CHECK(std::count(page.text.begin(), page.text.end(), '\n') < 500);
  }
  std::set<std::string> there;
  for (const auto& each :
       std::filesystem::directory_iterator(std::filesystem::path(shapelint::tests::source_dir()) / "man"))
    there.insert(each.path().filename().string());
  CHECK(there == names);
}

TEST_CASE("the output that documents show is real", "[docs]") {
  std::vector<std::string> shown;
  std::vector<std::string> documents = pages();
  documents.emplace_back("README.md");
  documents.emplace_back(skill);
  for (const std::string& path : documents) {
    const std::string text = read_source_file(path);
    if (text.find(marker) == std::string::npos) continue;
    shown.push_back(path);
    CHECK(compare_with_file(path, with_real_outputs(text)) == "");
  }
  CHECK(shown == std::vector<std::string>{"docs/benchmarks/convolutions.md", "docs/benchmarks/training.md",
                                          "docs/explanation/convolutions.md", "docs/how-to/check-serving.md",
                                          "docs/how-to/compare-a-trace.md", "docs/how-to/plan-parallelism.md",
                                          "docs/how-to/read-a-roofline.md", "docs/tutorial/first-model.md",
                                          "README.md", skill});
}

TEST_CASE("what people write is short enough to be read", "[docs]") {
  constexpr std::size_t most_in_all = 18'000;
  constexpr std::size_t most_of_a_page = 1'200;
  const std::set<std::string> generated = {
      "docs/reference/data-files.md", "docs/reference/formats.md",    "docs/reference/native-format.md",
      "docs/reference/objects.md",    "docs/reference/operations.md", "docs/reference/requirements.md"};
  std::vector<std::string> documents = pages();
  for (const char* path : {"README.md", "CONTRIBUTING.md", "SECURITY.md"}) documents.emplace_back(path);
  std::size_t in_all = 0;
  for (const std::string& path : documents) {
    if (generated.contains(path) || path.starts_with("docs/benchmarks/")) continue;
    const std::size_t words = written_words(read_source_file(path));
    INFO(path << ": " << words);
    CHECK(words <= most_of_a_page);
    in_all += words;
  }
  CHECK(in_all <= most_in_all);
  // How predictions come about can be read in one sitting.
  constexpr std::size_t most_of_models = 1'500;
  std::size_t of_models = 0;
  for (const char* path : {"docs/explanation/lowering.md", "docs/explanation/gpu-model.md"})
    of_models += written_words(read_source_file(path));
  CHECK(of_models <= most_of_models);
}

TEST_CASE("every page of docs/ is in its index, which README.md names", "[docs]") {
  const std::string index = read_source_file("docs/README.md");
  const std::vector<std::string> all = pages();
  CHECK(all.size() > 10);
  for (const std::string& page : all) {
    if (page == "docs/README.md") continue;
    INFO(page);
    CHECK(index.find("](" + page.substr(5) + ")") != std::string::npos);
  }
  CHECK(read_source_file("README.md").find("](docs/README.md)") != std::string::npos);
}

TEST_CASE("links between documents lead somewhere", "[docs]") {
  std::vector<std::string> documents = pages();
  for (const char* path : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", skill.c_str()})
    documents.emplace_back(path);
  for (const std::string& path : documents) {
    const std::string text = read_source_file(path);
    REQUIRE_FALSE(text.empty());
    const fs::path folder = (fs::path(shapelint::tests::source_dir()) / path).parent_path();
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const std::string whole = text.substr(at + 2, text.find(')', at) - at - 2);
      const std::string target = whole.substr(0, whole.find('#'));
      if (target.empty() || target.find(' ') != std::string::npos || target.find("://") != std::string::npos)
        continue;
      INFO(path << " -> " << target);
      CHECK(fs::exists(folder / target));
    }
  }
}

TEST_CASE("sources that documents name are there", "[docs]") {
  const fs::path root = shapelint::tests::source_dir();
  std::size_t named = 0;
  for (const std::string& path : pages()) {
    const std::string text = read_source_file(path);
    for (const char* folder : {"`src/", "`tests/"}) {
      for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at + 1)) {
        const std::string source = text.substr(at + 1, text.find_first_of("`\n", at + 1) - at - 1);
        if (!source.ends_with(".cpp") && !source.ends_with(".hpp")) continue;
        INFO(path << ": " << source);
        CHECK(fs::exists(root / source));
        ++named;
      }
    }
  }
  CHECK(named > 20);
}

TEST_CASE("the skill's commands run, and help for agents is the skill", "[docs]") {
  const std::string text = read_source_file(skill);
  std::istringstream lines(text);
  std::size_t count = 0;
  bool is_command = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("```") != std::string::npos) is_command = line.find("```sh") != std::string::npos;
    const std::size_t begin = line.find_first_not_of(' ');
    if (!is_command || begin == std::string::npos || line.compare(begin, 10, "shapelint ") != 0) continue;
    ++count;
    INFO(line);
    CHECK(transcript(line.substr(begin)).find("--- exit 2") == std::string::npos);
  }
  CHECK(count >= 5);
  CHECK(shapelint::tests::run({"help", "--for-agents"}).out == text);
  CHECK(text.size() < 12'000);  // it is read into a context that other things need, too
}

// `## [0.1.0] - 2026-01-31`, newest first.
TEST_CASE("the versions of documents are those of the program", "[docs]") {
  const std::string changes = read_source_file("CHANGELOG.md");
  std::vector<std::string> versions;
  for (std::size_t at = changes.find("\n## ["); at != std::string::npos; at = changes.find("\n## [", at + 1))
    versions.push_back(changes.substr(at + 5, changes.find(']', at) - at - 5));
  REQUIRE_FALSE(versions.empty());
  CHECK(versions.front() == SHAPELINT_VERSION);
  CHECK(shapelint::tests::run({"--version"}).out == "shapelint " SHAPELINT_VERSION "\n");
  CHECK(read_source_file("CITATION.cff").find("\nversion: " SHAPELINT_VERSION "\n") != std::string::npos);
  // A rule came with a version that there is, or will be with the next.
  for (const auto& rule : shapelint::rules::builtin_rules().rules()) {
    INFO(rule.code << " since " << rule.since);
    CHECK(std::find(versions.begin(), versions.end(), std::string(rule.since) + ".0") != versions.end());
  }
}

TEST_CASE("the model that the guide describes can be linted as it stands", "[docs]") {
  const std::string guide = read_source_file("docs/how-to/check-a-model.md");
  const std::string fence = "```toml\n";
  REQUIRE(guide.find(fence) != std::string::npos);
  const std::size_t begin = guide.find(fence) + fence.size();
  shapelint::text::MemoryFileSystem files;
  files.files["my-model.toml"] = guide.substr(begin, guide.find("```", begin) - begin);
  const auto ran = shapelint::tests::run({"my-model.toml", "--gpu", "h100"}, files);
  CHECK(ran.err.empty());
  CHECK(ran.code != 2);
  CHECK(shapelint::tests::run({"my-model.toml", "--gpu", "h100", "--tensor", "4"}, files).code != 2);
}
