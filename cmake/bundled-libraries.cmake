# The libraries that the program is made of, from sources: for WebAssembly, where headers are copied out of the system's,
# which the compiler must not see as a whole, and for a source distribution, which carries them (scripts/third-party).
# CMake asks here first where find_package is called.
#
#   cmake -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=… -DSHAPELINT_SOURCES=FOLDER -DSHAPELINT_SYSTEM_HEADERS=/usr/include …

# CMake 4 configures no project that was written for a CMake before 3.5, as libyaml and NLopt are, unless told to.
set(CMAKE_POLICY_VERSION_MINIMUM 3.5)
foreach(extra BUILD_SHARED_LIBS BUILD_TESTING ENABLE_SAMPLES ENABLE_OPENMP NLOPT_PYTHON NLOPT_OCTAVE NLOPT_MATLAB NLOPT_GUILE NLOPT_SWIG NLOPT_TESTS
              NLOPT_FORTRAN NLOPT_CXX)
  set(${extra} OFF CACHE BOOL "")
endforeach()

function(shapelint_headers target folder)
  file(COPY ${SHAPELINT_SYSTEM_HEADERS}/${folder} DESTINATION ${CMAKE_BINARY_DIR}/headers)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${CMAKE_BINARY_DIR}/headers)
endfunction()

macro(shapelint_library method package)
  if("${package}" STREQUAL "fmt")
    add_library(shapelint_fmt STATIC ${SHAPELINT_SOURCES}/fmtlib/src/format.cc)
    target_include_directories(shapelint_fmt SYSTEM PUBLIC ${SHAPELINT_SOURCES}/fmtlib/include)
    add_library(fmt::fmt ALIAS shapelint_fmt)
    set(fmt_FOUND TRUE)
  elseif("${package}" STREQUAL "tomlplusplus")
    shapelint_headers(tomlplusplus::tomlplusplus toml++)
    set(tomlplusplus_FOUND TRUE)
  elseif("${package}" STREQUAL "nlohmann_json")
    shapelint_headers(nlohmann_json::nlohmann_json nlohmann)
    set(nlohmann_json_FOUND TRUE)
  elseif("${package}" STREQUAL "CLI11")
    shapelint_headers(CLI11::CLI11 CLI)
    set(CLI11_FOUND TRUE)
  elseif("${package}" STREQUAL "tsl-robin-map")
    shapelint_headers(tsl::robin_map tsl)
    set(tsl-robin-map_FOUND TRUE)
  elseif("${package}" STREQUAL "pybind11")
    shapelint_headers(pybind11::headers pybind11)
    set(pybind11_FOUND TRUE)
  elseif("${package}" STREQUAL "ZLIB")
    enable_language(C)
    set(unpacking adler32 crc32 inffast inflate inftrees zutil) # nothing is packed
    list(TRANSFORM unpacking REPLACE "(.+)" "${SHAPELINT_SOURCES}/zlib/\\1.c")
    add_library(shapelint_zlib STATIC ${unpacking})
    target_include_directories(shapelint_zlib SYSTEM PUBLIC ${SHAPELINT_SOURCES}/zlib)
    target_compile_options(shapelint_zlib PRIVATE -w)
    add_library(ZLIB::ZLIB ALIAS shapelint_zlib)
    set(ZLIB_FOUND TRUE)
  elseif("${package}" STREQUAL "NLopt")
    add_subdirectory(${SHAPELINT_SOURCES}/nlopt nlopt EXCLUDE_FROM_ALL SYSTEM)
    if(NOT TARGET NLopt::nlopt)
      add_library(NLopt::nlopt ALIAS nlopt)
    endif()
    set(NLopt_FOUND TRUE)
    # libyaml is no package: it is looked for after the packages.
    add_subdirectory(${SHAPELINT_SOURCES}/libyaml libyaml EXCLUDE_FROM_ALL SYSTEM)
    set(YAML_INCLUDE_DIR ${SHAPELINT_SOURCES}/libyaml/include CACHE PATH "")
    set(YAML_LIBRARY yaml CACHE STRING "")
  endif()
endmacro()

cmake_language(SET_DEPENDENCY_PROVIDER shapelint_library SUPPORTED_METHODS FIND_PACKAGE)
