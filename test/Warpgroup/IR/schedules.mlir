// RUN: gridir-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [0, 1], stages = 4>
grid.kernel @whole grid() attributes {
    warpgroup.schedule = #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [0, 1], stages = 4>} {
}

// -----

// One stage is the default.
// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0]>
grid.kernel @stage grid() attributes {
    warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0], stages = 1>} {
}

// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0], stages = 2, producers = 0>
grid.kernel @producers grid() attributes {
    warpgroup.schedule = #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0], stages = 2, producers = 0>} {
}

// CHECK: warpgroup.schedule = #warpgroup.schedule<cta = [4, 1024], warpgroup = [1, 1024]>
grid.kernel @short grid() attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4, 1024], warpgroup = [1, 1024]>} {
}

// -----

// expected-error @below {{expected a #warpgroup.schedule as "warpgroup.schedule", got 4}}
grid.kernel @kind grid() attributes {warpgroup.schedule = 4 : i64} {
}

// -----

// expected-error @below {{expected a unit attribute as "warpgroup.mapped", got 4}}
grid.kernel @mapped grid() attributes {warpgroup.mapped = 4 : i64} {
}

// -----

// expected-error @below {{expected as many sizes for a warpgroup as for a CTA, got 1 and 2}}
grid.kernel @rank grid() attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4, 8], warpgroup = [4]>} {
}

// -----

// expected-error @below {{expected sizes of a warpgroup that divide those of a CTA, got 3 and 4}}
grid.kernel @parts grid() attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4], warpgroup = [3]>} {
}

// -----

grid.kernel @stages grid()
    // expected-error @below {{expected 1 to 256 stages, got 0}}
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4], warpgroup = [4], shared = [0], stages = 0>} {
}

// -----

grid.kernel @many_stages grid()
    // expected-error @below {{expected 1 to 256 stages, got 257}}
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4], warpgroup = [4], shared = [0], stages = 257>} {
}

// -----

grid.kernel @field grid()
    // expected-error @below {{expected shared, stages or producers of a schedule, got stage}}
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4], warpgroup = [4], stage = 2>} {
}

// -----

grid.kernel @many_producers grid()
    // expected-error @below {{expected at most one producer, got 2}}
    attributes {warpgroup.schedule = #warpgroup.schedule<cta = [4], warpgroup = [4], shared = [0], producers = 2>} {
}
