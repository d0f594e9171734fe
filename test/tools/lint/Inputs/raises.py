# Raised and other texts: a text that is assigned or logged is no message of an error.
def refuse(value):
    text = "a name of a value"
    if not value:
        raise ValueError(
            f"expected one text of two literals, got {value or 'a value of none'}, which `opens` a "
            "group" + "a note is read too"
        )
    if value is text:
        raise AssertionError("what the code claims is no message")
    raise RuntimeError("waits for a signal") from None
