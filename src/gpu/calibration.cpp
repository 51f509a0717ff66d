// Reads fitted constants.
#include "gpu/calibration.hpp"

#include "gpu/fields.hpp"

namespace shapelint::gpu {

namespace {

constexpr Field<Calibration> calibration_table[] = {
    {"", "source", "", Type::text, &Calibration::source, 0, 0, "what data fitted it"},
};

}  // namespace

void read_calibration(text::NodeRef table, Calibration& into, std::vector<Error>& errors) {
  read_fields<Calibration>(table, "", calibration_table, {}, into, errors);
}

}  // namespace shapelint::gpu
