// The test framework, whichever major version is installed.
#pragma once

#if CATCH2_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;  // global in version 2
#else
#include <catch2/catch.hpp>
#endif

// Leaves a test case that has nothing to look at here, and says so: main.cpp lets none pass that asserts
// nothing.
#ifdef SKIP
#define SHAPELINT_SKIP(why) SKIP(why)
#else
#define SHAPELINT_SKIP(why)   \
  do {                        \
    WARN("skipped: " << why); \
    SUCCEED();                \
    return;                   \
  } while (false)
#endif
