# `cmake --install`: everything is found from where the command is, so that the folder can be moved. A wheel has the
# same below the package's folder (pyproject.toml).
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests and benchmarks are not part of it
set(root .)
if(SKBUILD)
  set(root warpmem)
endif()
set(data ${root}/${CMAKE_INSTALL_DATAROOTDIR})
set(libraries ${root}/libexec/warpmem/cudart)

install(TARGETS warpmem RUNTIME DESTINATION ${root}/${CMAKE_INSTALL_BINDIR})
if(TARGET warpmem_cuda)
  install(TARGETS warpmem_audit warpmem_cublas_12 warpmem_cublas_13 warpmem_cuda warpmem_cudart_12 warpmem_cudart_13
                  warpmem_curand_10 warpmem_driver
          LIBRARY DESTINATION ${libraries})
  install(FILES ${PROJECT_BINARY_DIR}/cudart/libcuda.so DESTINATION ${libraries})  # what nvcc -lcuda links against
  install(TARGETS warpmem_ptxas RUNTIME DESTINATION ${libraries}/bin)
endif()
if(TARGET warpmem_recorder)
  install(TARGETS warpmem_recorder LIBRARY DESTINATION ${root}/${CMAKE_INSTALL_LIBDIR}/warpmem)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cards DESTINATION ${data}/warpmem FILES_MATCHING PATTERN *.toml)
if(NOT SKBUILD)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/validate/reference DESTINATION ${data}/warpmem)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${data}/doc/warpmem RENAME copyright)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/build-web/warpmem.wasm)
  install(FILES ${PROJECT_SOURCE_DIR}/build-web/warpmem.wasm DESTINATION ${data}/warpmem)
endif()

# The manual page and the completions are the command's own output.
install(CODE "set(command \"$<TARGET_FILE:warpmem>\")\nset(data ${data})")
install(CODE [[
  set(to "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${data}")
  foreach(page IN ITEMS "man1/warpmem.1|man" "bash-completion/completions/warpmem|completion;bash"
                        "zsh/vendor-completions/_warpmem|completion;zsh"
                        "fish/vendor_completions.d/warpmem.fish|completion;fish")
    string(REPLACE "|" ";" page "${page}")
    list(POP_FRONT page name)
    if(name MATCHES "^man")
      set(name man/${name})
    endif()
    get_filename_component(folder ${to}/${name} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    execute_process(COMMAND ${command} ${page} OUTPUT_FILE ${to}/${name} COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS "Installing: ${to}/${name}")
  endforeach()
]])

# apt install ./warpmem_*.deb
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpmem)
set(CPACK_PACKAGE_VENDOR warpmem)
set(CPACK_PACKAGE_CONTACT "the warpmem developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "what a CUDA kernel does to a GPU's memory system, with no GPU")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/cudart)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "xz-utils")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit, python3-pip")
include(CPack)
