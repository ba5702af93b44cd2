out.o: /tmp/cc1.s student.cu \
 /usr/include/a\ b.h \
 $$x.cuh {standard input}
other: y
