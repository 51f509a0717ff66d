# Writes OUTPUT, a C++ source that defines `const std::string_view NAMESPACE::NAME` with the text of INPUT.
#
#   cmake -DINPUT=… -DOUTPUT=… -DHEADER=prove/sweep.hpp -DNAMESPACE=shapelint::prove -DNAME=measuring_script -P EmbedText.cmake
file(READ ${INPUT} content)
file(WRITE ${OUTPUT} "// Generated from ${HEADER}'s neighbour.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

const std::string_view ${NAME} = R\"_text_(${content})_text_\";

}  // namespace ${NAMESPACE}
")
