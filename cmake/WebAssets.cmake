# Writes OUTPUT, a C++ source that holds the files of WEB (the interactive page) and the libraries that it draws with.
#
#   cmake -DWEB=… -DOUTPUT=… -DWORK=… [-DNPM=…] -P WebAssets.cmake
#
# With NPM the libraries come from its registry, at the versions and checksums of package-lock.json, into WORK; where it
# cannot be reached the build fails. Without NPM they are left out, and the program says so when it writes a page.
set(libraries vega vega-lite vega-embed)
set(found FALSE)
if(NPM)
  file(MAKE_DIRECTORY ${WORK})
  file(COPY ${WEB}/package.json ${WEB}/package-lock.json DESTINATION ${WORK})
  set(patience 240) # seconds
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --loglevel=error
    WORKING_DIRECTORY ${WORK}
    TIMEOUT ${patience}
    RESULT_VARIABLE failed
    OUTPUT_VARIABLE log
    ERROR_VARIABLE log)
  if(failed)
    message(FATAL_ERROR "npm could not fetch what the interactive page draws with (SHAPELINT_NPM=OFF does without)\n${log}")
  endif()
  set(found TRUE)
endif()

# Each file is an array of its own: measuring one this long is too much for a constant expression.
set(arrays "")
set(views "")
function(add_asset path)
  set(content "")
  if(EXISTS ${path})
    file(READ ${path} content)
  endif()
  string(MAKE_C_IDENTIFIER "asset_${path}" name)
  string(REGEX REPLACE ".*_(web|build)_" "" name "${name}")
  set(arrays "${arrays}constexpr char ${name}[] = R\"_web_(${content})_web_\";\n" PARENT_SCOPE)
  set(views "${views}    {${name}, sizeof ${name} - 1},\n" PARENT_SCOPE)
endfunction()
# The page's scripts share one scope.
set(script "")
foreach(name data charts sweep page)
  file(READ ${WEB}/${name}.js part)
  string(APPEND script "${part}\n")
endforeach()
file(WRITE ${WORK}/build/page.js "${script}")
foreach(name page.html page.css)
  add_asset(${WEB}/${name})
endforeach()
add_asset(${WORK}/build/page.js)
foreach(name roofline.vl.json waterfall.vl.json sweep.vl.json)
  add_asset(${WEB}/${name})
endforeach()
foreach(name IN LISTS libraries)
  if(found)
    add_asset(${WORK}/node_modules/${name}/build/${name}.min.js)
  else()
    add_asset(${WORK}/build/none/${name}.min.js)
  endif()
endforeach()
file(WRITE ${OUTPUT} "// Generated from web/.
#include \"chart/page.hpp\"

namespace shapelint::chart {

namespace {

${arrays}
}  // namespace

const WebAssets& web_assets() {
  static constexpr WebAssets assets{
${views}  };
  return assets;
}

}  // namespace shapelint::chart
")
