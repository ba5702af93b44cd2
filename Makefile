# Thin: every target is one or two commands. `make help` lists them.

PREFIX ?= /usr/local

.PHONY: help dependencies build build-install demo test retest test-all check install package-dependencies package clean
help:
	@echo "make demo             build cugrade without its tests, and grade an example class"
	@echo "make test             build everything and run all tests"
	@echo "make retest           the same, even if nothing changed since they passed"
	@echo "make test-all         all of that, then what takes long"
	@echo "make check A=<id>     grade student_template/<id>/student.cu"
	@echo "make build            build only (build/release/bin/cugrade)"
	@echo "make install          build for every processor, and install below PREFIX ($(PREFIX)) what students may have"
	@echo "make package          build for every processor, and make Debian packages in out/packages"
	@echo "make install HIDDEN=1 SOLUTIONS=1    the hidden cases, too, to grade a class; the solutions, for doctor"

dependencies:
	@scripts/dependencies.sh

build: dependencies
	@scripts/build.sh release

demo: dependencies
	@scripts/build.sh release harness/all datasets/all reference/all assignments/all
	@scripts/demo.sh out/demo

test: build
	@scripts/test.sh

retest: build
	@scripts/test.sh --again

test-all: retest
	@scripts/test_all.sh

check:
	@test -n "$(A)" || { echo "usage: make check A=<assignment>, for example A=reduction; \`cugrade list\` names them" >&2; exit 1; }
	@test -d "student_template/$(A)" || { echo "no assignment \`$(A)\`: student_template/ has $$(ls student_template | tr '\n' ' ')" >&2; exit 1; }
	@$(MAKE) --no-print-directory -C student_template/$(A) check

# As users build it: for every processor, and without what makes developers' builds faster.
build-install: dependencies
	cmake --preset release -B build/install -DCUGRADE_TESTS=OFF -DCUGRADE_BENCH=OFF
	cmake --build build/install

install: build-install
	cmake --install build/install --prefix $(PREFIX)
	$(if $(filter 1,$(SOLUTIONS)),cmake --install build/install --prefix $(PREFIX) --component solutions)
	$(if $(filter 1,$(HIDDEN)),cmake --install build/install --prefix $(PREFIX) --component hidden)

# cpack asks `file` which libraries a program needs.
package-dependencies:
	@scripts/dependencies.sh file

package: package-dependencies build-install
	rm -rf out/packages
	cd build/install && cpack -G DEB -B ../../out/packages
	rm -rf out/packages/_CPack_Packages

clean:
	rm -rf build out
