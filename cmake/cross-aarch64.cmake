# From another machine's Debian, with g++-aarch64-linux-gnu. Headers are this machine's and the cross compiler's, static
# libraries those of scripts/static-libs; the shared ones that packages name here are not linked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
