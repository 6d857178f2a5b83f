# The front door. Every target installs what is missing, configures, builds and runs.
BUILD ?= build
JOBS ?= $(shell nproc)
export CC ?= clang-19
ifeq ($(origin CC),default)
export CC := clang-19
export CXX := clang++-19
endif
CMAKE_FLAGS ?=
PREFIX ?= /usr/local

.PHONY: all setup configure build demo test bench bench-plots fuzz asan tsan install lint clean
all: build

setup:
	@scripts/setup

define configure
	@cmake -S . -B $(1) -G Ninja -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(2) $(CMAKE_FLAGS) > $(1).configure.log 2>&1 \
	  || { cat $(1).configure.log; exit 1; }; mkdir -p $(1); mv $(1).configure.log $(1)/configure.log
	@cmake --build $(1) -j $(JOBS)
endef

build: setup
	$(call configure,$(BUILD),)

demo: build
	@scripts/demo $(BUILD)

test: build
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

bench: build
	@scripts/bench $(BUILD)

asan: setup
	$(call configure,$(BUILD)-asan,-DCDXR_SANITIZE=address)
	@cd $(BUILD)-asan && UBSAN_OPTIONS=print_stacktrace=1 ctest --output-on-failure -j $(JOBS)

tsan: setup
	$(call configure,$(BUILD)-tsan,-DCDXR_SANITIZE=thread)
	@cd $(BUILD)-tsan && TSAN_OPTIONS="suppressions=$(CURDIR)/tests/tsan.supp $$TSAN_OPTIONS" ctest --output-on-failure -j $(JOBS)

bench-plots: build
	@scripts/bench-plots $(BUILD)

fuzz: setup
	$(call configure,$(BUILD)-fuzz,-DCDXR_SANITIZE=address -DCDXR_FUZZ=ON)
	@scripts/fuzz $(BUILD)-fuzz

install: build
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD)

lint:
	@scripts/lint

clean:
	rm -rf build build-*
