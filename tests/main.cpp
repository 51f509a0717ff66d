// Entry point of the test program: a test case that asserts nothing fails, and so does a filter that no test
// matches.
#if CATCH2_MAJOR >= 3
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv) {
  Catch::Session session;
#if CATCH2_MAJOR >= 3
  session.configData().warnings = Catch::WarnAbout::NoAssertions;  // the other one is usual there
#else
  session.configData().warnings =
      static_cast<Catch::WarnAbout::What>(Catch::WarnAbout::NoAssertions | Catch::WarnAbout::NoTests);
#endif
  return session.run(argc, argv);
}
