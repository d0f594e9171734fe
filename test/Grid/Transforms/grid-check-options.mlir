// RUN: gridir-opt %s --grid-check='checks=bounds' --verify-diagnostics

// expected-error @below {{expected a check of grid-check, in-bounds, written, no-revisit, disjoint, aliases, initialized, balanced, padding, overflow, got bounds}}
grid.kernel @none grid() {
}
