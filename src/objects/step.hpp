// A priced step as the public structs.
#pragma once

#include <shapelint/shapelint.hpp>

#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/memory/training.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"

namespace shapelint::api {

// What is known of an operation before it is priced.
OperationShape shape_of(const model::Op& op);

Operation operation_of(const gpu::Gpu& gpu, const model::Op& op, const cost::OpCost& cost, double step_us);

// What a rank of a training run holds.
MemoryParts parts_of(const model::TrainingMemory& memory);
// Without a GPU, and of one whose memory is not known, what is needed alone.
Memory memory_of(const model::Setup& setup, const gpu::Gpu* gpu);

// Its times and rates alone, and all but its operations.
StepTotals totals_of(const cost::StepCost& cost);
StepTotals totals_of(const model::Setup& setup, const gpu::Gpu& gpu, const model::Workload& workload,
                     const cost::StepCost& cost);
// Without ops in the workload it has no operations.
Step step_of(const model::Reading& reading, const gpu::Gpu& gpu, const model::Workload& workload,
             const cost::StepCost& cost);

}  // namespace shapelint::api
