# The commands of a newcomer: `make demo` and `make test` install what is missing, build and run.
# Everything else is CMake's: see CMakeLists.txt and CONTRIBUTING.md.
#
#   make            build into $(BUILD)
#   make demo       a table of speed and accuracy on this machine
#   make test       all tests             make bless    rewrite the golden tests' expected text
#   make test-gpu   the tests that need an NVIDIA GPU, compute-sanitizer among them
#   make bench      us against the peers  make soak     the long tests; result in docs/soak.md
#   make fuzz       the fuzzers           make install  to PREFIX, below DESTDIR
#
# TILEC_NO_APT=1 never installs anything; what is missing is then named with the command.

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=
FUZZ_SECONDS ?= 600

ifeq ($(wildcard tools/deps.sh),)
$(error run make in tilec's folder; from elsewhere: make -C FOLDER)
endif

export BUILD PREFIX JOBS CMAKE_ARGS FUZZ_SECONDS

# tools/build.sh FOLDER [CMake arguments] configures and builds with ninja where there is one.
.PHONY: all demo test test-gpu bench soak install bless fuzz clean

all:
	@sh tools/deps.sh build
	@sh tools/build.sh "$$BUILD"

demo:
	@sh tools/deps.sh build
	@sh tools/build.sh "$$BUILD"
	@"$$BUILD"/tilec-demo

test:
	@sh tools/deps.sh build test
	@sh tools/build.sh "$$BUILD" -DTILEC_TESTS=ON
	@cd "$$BUILD" && ctest --output-on-failure -j "$$JOBS"

test-gpu:
	@sh tools/deps.sh build test
	@sh tools/build.sh "$$BUILD" -DTILEC_TESTS=ON
	@TILEC_BUILD_DIR="$$BUILD" sh tests/gpu_device.sh "$$BUILD"

bless:
	@sh tools/deps.sh build test
	@sh tools/build.sh "$$BUILD" -DTILEC_TESTS=ON
	@sh tests/driver/bless.sh "$$BUILD"

bench:
	@sh tools/deps.sh build bench
	@sh tools/build.sh "$$BUILD" -DTILEC_BENCH=ON
	@sh bench/run.sh "$$BUILD"

soak:
	@sh tools/deps.sh build test fuzz
	@sh tests/soak.sh

fuzz:
	@sh tools/deps.sh build fuzz
	@sh tests/fuzz/run.sh

install:
	@sh tools/deps.sh build
	@sh tools/build.sh "$$BUILD"
	@cmake --install "$$BUILD" --prefix "$$PREFIX"

clean:
	rm -rf "$$BUILD" build-*
