// What applies to a file: who has a say in it, and in which order.
#include "project/project.hpp"

#include <thread>

#include "project/applied.hpp"
#include "project/named.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

using Strings = std::vector<std::string>;

constexpr const char* own_gpu = "based_on = \"a100\"\nname = \"own\"\nsm_count = 100\n";

text::MemoryFileSystem some_files() {
  text::MemoryFileSystem files;
  files.files["shapelint.toml"] =
      "gpu = [\"own\", \"h100\", \"own\"]\ngpu-folders = [\"gpus\"]\nmin-gain = 0.05\nselect = [\"SL1\"]\n"
      "[[files]]\nmatch = \"old/*\"\ngpu = \"v100\"\ntensor = 4\nmicro_batch_size = 2\n";
  files.files["gpus/own.toml"] = own_gpu;
  files.files["apart/shapelint.toml"] = "ignore = [\"SL2\"]\n";
  files.files["wrong/shapelint.toml"] = "gpu = [\"a1000\"]\n";
  return files;
}

project::Request request_for(Strings gpus) {
  project::Request request;
  request.gpus.names = std::move(gpus);
  return request;
}

Strings ids(const std::vector<gpu::Gpu>& gpus) {
  Strings out;
  for (const gpu::Gpu& gpu : gpus) out.push_back(gpu.id);
  return out;
}

project::Applied applied(const project::Project& project, const std::string& path,
                         const formats::LintOptions& stated = {}) {
  std::vector<Error> errors;
  project::Applied out = project::what_applies(project.of(path), path, stated, errors);
  CHECK(errors.empty());
  return out;
}

}  // namespace

TEST_CASE("GPUs are chosen by the caller, then the file, then its configuration, then assumed", "[project]") {
  const text::MemoryFileSystem files = some_files();
  formats::LintOptions stated;
  stated.gpus.push_back({"l4", {}});

  const project::Project asked(request_for({"own", "a10"}), files);
  CHECK(ids(applied(asked, "m.toml", stated).gpus) == Strings{"own", "a10"});
  CHECK(applied(asked, "m.toml", stated).gpus_from == project::GpusFrom::request);

  const project::Project open({}, files);
  CHECK(ids(applied(open, "m.toml", stated).gpus) == Strings{"l4"});
  CHECK(applied(open, "m.toml", stated).gpus_from == project::GpusFrom::file);
  CHECK(ids(applied(open, "m.toml").gpus) == Strings{"own", "h100-sxm5"});
  CHECK(applied(open, "m.toml").gpus.front().sm_count == 100);
  CHECK(ids(applied(open, "old/m.toml").gpus) == Strings{"v100-sxm2-32gb"});
  CHECK(applied(open, "old/m.toml").gpus_from == project::GpusFrom::configuration);
  CHECK(ids(applied(open, "apart/m.toml").gpus) == Strings{"a100-sxm4-80gb", "h100-sxm5"});
  CHECK(applied(open, "apart/m.toml").gpus_from == project::GpusFrom::assumption);
}

TEST_CASE("a caller may do without a configuration, or name one for all files", "[project]") {
  const text::MemoryFileSystem files = some_files();
  project::Request request;
  request.isolated = true;
  const project::Project isolated(request, files);
  CHECK(isolated.of("m.toml").config.path.empty());
  CHECK(applied(isolated, "m.toml").rules.select.empty());

  request.config = "apart/shapelint.toml";
  const project::Project named(request, files);
  CHECK(named.of("m.toml").config.path == "apart/shapelint.toml");
  CHECK(named.here().config.path == "apart/shapelint.toml");

  const project::Project open({}, files);
  CHECK(open.here().config.path == "shapelint.toml");
  CHECK(applied(open, "m.toml").rules.select == Strings{"SL1"});
  CHECK(applied(open, "m.toml").rules.min_gain == 0.05);
  request = {};
  request.min_gain = 0.2;
  request.select = {"SL4"};
  const project::Project strict(request, files);
  CHECK(applied(strict, "m.toml").rules.select == Strings{"SL4"});
  CHECK(applied(strict, "m.toml").rules.min_gain == 0.2);
}

TEST_CASE("a file is read with the fields that its configuration gives it", "[project]") {
  const text::MemoryFileSystem files = some_files();
  const std::string source =
      "[model]\nhidden_size = 1024\nnum_layers = 2\nnum_attention_heads = 16\nvocab_size = 50304\n"
      "[run]\nmicro_batch_size = 1\nsequence_length = 512\n";
  project::Request request;
  request.overrides.push_back({model::find_field("tensor"), 8, "--tensor"});
  const project::Project project(request, files);
  const auto read =
      project::read_model(project.of("old/m.toml"), formats::parse("old/m.toml", source), files);
  REQUIRE(read.readings.size() == 1);
  CHECK(read.readings.front().setup.plan.micro_batch_size == 2);
  CHECK(read.readings.front().setup.plan.tensor == 8);  // the caller's goes before
}

