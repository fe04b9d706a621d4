"""Numbers that the thesis prints in tables 2 to 6 of chapter 3."""

from __future__ import annotations

from typing import NamedTuple

NAN = float("nan")
Key = tuple[str, int]  # estimator, order or size


class Printed(NamedTuple):
    """Statistics of NIAE over the columns without failures, and the number of failures."""

    mean: float
    std: float = NAN
    median: float = NAN
    least: float = NAN
    largest: float = NAN
    failures: int = 0


def _orders(name: str, *of_orders: Printed) -> dict[Key, Printed]:
    return {(name, order): printed for order, printed in zip((5, 10, 15), of_orders)}


TABLE_2: dict[Key, Printed] = {
    ("kll", 10): Printed(0.107872, 0.096799, 0.103475, 0.000014, 0.673525),
    ("kll", 50): Printed(0.046058, 0.037219, 0.045693, 0.0, 0.242182),
    ("kll", 500): Printed(0.008104, 0.004924, 0.007611, 0.0, 0.056235),
    **_orders(
        "entropy-central",
        Printed(0.008444, 0.008461, 0.005030, 0.000570, 0.096600),
        Printed(0.006171, 0.008792, 0.003628, 0.000232, 0.151073),
        Printed(0.005955, 0.010254, 0.003081, 0.000119, 0.233678),
    ),
    **_orders(
        "entropy-central-gpu",
        Printed(0.008444, 0.008461, 0.005030, 0.000570, 0.096600),
        Printed(0.006178, 0.008791, 0.003632, 0.000232, 0.151073),
        Printed(0.005962, 0.010467, 0.003048, 0.000120, 0.233682),
    ),
    **_orders(
        "entropy-naive",
        Printed(0.008447, 0.008479, 0.005030, 0.000570, 0.096600),
        Printed(0.007116, 0.015522, 0.003754, 0.000232, 0.707496, 20),
        Printed(0.009518, 0.032835, 0.003232, 0.000170, 0.982960, 155),
    ),
    **_orders(
        "entropy-naive-gpu",
        Printed(0.008447, 0.008479, 0.005030, 0.000570, 0.096600),
        Printed(0.007112, 0.019299, 0.003701, 0.000232, 0.891338, 15),
        Printed(0.009329, 0.033306, 0.003212, 0.000170, 0.955920, 112),
    ),
    **_orders(
        "legendre-central",
        Printed(0.081809, 0.067712, 0.083347, 0.000062, 0.163962),
        Printed(0.057979, 0.050471, 0.055742, 0.000063, 0.120809),
        Printed(0.048106, 0.042234, 0.046309, 0.000052, 0.100216),
    ),
    **_orders(
        "legendre-central-gpu",
        Printed(0.081809, 0.067712, 0.083347, 0.000062, 0.163962),
        Printed(0.057979, 0.050471, 0.055742, 0.000063, 0.120809),
        Printed(0.048106, 0.042234, 0.046309, 0.000052, 0.100216),
    ),
    **_orders(
        "legendre-naive",
        Printed(0.081811, 0.067714, 0.083355, 0.000062, 0.163962, 1),
        Printed(0.059386, 0.054452, 0.056886, 0.000063, 0.938904, 131),
        Printed(0.051749, 0.051907, 0.049966, 0.000052, 0.992505, 467),
    ),
    **_orders(
        "legendre-naive-gpu",
        Printed(0.081811, 0.067712, 0.083347, 0.000062, 0.163962),
        Printed(0.058923, 0.052333, 0.056635, 0.000063, 0.918821, 87),
        Printed(0.052065, 0.054244, 0.049645, 0.000052, 0.964786, 355),
    ),
}
TABLE_3: dict[Key, Printed] = {
    **_orders(
        "cosine",
        Printed(0.054256, 0.043132, 0.062123, 0.001364, 0.103496),
        Printed(0.031929, 0.025494, 0.033809, 0.001363, 0.062232),
        Printed(0.023803, 0.018731, 0.025451, 0.001363, 0.045502),
    ),
    **_orders(
        "chebyshev",
        Printed(0.063520, 0.052235, 0.067856, 0.002066, 0.975388, 30),
        Printed(0.073640, 0.067511, 0.062730, 0.001530, 0.970769, 30),
        Printed(0.032477, 0.036878, 0.037495, 0.001335, 0.969974, 30),
    ),
    **_orders(
        "fourier",
        Printed(0.220277, 0.207780, 0.166646, 0.000053, 0.499986),
        Printed(0.216825, 0.208501, 0.156493, 0.000052, 0.499986),
        Printed(0.215401, 0.208858, 0.151379, 0.000051, 0.499986),
    ),
    **_orders(
        "hermite",
        Printed(0.227591, 0.195979, 0.253604, 0.001332, 0.518415),
        Printed(0.255721, 0.237913, 0.229341, 0.001083, 0.593443),
        Printed(0.241525, 0.223023, 0.227826, 0.001115, 0.568650),
    ),
}
TABLE_4: dict[Key, Printed] = {
    **_orders(
        "entropy-central",
        Printed(0.009323, 0.009896, 0.004281, 0.000913, 0.063738),
        Printed(0.005444, 0.005474, 0.002916, 0.000381, 0.077327),
        Printed(0.005803, 0.006204, 0.002591, 0.000330, 0.080504),
    ),
    **_orders(
        "entropy-log-central",
        Printed(0.087116, 0.107243, 0.035912, 0.002847, 0.714728, 1),
        Printed(0.085741, 0.104820, 0.033300, 0.002477, 0.779287, 1),
        Printed(0.088461, 0.109431, 0.032717, 0.002098, 0.788754, 1),
    ),
    **_orders(
        "entropy-log-naive",
        Printed(0.089040, 0.106900, 0.042254, 0.002849, 0.714728, 1),
        Printed(0.149801, 0.127953, 0.094661, 0.003077, 0.780095, 2),
        Printed(0.253283, 0.161318, 0.252858, 0.002282, 0.756054, 35),
    ),
}
TABLE_5: dict[Key, Printed] = {  # one column each, so a single error
    **_orders("legendre-central", Printed(0.042877), Printed(0.005369), Printed(0.000997)),
    **_orders("legendre-central-gpu", Printed(0.042877), Printed(0.005369), Printed(0.000997)),
    **_orders("legendre-naive", Printed(1.0), Printed(1.0), Printed(1.0)),
    **_orders("entropy-central", Printed(0.001777), Printed(0.001777), Printed(0.001808)),
    **_orders("entropy-central-gpu", Printed(0.001777), Printed(0.001777), Printed(0.001924)),
    **_orders("entropy-naive", Printed(0.225655), Printed(1.0), Printed(1.0)),
}
TABLE_6: dict[Key, Printed] = {
    ("cosine", 15): TABLE_3["cosine", 15],
    ("kll", 500): TABLE_2["kll", 500],
    ("legendre-central-gpu", 15): TABLE_2["legendre-central-gpu", 15],
    ("entropy-central-gpu", 5): TABLE_2["entropy-central-gpu", 5],
    ("entropy-central-gpu", 15): TABLE_2["entropy-central-gpu", 15],
}
TABLES = {2: TABLE_2, 3: TABLE_3, 4: TABLE_4, 5: TABLE_5, 6: TABLE_6}
# Ours alone: sketches that keep no more than `size` values in all, and plain random samples.
OURS = {2: [(name, size) for name in ("kll-total", "sample") for size in (10, 50, 500)], 6: [("kll-total", 500)]}
