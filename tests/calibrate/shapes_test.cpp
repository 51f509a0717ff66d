// Tables of products: columns by name, bad rows with their line.
#include "calibrate/tables.hpp"

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

calibrate::ShapeTable read(std::string_view text, std::vector<Error>& errors) {
  return calibrate::read_shapes(text, "t.csv", DType::bf16, errors);
}

}  // namespace

TEST_CASE("columns are found by name, in any order", "[shapes]") {
  std::vector<Error> errors;
  const auto table = read(
      "k,source,m,n,op,dtype,batch,time_us,gpu\n"
      "3,\"a, b\",1,2,bmm,fp16,4,5.5,t4\n"
      "30,x,10,20,gemm,fp8,1,7,h100\r\n",
      errors);
  REQUIRE(errors.empty());
  REQUIRE(table.rows.size() == 2);
  CHECK(table.has_times);
  const calibrate::MeasuredShape& row = table.rows[0];
  CHECK(row.shape.batch == 4);
  CHECK(row.shape.m == 1);
  CHECK(row.shape.n == 2);
  CHECK(row.shape.k == 3);
  CHECK(row.shape.dtype == DType::fp16);
  CHECK(row.shape.layout == model::Layout::nn);
  CHECK(row.time_us == 5.5);
  CHECK(row.gpu == "t4");
  CHECK(row.line == "3,\"a, b\",1,2,bmm,fp16,4,5.5,t4");
  CHECK(table.rows[1].shape.layout == model::Layout::tn);
  CHECK(table.rows[1].line == "30,x,10,20,gemm,fp8,1,7,h100");
}

TEST_CASE("a table needs only m, n and k", "[shapes]") {
  std::vector<Error> errors;
  const auto table = read("m,n,k,layout\n1,2,3,nt\n", errors);
  REQUIRE(errors.empty());
  CHECK_FALSE(table.has_times);
  CHECK(table.rows.at(0).shape.batch == 1);
  CHECK(table.rows.at(0).shape.dtype == DType::bf16);
  CHECK(table.rows.at(0).shape.layout == model::Layout::nt);
}

TEST_CASE("a recipe says how operands are scaled, an empty one nothing", "[shapes]") {
  std::vector<Error> errors;
  const auto table = read(
      "m,n,k,dtype,recipe,layout\n1,2,3,fp8,block128,tn\n1,2,3,bf16,,tt\n1,2,3,int8,row,tn\n1,2,3,fp4,mxfp4,"
      "tn\n",
      errors);
  REQUIRE(errors.empty());
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[0].shape.recipe == Recipe::block128);
  CHECK(table.rows[1].shape.recipe == Recipe::none);
  CHECK(table.rows[1].shape.layout == model::Layout::tt);
  CHECK(table.rows[2].shape.recipe == Recipe::row);
  CHECK(table.rows[3].shape.recipe == Recipe::mxfp4);

  read("m,n,k,dtype,recipe\n1,2,3,fp8,block64\n1,2,3,bf16,tensor\n1,2,3,fp8,nvfp4\n", errors);
  REQUIRE(errors.size() == 3);
  CHECK(errors[0].message == "line 2: `recipe` is `block64`");
  CHECK(errors[1].message == "line 3: `tensor` does not apply to bf16");
  CHECK(errors[1].hint == "use fp8 or int8");
  CHECK(errors[2].message == "line 4: `nvfp4` does not apply to fp8");
  CHECK(errors[2].hint == "use fp4");
}

TEST_CASE("every bad row is reported with its line", "[shapes]") {
  std::vector<Error> errors;
  read("m,n,k,dtype,time_us\n0,2,3,fp16,1\n1,2,3,half,1\n1,2,3\n1,x,3,fp16,1\n1,2,3,fp16,-1\n", errors);
  REQUIRE(errors.size() == 5);
  CHECK(errors[0].message == "line 2: `m` is `0`");
  CHECK(errors[1].message == "line 3: `dtype` is `half`");
  CHECK(errors[2].message == "line 4: 3 fields");
  CHECK(errors[3].message == "line 5: `n` is `x`");
  CHECK(errors[4].message == "line 6: `time_us` is `-1`");
  REQUIRE(errors[0].span);
  CHECK(errors[0].span->begin == 20);
}

TEST_CASE("missing columns are reported, all at once", "[shapes]") {
  std::vector<Error> errors;
  read("m,time_us\n1,2\n", errors);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].message == "line 1: no column `n`");
  CHECK(errors[1].message == "line 1: no column `k`");
  errors.clear();
  read("", errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "line 0: no header");
}
