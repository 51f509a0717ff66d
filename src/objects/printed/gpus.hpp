// What `gpus` prints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::objects {

using api::When;

struct CalibrationErrors {
  std::string source;
  std::string alignment_source;
  double mean_error = 0;
  double mean_error_train = 0;
  double mean_error_decode = 0;
  double mean_error_misaligned = 0;
};
template <class Visitor>
void describe(Visitor& of, const CalibrationErrors*) {
  using E = CalibrationErrors;
  of.type("CalibrationErrors", "Mean errors of predicted times, as shares; null: not measured.");
  of("source", &E::source, "measurements behind the constants");
  of("alignment_source", &E::alignment_source, "measurements behind the constants of misaligned GEMMs");
  of("mean_error", &E::mean_error, "of all rows", When::or_null);
  of("mean_error_train", &E::mean_error_train, "of rows of training", When::or_null);
  of("mean_error_decode", &E::mean_error_decode, "of rows of decoding", When::or_null);
  of("mean_error_misaligned", &E::mean_error_misaligned, "of misaligned GEMMs", When::or_null);
}

struct GpuFigure {
  std::string section;
  std::string name;
  api::Scalar value;
  std::string unit;
  std::string meaning;
  std::vector<std::string> sources;
  std::string note;
  std::string confidence;
  std::string stated_by;
};
template <class Visitor>
void describe(Visitor& of, const GpuFigure*) {
  using F = GpuFigure;
  of.type("GpuFigure", "A figure of a profile.");
  of("section", &F::section, "`measured`, or empty");
  of("name", &F::name, "with its unit: `dram_bandwidth_gb_s`");
  of("value", &F::value, "");
  of("unit", &F::unit, "for people");
  of("meaning", &F::meaning, "");
  of("sources", &F::sources, "keys of `sources`");
  of("note", &F::note, "");
  of("confidence", &F::confidence, "empty: as that of all");
  of("stated_by", &F::stated_by, "the profile that states it");
}

struct GpuFacts {
  std::string confidence;
  std::vector<std::string> notes;
  std::vector<GpuFigure> figures;
};
template <class Visitor>
void describe(Visitor& of, const GpuFacts*) {
  of.type("GpuFacts", "Figures with their sources.");
  of("confidence", &GpuFacts::confidence, "");
  of("notes", &GpuFacts::notes, "");
  of("figures", &GpuFacts::figures, "");
}

struct GemmTile {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t stages = 0;
  std::int64_t ctas_per_sm = 0;
  std::int64_t sms = 0;
};
template <class Visitor>
void describe(Visitor& of, const GemmTile*) {
  of.type("GemmTile", "A tile that the library may choose for a GEMM.");
  of("m", &GemmTile::m, "rows");
  of("n", &GemmTile::n, "columns");
  of("k", &GemmTile::k, "of the sum, at a time");
  of("stages", &GemmTile::stages, "");
  of("ctas_per_sm", &GemmTile::ctas_per_sm, "");
  of("sms", &GemmTile::sms, "that work on one tile");
}

struct AlignmentBytes {
  std::int64_t minimum_bytes = 0;
  std::int64_t efficient_bytes = 0;
  std::int64_t best_bytes = 0;
};
template <class Visitor>
void describe(Visitor& of, const AlignmentBytes*) {
  of.type("AlignmentBytes", "Bytes that rows are to be multiples of.");
  of("minimum_bytes", &AlignmentBytes::minimum_bytes, "or tensor cores are not used");
  of("efficient_bytes", &AlignmentBytes::efficient_bytes, "or loads are narrow");
  of("best_bytes", &AlignmentBytes::best_bytes, "");
}

struct ArchitectureFacts {
  std::string id;
  GpuFacts facts;
  std::vector<GemmTile> tiles;
  std::map<std::string, AlignmentBytes> alignment;
};
template <class Visitor>
void describe(Visitor& of, const ArchitectureFacts*) {
  of.type("ArchitectureFacts", "Facts of a GPU architecture.");
  of("id", &ArchitectureFacts::id, "");
  of("facts", &ArchitectureFacts::facts, "");
  of("tiles", &ArchitectureFacts::tiles, "");
  of("alignment", &ArchitectureFacts::alignment, "by dtype");
}

struct FigureSource {
  std::string title;
  std::string url;
  std::string grade;
  std::string note;
};
template <class Visitor>
void describe(Visitor& of, const FigureSource*) {
  of.type("FigureSource", "Source of a figure.");
  of("title", &FigureSource::title, "");
  of("url", &FigureSource::url, "");
  of("grade", &FigureSource::grade, "read, quoted, measured, or unverified: cited from memory");
  of("note", &FigureSource::note, "");
}

struct ListedGpu : api::Gpu {
  std::map<std::string, CalibrationErrors> calibration_errors;
  std::optional<GpuFacts> facts{};
  std::optional<ArchitectureFacts> architecture_facts{};
  std::map<std::string, FigureSource> sources;
};
template <class Visitor>
void describe(Visitor& of, const ListedGpu*) {
  of.type("ListedGpu", "A GPU; with `--all`, or by name, its whole profile.");
  of.base(static_cast<const api::Gpu*>(nullptr));
  of("calibration_errors", &ListedGpu::calibration_errors, "by kind of GEMM", When::unless_empty);
  of("facts", &ListedGpu::facts, "");
  of("architecture_facts", &ListedGpu::architecture_facts, "");
  of("sources", &ListedGpu::sources, "of figures, by key", When::unless_empty);
}

struct GpuList {
  std::vector<ListedGpu> gpus;
};
template <class Visitor>
void describe(Visitor& of, const GpuList*) {
  of.type("GpuList", "GPUs by id.");
  of("gpus", &GpuList::gpus, "");
}

}  // namespace shapelint::objects
