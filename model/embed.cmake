# Cards, DRAM types and instruction tables are compiled in, so that the command needs no files beside it: headers in
# generated/model/.
function(warpmem_embed name folder header)
  set(generated ${PROJECT_BINARY_DIR}/generated/model)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cards/${folder}/*.toml)
  add_custom_command(OUTPUT ${generated}/${header}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated}/${header} -DNAME=${name} "-DFILES=${files}"
            -P ${PROJECT_SOURCE_DIR}/cards/embed_texts.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cards/embed_texts.cmake VERBATIM)
endfunction()
warpmem_embed(kEmbeddedCards gpus embedded_cards.hpp)
warpmem_embed(kEmbeddedDram dram embedded_dram.hpp)
warpmem_embed(kEmbeddedIsa isa embedded_isa.hpp)