TEST_CASE("mistakes in configurations are values, and each is told once", "[project]") {
  const text::MemoryFileSystem files = some_files();
  const project::Project project(request_for({"a10000"}), files);
  project.of("wrong/a.toml");
  project.of("wrong/b.toml");
  project.of("apart/c.toml");
  const auto errors = project.errors();
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].error.message == "unknown GPU `a10000`");
  CHECK(errors[0].error.path.empty());
  CHECK(errors[1].error.message == "unknown GPU `a1000`");
  CHECK(errors[1].error.path == "wrong/shapelint.toml");
  CHECK(errors[1].source.str() == files.files.at("wrong/shapelint.toml"));
}

TEST_CASE("several threads may ask a project", "[project]") {
  const text::MemoryFileSystem files = some_files();
  const project::Project project({}, files);
  std::vector<std::thread> threads;
  std::vector<const project::Configured*> found(8, nullptr);
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back(
        [&, i] { found[i] = &project.of(i % 2 == 0 ? "m.toml" : "apart/" + std::to_string(i) + ".toml"); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 2; i < found.size(); ++i) CHECK(found[i] == found[i % 2]);
  CHECK(project.all().size() == 2);
}

TEST_CASE("GPUs that cannot multiply a number format are left out where they were assumed", "[project]") {
  project::Applied out;
  out.gpus = project::assumed_gpus();
  CHECK(project::remove_unsupported_gpus(out, DType::fp8).empty());
  CHECK(ids(out.gpus) == Strings{"h100-sxm5"});

  out.gpus = project::assumed_gpus();
  out.gpus_from = project::GpusFrom::configuration;
  CHECK(ids(project::remove_unsupported_gpus(out, DType::fp8)) == Strings{"a100-sxm4-80gb"});
}

// compute capability 10.0 for MXFP8: Transformer Engine, pytorch/quantization.py, _compute_mxfp8_support.
TEST_CASE("where nobody names a GPU, one is assumed that runs the dtype and its recipe", "[project]") {
  const auto assumed_for = [](DType dtype, Recipe recipe, project::GpusFrom from) {
    model::Reading reading;
    reading.setup.plan.dtype = dtype;
    reading.setup.plan.recipe = recipe;
    project::Applied out;
    out.gpus = project::assumed_gpus();
    out.gpus_from = from;
    const bool is_mistake = !project::remove_unsupported_gpus(out, reading).empty();
    return std::pair(ids(out.gpus), is_mistake);
  };
  using project::GpusFrom;
  CHECK(assumed_for(DType::fp4, Recipe::nvfp4, GpusFrom::assumption) ==
        std::pair(Strings{"b200-sxm"}, false));
  CHECK(assumed_for(DType::fp8, Recipe::mxfp8, GpusFrom::assumption) ==
        std::pair(Strings{"b200-sxm"}, false));
  CHECK(assumed_for(DType::fp8, Recipe::tensor, GpusFrom::assumption) ==
        std::pair(Strings{"h100-sxm5"}, false));
  CHECK(assumed_for(DType::bf16, Recipe::mxfp8, GpusFrom::assumption) ==
        std::pair(Strings{"a100-sxm4-80gb", "h100-sxm5"}, false));
  CHECK(assumed_for(DType::fp4, Recipe::nvfp4, GpusFrom::request) == std::pair(Strings{}, true));
}

TEST_CASE("weights of a format that the GPU cannot multiply are unpacked", "[project]") {
  const std::string config =
      R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
 "intermediate_size": 11008, "vocab_size": 32000, "quantization_config": {"quant_method": "fp8"}})";
  const text::MemoryFileSystem files;
  const auto read_for = [&](const char* gpu) {
    const project::Project project(request_for({gpu}), files);
    return project::read_model(project.of("config.json"), formats::parse("config.json", config), files)
        .readings.at(0);
  };
  CHECK(read_for("h100").setup.plan.dtype == DType::fp8);
  const model::Reading unpacked = read_for("a100");
  CHECK(unpacked.setup.plan.dtype == DType::bf16);
  CHECK(unpacked.setup.plan.weight_bits == 8);
  CHECK(model::origin(unpacked, model::FieldId::dtype).note ==
        "weights of fp8 are dequantized: a100-sxm4-80gb has no tensor cores for it");
  CHECK(read_for("v100").setup.plan.dtype == DType::fp8);  // nothing unpacks to bf16 there

  project::Applied both;
  both.gpus = project::assumed_gpus();
  both.gpus_from = project::GpusFrom::request;
  CHECK(project::remove_unsupported_gpus(both, read_for("h100")).empty());
  CHECK(ids(both.gpus) == Strings{"h100-sxm5"});
}

