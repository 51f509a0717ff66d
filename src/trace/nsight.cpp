// Nsight Systems: the tables of its SQLite export.
#include "trace/read.hpp"

#ifdef SHAPELINT_SQLITE
#include <memory>
#include <set>

#include <fmt/format.h>
#include <sqlite3.h>

#include "text/printable.hpp"
#include "trace/builder.hpp"
#include "trace/classify.hpp"
#endif

namespace shapelint::trace {

#ifdef SHAPELINT_SQLITE

namespace {

constexpr double us_per_ns = 1e-3;

struct Closer {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Closer>;

// A file that may be anybody's: only its tables are read, and nothing that it defines is run.
class Database {
 public:
  explicit Database(const std::string& path) {
    sqlite3* opened = nullptr;
    code_ = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened);
    if (code_ != SQLITE_OK) return;
    constexpr int longest_value = 1 << 20;
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longest_value);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    code_ = sqlite3_exec(opened, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", nullptr, nullptr, nullptr);
    const Statement tables = prepare("SELECT name FROM sqlite_master WHERE type = 'table'");
    while (next(tables)) tables_.emplace(text(tables, 0));
  }

  bool has(const std::string& table) const { return tables_.contains(table); }
  bool has(const std::string& table, std::string_view column) {
    // `table` is a name of this file's.
    const Statement columns = prepare(fmt::format("PRAGMA table_info({})", table));
    while (next(columns)) {
      if (text(columns, 1) == column) return true;
    }
    return false;
  }
  Statement prepare(const std::string& query) {
    sqlite3_stmt* statement = nullptr;
    if (code_ == SQLITE_OK) {
      code_ = sqlite3_prepare_v2(database_.get(), query.c_str(), -1, &statement, nullptr);
      if (code_ != SQLITE_OK && problem_.empty()) problem_ = sqlite3_errmsg(database_.get());
    }
    return Statement(statement);
  }
  bool next(const Statement& statement) {
    if (!statement) return false;
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) {
      code_ = code;
      if (problem_.empty()) problem_ = sqlite3_errmsg(database_.get());
    }
    return false;
  }
  static std::string_view text(const Statement& row, int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row.get(), column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(row.get(), column))};
  }
  static std::int64_t whole(const Statement& row, int column) {
    return sqlite3_column_int64(row.get(), column);
  }
  static double us(const Statement& row, int column) {
    return static_cast<double>(sqlite3_column_int64(row.get(), column)) * us_per_ns;
  }

  bool is_good() const { return code_ == SQLITE_OK; }
  std::string problem() const {
    if (!problem_.empty()) return problem_;
    return database_ ? sqlite3_errmsg(database_.get()) : "not enough memory";
  }

 private:
  std::unique_ptr<sqlite3, Closer> database_;
  int code_ = SQLITE_OK;
  std::string problem_;
  std::set<std::string, std::less<>> tables_;
};

class NsightReader {
 public:
  NsightReader(Database& database, Trace& trace, const ProgressCallback& on_progress)
      : database_(database), trace_(trace), on_progress_(on_progress) {}

  Result<Trace> read() {
    const bool has_kernels = database_.has("CUPTI_ACTIVITY_KIND_KERNEL");
    if (database_.is_good() && !has_kernels) {
      return Error{"is a database without kernels (the table CUPTI_ACTIVITY_KIND_KERNEL)",
                   "`nsys profile --trace=cuda,nvtx` records them, `nsys export --type sqlite` writes them",
                   trace_.path,
                   {}};
    }
    read_device();
    if (has_kernels) read_kernels();
    read_copies("CUPTI_ACTIVITY_KIND_MEMCPY", "[CUDA memcpy]");
    read_copies("CUPTI_ACTIVITY_KIND_MEMSET", "[CUDA memset]");
    read_launches();
    read_ranges();
    if (!database_.is_good())
      return Error{text::one_line(fmt::format("cannot be read as SQLite: {}", database_.problem())),
                   "",
                   trace_.path,
                   {}};
    if (!builder_.too_much().empty())
      return Error{fmt::format("has {}", builder_.too_much()), "", trace_.path, {}};
    return std::move(builder_).finish(std::move(trace_));
  }

 private:
  bool goes_on(const Statement& row) {
    if (!builder_.too_much().empty() || !database_.next(row)) return false;
    constexpr std::int64_t between = 4096;
    if (++trace_.events % between == 0 && on_progress_)
      on_progress_(static_cast<std::size_t>(trace_.events), 0);
    return true;
  }

