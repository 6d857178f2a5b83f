# cmake -DINPUT=file.bc -DOUTPUT=file.c -P embed.cmake: a binary file as the C arrays of ops/bitcode.h.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"ops/bitcode.h\"\n_Alignas(16) const uint8_t ops_bitcode[] = {${bytes}};\nconst size_t ops_bitcode_bytes = sizeof(ops_bitcode);\n")
