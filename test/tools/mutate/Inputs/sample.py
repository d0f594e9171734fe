LIMIT = 4


def clamp(index, size):
    if not index < 0:
        return f"{index + 1}"
    match size:
        case 3:
            return max(index, size)
    return index // 2
