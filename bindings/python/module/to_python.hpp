// From the structs of the library to dictionaries with the same names, for dataclasses in Python.
#pragma once

#include <optional>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <shapelint/shapelint.hpp>

namespace shapelint::python {

namespace py = pybind11;

py::object to_python(const api::Error& error);
py::object to_python(const api::Range& range);
py::object to_python(const api::Gpu& gpu);
py::object to_python(const api::Rule& rule);
py::object to_python(const api::Field& field);
py::object to_python(const api::Note& note);
py::object to_python(const api::Model& model);
py::object to_python(const api::Change& change);
py::object to_python(const api::GpuGain& gain);
py::object to_python(const api::Edit& edit);
py::object to_python(const api::Proposal& proposal);
py::object to_python(const api::Finding& finding);
py::object to_python(const api::KernelCost& cost);
py::object to_python(const api::Operation& operation);
py::object to_python(const api::Step& step);
py::object to_python(const api::Improvement& improvement);
py::object to_python(const api::LintResult& result);
py::object to_python(const api::Suggestion& suggestion);
py::object to_python(const api::SuggestResult& result);

template <class T>
py::tuple to_python(const std::vector<T>& all) {
  py::tuple out(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) out[i] = to_python(all[i]);
  return out;
}

template <class T>
py::object to_python(const std::optional<T>& value) {
  return value ? to_python(*value) : py::none();
}

inline py::tuple texts(const std::vector<std::string>& all) {
  py::tuple out(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) out[i] = py::str(all[i]);
  return out;
}

}  // namespace shapelint::python
