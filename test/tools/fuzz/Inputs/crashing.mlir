// RUN: gridir-opt %s --test-crash=kind=fatal-error

func.func private @f()

// -----

func.func private @g()
