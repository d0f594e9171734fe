# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of a report, as SVG that takes its colours from the page."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from gridir.markup import missing
from gridir.report.costs import Costs

# Matplotlib draws in stand-ins, for which the page's own colours are put, so that a chart is right on dark and light.
_COLORS = {"#010101": "var(--text)", "#020202": "var(--line)", "#030303": "var(--muted)"}
_TEXT, _LINE, _MUTED = _COLORS
SERIES = ("#2f74c9", "#c2571a", "#1a9a55", "#8b2fc9", "#b8860b", "#c21874")


def roofline_chart(costs: Costs) -> str:
    """Returns the rooflines of all targets with the kernel on each, as an SVG element.

    Raises:
      MarkupError: when Matplotlib is not installed.
    """

    def draw(axes: Any) -> None:
        at = max(costs.intensity, 1e-3)
        ridges = [roofline.peak.flops / roofline.peak.bandwidth for roofline in costs.rooflines]
        left, right = min([at, *ridges]) / 8, max([at, *ridges]) * 8
        for number, (roofline, ridge) in enumerate(zip(costs.rooflines, ridges, strict=True)):
            peak, color = roofline.peak, SERIES[number % len(SERIES)]
            axes.plot(
                [left, ridge, right], [left * peak.bandwidth, peak.flops, peak.flops], color=color, label=peak.name
            )
            axes.plot([at], [min(peak.flops, at * peak.bandwidth)], "o", color=color, markersize=5)
            if roofline.milliseconds:
                achieved = costs.flops / roofline.milliseconds * 1e3
                axes.plot([at], [achieved], "x", color=color, markersize=8, label=f"{peak.name}, measured")
        axes.axvline(at, color=_MUTED, linewidth=1, linestyle="dotted")
        axes.set(xscale="log", yscale="log")
        axes.set(xlabel="operations for each byte moved", ylabel="operations in a second")

    return chart(draw, f"rooflines: {costs.intensity:.3g} operations for each byte")


def chart(draw: Callable[[Any], None], description: str) -> str:
    """Returns a chart as an SVG element that takes its colours from the page.

    Args:
      draw: draws on the axes of Matplotlib that it is given.
      description: the chart in words.

    Raises:
      MarkupError: when Matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise missing("Matplotlib") from None
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "gridir", "font.size": 10}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(7.2, 4), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.grid(color=_LINE, linewidth=0.6)
        for spine in axes.spines.values():
            spine.set_color(_LINE)
        axes.tick_params(which="both", colors=_MUTED)
        axes.xaxis.label.set_color(_TEXT)
        axes.yaxis.label.set_color(_TEXT)
        axes.legend(labelcolor=_TEXT, facecolor="none", edgecolor=_LINE, fontsize=9)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    for stand_in, color in _COLORS.items():
        svg = svg.replace(stand_in, color)
    labelled = f'<svg class="chart" role="img" aria-label="{description}" '
    return svg[svg.index("<svg") :].replace("<svg ", labelled, 1)
