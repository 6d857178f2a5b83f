# cmake -DINPUT=file -DOUTPUT=header -DNAME=symbol -P embed.cmake: the bytes of a file as a C array.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "static const unsigned char ${NAME}[] __attribute__((aligned(16))) = {${bytes}};\n")
