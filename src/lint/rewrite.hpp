// Writing another setup into a file: values are changed where the file states them, keys that it lacks are
// added, and the text is read again until it says what is wanted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/reading.hpp"
#include "project/project.hpp"
#include "suggest/edit/change.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

struct RewriteRequest {
  const model::Reading& start;  // as the file is read
  const std::string& text;
  const model::Setup& wanted;
  std::span<const suggest::Change> changes;  // from `start` to `wanted`
  suggest::FieldDependencies links{};        // of `start`
  // What the file is read with.
  const project::Configured& configured;
  const text::FileSystem& files;
  bool assume_native = false;
};

struct Rewritten {
  std::string text;
  std::string summary;   // of what was changed instead of a value that is worked out
  std::string obstacle;  // then there is no text
  // What was written, by the file's keys: "`tp: 4` under `parallelism`"; and "launch on 8 GPUs" where the
  // file does not say so.
  std::vector<std::string> settings;
};

Rewritten rewrite(const RewriteRequest& request);

}  // namespace shapelint::lint
