// What applies to files: their configuration, with the rules, GPUs and dialects that it adds.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "contracts/book.hpp"
#include "formats/read.hpp"
#include "gpu/gpu.hpp"
#include "project/config.hpp"
#include "project/request.hpp"
#include "rules/book/rule.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"
#include "text/files.hpp"

namespace shapelint::project {

// What is the same for all files under one configuration.
struct Configured {
  std::shared_ptr<const Request> request;
  Config config;                                         // without a path: there is none
  std::shared_ptr<const rules::RuleBook> rules;          // the built-in ones and those of its folders
  std::shared_ptr<const contracts::Book> own_contracts;  // absent: the built-in ones
  std::unique_ptr<const formats::Dialects> dialects;     // absent: the built-in ones
  std::vector<catalog::KnownModel> models;               // a user's own, which go before the built-in ones
  std::vector<text::Document> profiles;                  // of GPUs: the request's, then those of its folders
  std::vector<gpu::Gpu> named;                           // by the request
  // Mistakes in the configuration and what its folders hold; names of rules and GPUs that do not exist, there
  // and in the request. Nothing under it should be looked at when there are any.
  std::vector<text::LocatedError> errors;
};

// The built-in contracts and those of its folders; read when they are first asked for, as most runs name no
// stack.
const contracts::Book& contracts_of(const Configured& configured);

// The built-in dialects and those of its folders.
const formats::Dialects& dialects_of(const Configured& configured);

// Finds the configuration of each file and loads it once. Several threads may ask.
class Project {
 public:
  Project(Request request, const text::FileSystem& files)
      : request_(std::make_shared<const Request>(std::move(request))), files_(files) {}

  // For a file, whether it exists or not. Lives as long as the project.
  const Configured& of(const std::string& path) const;
  // For what is not about a file: the configuration of the working directory.
  const Configured& here() const { return of({}); }
  // All that were asked for, by the paths of their configurations.
  std::vector<const Configured*> all() const;
  // Errors of all of them, each once.
  std::vector<text::LocatedError> errors() const;

  const Request& request() const { return *request_; }
  const text::FileSystem& files() const { return files_; }

 private:
  std::string config_for(const std::string& path) const;

  std::shared_ptr<const Request> request_;
  const text::FileSystem& files_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> config_of_folder_;
  mutable std::map<std::string, std::unique_ptr<const Configured>> configured_;  // by configuration
};

}  // namespace shapelint::project