TEST_CASE("a file of a folder that cannot be parsed is told with its place and its text", "[project]") {
  text::MemoryFileSystem files;
  files.files["shapelint.toml"] = "gpu-folders = [\"gpus\"]\n";
  files.files["gpus/own.toml"] = "name = \"own\"\nsm_count = = 100\n";
  const project::Project project({}, files);
  const auto& errors = project.of("m.toml").errors;
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].error.path == "gpus/own.toml");
  REQUIRE(errors[0].error.span);
  CHECK(errors[0].source.str() == files.files["gpus/own.toml"]);
}

TEST_CASE("a model of one's own goes before the built-in table", "[project]") {
  text::MemoryFileSystem files;
  files.files["shapelint.toml"] = "model-folders = [\"models\"]\n";
  files.files["models/own.toml"] =
      "source = \"our wiki\"\n[common]\nmlp_gated = true\nnum_layers = 28\n"
      "[[model]]\nname = \"house/Small-3B\"\naliases = [\"small-long\"]\nhidden_size = 3072\n"
      "num_attention_heads = 24\nintermediate_size = 8192\nvocab_size = 128256\n"
      "[[model]]\nname = \"Qwen/Qwen3-8B\"\nhidden_size = 1024\nnum_attention_heads = 16\n"
      "[[alias]]\nmodel = \"house/Small-3B\"\nnames = [\"lab/three\"]\n"
      "[[alias]]\nmodel = \"Qwen/Qwen3-14B\"\nnames = [\"lab/fourteen\"]\n";
  const auto width = [&](const project::Request& request, std::string_view name) {
    const project::Project project(request, files);
    CHECK(project.of("sft.yaml").errors.empty());
    const auto read = project::read_model(
        project.of("sft.yaml"),
        formats::parse("sft.yaml", "model_name_or_path: " + std::string(name) +
                                       "\nper_device_train_batch_size: 1\nmax_length: 2048\nbf16: true\n"
                                       "learning_rate: 1.0e-5\ndataset_name: x\n"),
        files);
    REQUIRE(read.readings.size() == 1);
    return read.readings.front().setup.model.hidden_size;
  };
  CHECK(width({}, "house/Small-3B") == 3072);
  CHECK(width({}, "/models/small-3b-Instruct") == 3072);
  CHECK(width({}, "small-long") == 3072);
  CHECK(width({}, "Qwen/Qwen3-8B") == 1024);
  CHECK(width({}, "Qwen/Qwen3-14B") == 5120);
  CHECK(width({}, "lab/three") == 3072);
  CHECK(width({}, "lab/fourteen") == 5120);
  // By its name alone, too.
  const project::Project project({}, files);
  const auto path = project::path_named(project, "house/Small-3B");
  const auto text = project::text_named(project, "house/Small-3B");
  CHECK((path && *path == "house/Small-3B"));
  CHECK((text && *text == "published = \"house/Small-3B\"\n"));
  CHECK_FALSE(project::text_named(project, "house/Small-4B"));
  project::Request isolated;
  isolated.isolated = true;
  CHECK(width(isolated, "Qwen/Qwen3-8B") == 4096);
  // The Hub's local cache has no say either where no configuration has: the table is the same everywhere.
  files.files["hub/models--Qwen--Qwen3-8B/snapshots/0/config.json"] =
      R"({"model_type": "qwen3", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 2})";
  project::Request cached;
  cached.model_cache = "hub";
  CHECK(width(cached, "Qwen/Qwen3-8B") == 1024);
  files.files["shapelint.toml"] = "";
  CHECK(width(cached, "Qwen/Qwen3-8B") == 512);
  cached.isolated = true;
  CHECK(width(cached, "Qwen/Qwen3-8B") == 4096);
}

TEST_CASE("mistakes in models of one's own are told with their place", "[project]") {
  text::MemoryFileSystem files;
  files.files["shapelint.toml"] = "model-folders = [\"models\"]\n";
  files.files["models/own.toml"] =
      "[[model]]\nname = \"a/b\"\nhiden_size = 1024\nnum_layers = 2.5\nnorm = \"batch\"\n"
      "[[model]]\nhidden_size = 64\n[[family]]\ncolumns = \"hidden_size\"\nmodels = [\"a/c 64\"]\n"
      "[[alias]]\nmodel = \"a/d\"\nnames = [\"d\"]\n";
  const project::Project project({}, files);
  Strings told;
  for (const auto& each : project.of("m.toml").errors) told.push_back(each.error.message);
  CHECK(told == Strings{"unknown field `hiden_size`", "`num_layers` is an integer, true or false, or a name",
                        "unknown choice `batch`", "a model needs a name",
                        "a row is a name, a number for each of `columns`, and that of its source",
                        "no model is called `a/d`"});
}
