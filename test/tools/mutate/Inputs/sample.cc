// What is no function has no mutants.
static constexpr int kLimit = 4;

int clampIndex(int index, int size) {
  if (auto *known = find(index))
    return known->value;
  if (index < 0 || size == kLimit)
    return min(index, size);
  switch (index) {
  case 1:
    report(index);
    break;
  }
  return array<2>()[index] - 1;
}
