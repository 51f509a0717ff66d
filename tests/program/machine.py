"""How slow this build and this machine are: limits of time hold of an optimised build, on a machine of one speed."""
import resource
import subprocess
import time

# What CPython 3.11 took for the loop below on the machine that the limits were set on.
_SECONDS_OF_LOOP = 0.45


def slowness():
    """How many times as long as there this machine takes now; never less than 1."""
    def seconds():
        begin, total = time.process_time(), 0
        for i in range(10**7):
            total += i & 7
        return time.process_time() - begin

    return max(1.0, min(seconds() for _ in range(3)) / _SECONDS_OF_LOOP)


def has_sanitizers(binary):
    """Such a build takes about ten times as long, and keeps what is freed. It reserves more addresses than there is
    memory before it starts."""
    def few_addresses():
        resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))

    ran = subprocess.run([binary, "--version"], capture_output=True, text=True, preexec_fn=few_addresses, check=False)
    return "ReserveShadowMemoryRange failed" in ran.stdout + ran.stderr
