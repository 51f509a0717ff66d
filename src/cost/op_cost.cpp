// Names of bounds.
#include "cost/op_cost.hpp"

namespace shapelint::cost {

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute";
    case Bound::memory:
      return "memory";
    case Bound::communication:
      return "communication";
    case Bound::overhead:
      return "overhead";
  }
  return "";
}

}  // namespace shapelint::cost
