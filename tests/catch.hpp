// The test framework, whichever major version is installed.
#pragma once

#if CATCH2_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;  // global in version 2
#else
#include <catch2/catch.hpp>
#endif
