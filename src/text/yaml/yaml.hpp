// YAML to Documents.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"

namespace shapelint::text {

// Parses YAML as PyYAML's SafeLoader does, because that is what the frameworks use: scalars are typed by
// yaml::resolve_scalar, merge keys (`<<`) are followed (a key of the table itself wins; the first of several
// merged tables wins). One Document for each document of the file; for a file with none, one whose root is
// null.
//
// An alias stands as a copy of what its anchor holds: NodeRef::span is where the value is written, at the
// anchor, and NodeRef::use_span is the alias. So it is for entries that come through `<<`. A tag that is not
// one of YAML's own (`!include`, `!!python/name:m.f`) is kept in NodeRef::note, the value as if there were no
// tag. Duplicate keys are all kept, the last one counts (see duplicate_keys). Dates are strings. The span of
// a scalar includes its quotes, or the `|` or `>` of a block; of a block table or list, from its first key or
// dash to the end of its last value. A value that is left out (`key:`) is a null with an empty span.
//
// Errors carry the place. Besides what libyaml reports: what it lets pass and PyYAML does not (tabs, a table
// as a key, an anchor defined twice), a `<<` to something that is no table, an alias inside its own anchor,
// depth, and more than max_values values once aliases are expanded.
Result<std::vector<Document>> parse_yaml(const std::string& path, const SharedText& source);

}  // namespace shapelint::text
