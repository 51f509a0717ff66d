// One model of a file and the GPUs that it is priced for: what `suggest`, `sweep` and `roofline` begin with.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/model_file.hpp"
#include "cli/option.hpp"
#include "model/reading.hpp"
#include "project/project.hpp"

namespace shapelint::cli {

struct ModelChoice {
  std::string file;       // `-`: standard input
  std::string model{};    // which of the file's; the first unless named
  bool networks = false;  // convolutional networks can be priced, though not searched
};

struct ModelInput {
  ModelFile file;
  std::size_t model = 0;  // of the file's readings
  const model::Reading& reading() const { return file.readings[model]; }
  const std::vector<gpu::Gpu>& gpus() const { return file.applied.gpus; }
};

// The options that choose them: FILE and --model.
Option model_file_option(std::string& file);
Option model_option(std::string& model);

// Reads the file and prints everything that is wrong with it, missing fields and GPUs that cannot multiply
// its number format included. Nothing when something was. The project's configurations have no errors.
std::unique_ptr<ModelInput> read_model_input(const ModelChoice& choice, const project::Project& project,
                                             Io& io);

}  // namespace shapelint::cli
