// RUN: gridir-opt %s --grid-check='checks=bounds' --verify-diagnostics

// expected-error @below {{expected a check of grid-check, in-bounds, written, disjoint, no-revisit, initialized, balanced, got bounds}}
grid.kernel @none grid() {
}
