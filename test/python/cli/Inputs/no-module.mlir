grid.kernel @k grid(
