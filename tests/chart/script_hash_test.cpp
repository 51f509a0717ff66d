// Hashes of scripts against those that FIPS 180-4 has for its examples.
#include "chart/page.hpp"

#include <string>

#include "tests/catch.hpp"

using shapelint::chart::script_hash;

// The examples of NIST's "SHA256" (csrc.nist.gov, examples with intermediate values) and of RFC 6234,
// section 8.5, their bytes in base64.
TEST_CASE("script hash: the examples of the standard", "[chart]") {
  // ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad
  CHECK(script_hash("abc") == "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
  // 248d6a61 d20638b8 e5c02693 0c3e6039 a33ce459 64ff2167 f6ecedd4 19db06c1
  CHECK(script_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "'sha256-JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE='");
  // cdc76e5c 9914fb92 81a1c7e2 84d73e67 f1809a48 a497200e 046d39cc c7112cd0
  CHECK(script_hash(std::string(1'000'000, 'a')) == "'sha256-zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA='");
  // e3b0c442 98fc1c14 9afbf4c8 996fb924 27ae41e4 649b934c a495991b 7852b855
  CHECK(script_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}
