// How somebody who has a file of a dialect sets a field: the key and the new value as they are written there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/dialect/dialect.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

// "`--ffn-hidden-size 13824`", "`tp: 4` under `parallelism`", or what the dialect's `[how]` says. Empty where
// no key holds the plain value, for files that are not written by hand and, unless `even_if_same`, where the
// file already calls it what the field is called.
std::string setting_syntax(const Dialect& dialect, const model::Reading& reading, model::FieldId field,
                           std::int64_t from, std::int64_t to, bool even_if_same = false);

// Notes the fields and values that `[how]` says no key sets alone, as an empty text: nothing proposes them.
void note_unset(const Dialect& dialect, model::Reading& reading);

// The key that states a field, as the file writes it, with the tables around it; empty where none does.
std::string stated_key(const Dialect& dialect, const model::Reading& reading, model::FieldId field);

// Of a field whose value is made of several keys, so that none can be named: the key that the file
// has it from, and what it has to come to. Empty where it follows from one of the fields that change `with`
// it.
std::string key_to_change(const Dialect& dialect, const model::Reading& reading, model::FieldId field,
                          std::int64_t to, const std::vector<model::FieldId>& with);

// What a file writes for a choice of a field that it states, `amp_bf16`; empty where its key has a word for
// others but none for this one, nothing where it takes the field's own name.
std::optional<std::string> word_of(const Dialect& dialect, const model::Reading& reading,
                                   model::FieldId field, std::int64_t value);

// The last part of a key's path, with underscores and without a flag's dashes.
std::string leaf_of(std::string_view path);

// How files of a syntax write a setting, `{key}: {value}`; empty for those that are not written by hand.
std::string_view setting_pattern(std::string_view syntax);

}  // namespace shapelint::formats
