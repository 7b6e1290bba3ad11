"""What the room loads."""

import subprocess
import sys


def test_the_room_loads_no_more_of_scipy_than_it_needs() -> None:
    code = (
        "import sys, evenfold.infer;"
        "print([m for m in ('scipy.stats', 'scipy.optimize', 'scipy.interpolate') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_room_loads_without_docstrings() -> None:
    subprocess.run([sys.executable, "-OO", "-c", "import evenfold.infer"], check=True)
