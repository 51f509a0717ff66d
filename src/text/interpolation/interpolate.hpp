// Values that refer to other values: OmegaConf's `${…}` and environment variables with a default.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text::interpolation {

struct Scopes {
  // Tables of the document, by dotted path, whose keys a bare `${NAME}` may name (`ENV_VARS`).
  std::vector<std::string> names;
  // What a file that builds on this one says of a dotted path: references see that, and not what stands here.
  std::function<NodeRef(std::string_view path)> over = {};
};

}  // namespace shapelint::text::interpolation

namespace shapelint::text {

// A copy of the document in which the interpolations of strings are followed:
//   ${a.b} ${a[0]} ${a.0}     from the root           ${.x} ${..x}  a sibling, a sibling of the parent
//   ${multiply:a,b} ${divide_floor:a,b} ${divide_ceil:a,b} ${div_up:a,b} ${add:…} ${subtract:a,b}, arguments
//   may nest
//   ${eval:4 * ${.x}}         Python, worked out as python.hpp does, never run
//   ${oc.env:NAME,default} ${oc.select:key,default} ${NAME:default} ${NAME:-default}
// The environment is never read: a variable has its default or is unknown.
// A string that is nothing but one reference becomes what it refers to, tables too; NodeRef::span is where
// that is written and NodeRef::use_span the interpolation. A computed or assembled value is written where it
// stands. What cannot be resolved (no such key, no default, another resolver, a circle) and OmegaConf's `???`
// become Kind::unknown with the reason in NodeRef::note. `\${` stays as it is. Error: more than max_values
// values, because references to tables repeat each other; depth.
Result<Document> interpolate(const Document& document, const interpolation::Scopes& scopes = {});

}  // namespace shapelint::text