  void read_device() {
    if (!database_.has("TARGET_INFO_GPU")) return;
    const Statement row = database_.prepare("SELECT name FROM TARGET_INFO_GPU LIMIT 1");
    if (database_.next(row)) trace_.device = text::one_line(Database::text(row, 0).substr(0, 256));
  }

  void read_kernels() {
    const Statement row = database_.prepare(
        "SELECT k.start, k.end, k.deviceId, k.streamId, k.correlationId, s.value FROM "
        "CUPTI_ACTIVITY_KIND_KERNEL k LEFT JOIN StringIds s ON s.id = k.demangledName");
    while (goes_on(row)) {
      DeviceEvent out = device_event(row);
      out.kernel.name = builder_.text(Database::text(row, 5));
      builder_.add(out);
    }
  }

  void read_copies(const std::string& table, std::string_view name) {
    if (!database_.has(table)) return;
    const Statement row =
        database_.prepare(fmt::format("SELECT start, end, deviceId, streamId, correlationId FROM {}", table));
    while (goes_on(row)) {
      DeviceEvent out = device_event(row);
      out.kernel.name = builder_.text(name);
      builder_.add(out);
    }
  }

  static DeviceEvent device_event(const Statement& row) {
    DeviceEvent out;
    out.kernel.start_us = Database::us(row, 0);
    out.kernel.time_us = std::max(0.0, Database::us(row, 1) - out.kernel.start_us);
    out.kernel.device = static_cast<std::int32_t>(Database::whole(row, 2));
    out.kernel.stream = static_cast<std::int32_t>(Database::whole(row, 3));
    out.correlation = Database::whole(row, 4);
    return out;
  }

  void read_launches() {
    if (!database_.has("CUPTI_ACTIVITY_KIND_RUNTIME")) return;
    const Statement row = database_.prepare(
        "SELECT start, end, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME "
        "WHERE correlationId IS NOT NULL");
    while (goes_on(row)) {
      builder_.add(LaunchEvent{Database::whole(row, 3), Database::us(row, 0), Database::us(row, 1),
                               builder_.thread(0, Database::whole(row, 2)), none, none});
    }
  }

  // Ranges of NVTX: those of torch.autograd.profiler.emit_nvtx are operators, `aten::mm, seq = 3, sizes =
  // [[8, 4], [4, 2]]`; all others are somebody's.
  void read_ranges() {
    if (!database_.has("NVTX_EVENTS")) return;
    const bool has_ids = database_.has("NVTX_EVENTS", "textId");
    const Statement row = database_.prepare(fmt::format(
        "SELECT n.start, n.end, n.globalTid, {} FROM NVTX_EVENTS n {} WHERE n.end IS NOT NULL AND "
        "n.end > n.start",
        has_ids ? "coalesce(n.text, s.value)" : "n.text",
        has_ids ? "LEFT JOIN StringIds s ON s.id = n.textId" : ""));
    while (goes_on(row)) {
      HostEvent out;
      out.start_us = Database::us(row, 0);
      out.end_us = Database::us(row, 1);
      out.thread = builder_.thread(0, Database::whole(row, 2));
      const std::string_view all = Database::text(row, 3);
      const std::string_view name = all.substr(0, all.find(", "));
      out.is_range = name.find("::") == std::string_view::npos;
      out.name = builder_.text(name);
      const std::size_t sizes = all.find("sizes = ");
      if (sizes != std::string_view::npos && multiplies(name))
        out.sizes = builder_.text(all.substr(sizes, all.find("]]", sizes) + 2 - sizes));
      if (out.is_range && name.find("Backward") == std::string_view::npos)
        builder_.add_range(name, out.start_us, out.end_us);
      builder_.add(out);
    }
  }

  Database& database_;
  Trace& trace_;
  const ProgressCallback& on_progress_;
  Builder builder_;
};

}  // namespace

Result<Trace> read_nsight(const std::string& path, const std::string& shown,
                          const ProgressCallback& on_progress) {
  Trace trace;
  trace.path = shown;
  trace.format = "Nsight Systems";
  Database database(path);
  return NsightReader(database, trace, on_progress).read();
}

#else

Result<Trace> read_nsight(const std::string& /*path*/, const std::string& shown,
                          const ProgressCallback& /*progress*/) {
  return Error{"is an SQLite database, and this shapelint was built without SQLite",
               "build shapelint with libsqlite3-dev to read it; PyTorch traces do not need SQLite",
               shown,
               {}};
}

#endif

}  // namespace shapelint::trace
