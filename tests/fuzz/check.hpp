// What must hold for every document that a reader gives, whatever it was given.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/error.hpp"
#include "text/document.hpp"
#include "text/interpolation/interpolate.hpp"

namespace shapelint::fuzz {

// What a target gives its input of 64 kB at most: enough for whatever a file of that size says once. With it
// an input that is charged for ends in milliseconds, so that one which takes a second (run.sh) was not.
inline constexpr std::int64_t work = max_work / 20;
inline constexpr std::int64_t working_bytes = max_working_bytes / 4;

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void check(const Error& error, std::size_t size) {
  require(!error.message.empty());
  if (!error.span) return;
  require(error.span->begin >= 0);
  require(error.span->begin <= error.span->end);
  require(error.span->end <= static_cast<std::int64_t>(size));
}

inline void check(const text::Document& document) {
  const std::size_t size = document.source().size();
  const std::size_t pool = document.pool().size();
  for (const text::Node& node : document.nodes()) {
    require(node.value_begin <= node.value_end && node.value_end <= size);
    require(node.key_begin <= node.key_end && node.key_end <= size);
    require(node.use_begin <= node.use_end && node.use_end <= size);
    require(node.key_offset + node.key_size <= pool);
    require(node.text_offset + node.text_size <= pool);
    require(node.note_offset + node.note_size <= pool);
  }
  try {
    text::duplicate_keys(document);
  } catch (const Spent&) {  // whoever reads a file ends it there (project::read_model)
  }
}

// Interpolation runs on every tree that can be read.
inline void check(const Result<text::Document>& document, std::size_t size) {
  if (!document) return check(document.error(), size);
  check(*document);
  const Result<text::Document> followed = text::interpolate(*document, {{"ENV_VARS"}});
  if (!followed) return check(followed.error(), size);
  check(*followed);
}

inline void check(const Result<std::vector<text::Document>>& documents, std::size_t size) {
  if (!documents) return check(documents.error(), size);
  for (const text::Document& document : *documents) check(Result<text::Document>(document), size);
}

}  // namespace shapelint::fuzz
