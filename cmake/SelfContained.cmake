# The program as one file that needs glibc alone: the objects of the ordinary one, linked with what scripts/static-libs
# made in SHAPELINT_STATIC_LIBS. So that it runs where glibc is older than here, that folder may hold an older one to
# link (sysroot/): its calls are the same ones, and cmake/old-glibc.cpp has what it lacks.
set(prefix ${SHAPELINT_STATIC_LIBS}/prefix)
set(sysroot ${SHAPELINT_STATIC_LIBS}/sysroot)
if(NOT EXISTS ${prefix}/lib/libyaml.a)
  message(FATAL_ERROR "SHAPELINT_STATIC_LIBS is ${SHAPELINT_STATIC_LIBS}, where there are no libraries: scripts/static-libs")
endif()

# Traces are read with the machine's own archives; where there are none for the architecture, neither is what reads them.
set(trace_libraries)
foreach(pair "ZLIB;z" "SQLite3;sqlite3")
  list(GET pair 0 package)
  list(GET pair 1 name)
  if(${package}_FOUND)
    find_library(SHAPELINT_STATIC_${package} NAMES lib${name}.a REQUIRED)
    list(APPEND trace_libraries ${SHAPELINT_STATIC_${package}})
  endif()
endforeach()

add_library(shapelint_self_contained INTERFACE)
target_link_libraries(
  shapelint_self_contained
  INTERFACE $<TARGET_FILE:shapelint_core> $<TARGET_FILE:shapelint_text> ${prefix}/lib/libfmt.a
            ${prefix}/lib/libtomlplusplus.a ${prefix}/lib/libnlopt.a
            ${prefix}/lib/libyaml.a ${trace_libraries})
target_link_options(shapelint_self_contained INTERFACE -static-libstdc++ -static-libgcc LINKER:--gc-sections
                    LINKER:--as-needed LINKER:--exclude-libs,ALL LINKER:--build-id=none)
if(EXISTS ${sysroot})
  add_library(shapelint_old_glibc OBJECT ${PROJECT_SOURCE_DIR}/cmake/old-glibc.cpp)
  target_link_libraries(shapelint_old_glibc PRIVATE shapelint_options)
  set(libraries ${sysroot}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  target_link_options(shapelint_self_contained INTERFACE --sysroot=${sysroot} -B${libraries})
  # Before glibc 2.34 threads were a library of their own.
  target_link_libraries(shapelint_self_contained INTERFACE $<TARGET_OBJECTS:shapelint_old_glibc> -L${libraries} pthread dl)
else()
  target_link_libraries(shapelint_self_contained INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
endif()

function(shapelint_link_self_contained target)
  target_link_libraries(${target} PRIVATE shapelint_self_contained)
  add_dependencies(${target} shapelint_core)
  # When they change, it is linked again.
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${SHAPELINT_STATIC_LIBS}/stamp)
endfunction()

add_executable(shapelint-static src/main.cpp)
target_include_directories(shapelint-static PRIVATE src include)
target_link_options(shapelint-static PRIVATE -s)
shapelint_link_self_contained(shapelint-static)
# In folders of its own: both programs have the one name, and modules of the other are not for this one.
set_target_properties(shapelint-static PROPERTIES OUTPUT_NAME shapelint RUNTIME_OUTPUT_DIRECTORY static/bin)
