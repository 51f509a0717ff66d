// The test framework, whichever major version is installed.
#pragma once

#if CATCH2_MAJOR >= 3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
