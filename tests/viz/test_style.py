"""Colors and symbols can be told apart, by readers who see fewer colors too."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE
from ttr_analysis.viz.style import BOARD, CARD_STYLES, FREE_SHARE, PLAYER_COLORS, pale

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
VISION = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(color: str) -> np.ndarray:
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* of linear RGB."""
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2."""
    light, dark = sorted((float(TO_XYZ[1] @ linear(color)) for color in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("vision", VISION)
def test_card_colors_differ(vision: str) -> None:
    seen = {color: lab(VISION[vision] @ linear(CARD_STYLES[color].fill)) for color in (*COLORS, GRAY)}
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 20, (one, other)


@pytest.mark.parametrize("vision", VISION)
def test_player_colors_differ(vision: str) -> None:
    seen = [lab(VISION[vision] @ linear(color)) for color in PLAYER_COLORS[:5]]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 15


def test_every_color_has_a_symbol_of_its_own() -> None:
    assert CARD_STYLES.keys() == {*COLORS, GRAY, LOCOMOTIVE}
    names = [CARD_STYLES[color].symbol_name for color in (*COLORS, LOCOMOTIVE)]
    assert len(set(names)) == len(names)
    for color in (*COLORS, LOCOMOTIVE):
        assert np.abs(CARD_STYLES[color].symbol).max() <= 0.65
    assert CARD_STYLES[GRAY].symbol == ()


def test_symbols_stand_out_from_their_cards() -> None:
    for color in (*COLORS, LOCOMOTIVE):
        assert contrast(CARD_STYLES[color].fill, CARD_STYLES[color].ink) > 3, color


@pytest.mark.parametrize("vision", VISION)
def test_trains_stand_out_from_free_routes(vision: str) -> None:
    """Their rim is darker than all that is free, and their color is another one."""
    free = [pale(CARD_STYLES[color].fill, FREE_SHARE) for color in (*COLORS, GRAY)]
    for color in free:
        assert contrast(BOARD.rim, color) > 4
        for player in PLAYER_COLORS[:5]:
            assert np.linalg.norm(lab(VISION[vision] @ linear(color)) - lab(VISION[vision] @ linear(player))) > 5
