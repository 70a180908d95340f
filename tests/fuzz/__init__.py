"""Damaged and hostile bytes for every reader, under AddressSanitizer and UBSan.

`make fuzz MINUTES=60 SEED=3` looks for hours; `tests/fuzz/test_fuzz.py` reads what was found before
and a fixed number of inputs. Nobody may crash, hang, take gigabytes, or raise what it does not
declare; what does is written to `findings/TARGET/` and is a case from then on.

* `sanitized`  the compiled part with sanitizers in it, and how a process gets it
* `mutations`  how an input is changed, by what it is made of: records, tags, numbers, bytes
* `targets`    the readers, what each may raise, and inputs to begin with
* `worker`     the process that reads; dies of a finding
* `__main__`   the command: keeps a worker at work, and its last input when it dies
"""
