// Where the library reads files: the machine's, some in memory, or whatever a caller has.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shapelint/common.hpp"

namespace shapelint::api {

// Paths have `/` between their parts. A path that does not begin with one starts from the working directory.
// The library never writes, and asks several threads' worth of questions at once where it is called from
// several threads.
class SHAPELINT_API FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem();
  // An absolute folder.
  virtual std::string working_directory() const = 0;
  // The whole content. Errors: not-found; too-large, beyond `max_bytes`; unreadable, such as a folder.
  virtual Result<std::string> read(const std::string& path, std::int64_t max_bytes) const = 0;
  // The first `max_bytes` of a file, or all of it; `file_bytes` becomes its size. Model files of many GB are
  // asked for in this way. Unless it is overridden, all of the file is read.
  virtual Result<std::string> read_start(const std::string& path, std::int64_t max_bytes,
                                         std::int64_t& file_bytes) const;
  // A file or a folder.
  virtual bool exists(const std::string& path) const = 0;
  virtual bool is_folder(const std::string& path) const = 0;
  // A symbolic link, which a search through folders does not follow. Unless it is overridden, nothing is.
  virtual bool is_link(const std::string& path) const;
  // Paths of the files and folders directly in `folder`, sorted, each beginning as `folder` was given.
  virtual Result<std::vector<std::string>> list(const std::string& folder) const = 0;
};

// The machine's files. The working directory is the given one, or that of the process at this moment. Only
// regular files are read, and no link that leads out of the repository (or the working directory) that it
// lies in is followed, since files name others: except for the paths `named`, which may be pipes, devices,
// and links to anywhere.
SHAPELINT_API std::unique_ptr<const FileSystem> local_files(std::string working_directory = {},
                                                            const std::vector<std::string>& named = {});

// Paths to contents, relative or absolute; folders are implied by them. Nothing else exists.
SHAPELINT_API std::unique_ptr<const FileSystem> memory_files(
    const std::map<std::string, std::string>& contents, std::string working_directory = "/");

}  // namespace shapelint::api
