//! The picture: throughput over message length, sealing and opening side by side.

use super::{Report, length};
use crate::{Operation, operation::SIZES, ours};
use std::fmt::Write;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 430.0;
/// Left edges of the two panels; right of the second are the names.
const LEFT: [f64; 2] = [40.0, 436.0];
const PANEL_WIDTH: f64 = 346.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 380.0;
/// Names closer than this would run into each other.
const LINE_HEIGHT: f64 = 17.0;

/// Axes and text.
const GREY: &str = "#768390";
/// One colour for each line, the first for this project. The picture has no background of its own: all
/// of them stand out from white and from near-black alike.
const COLOURS: [&str; 10] = [
    "#e8590c", "#1c7ed6", "#2f9e44", "#1098ad", "#8661f5", "#e64980", "#b07c0a", "#868e96",
    "#a0643c", GREY,
];

/// One implementation in one panel.
struct Line<'a> {
    name: &'a str,
    /// GB/s at the lengths where it was measured.
    points: Vec<(usize, f64)>,
}

/// `docs/benchmarks.svg`.
pub(super) fn svg(report: &Report) -> String {
    let mut svg = String::new();
    draw(&mut svg, report).expect("a String takes everything");
    svg
}

fn draw(svg: &mut String, report: &Report) -> std::fmt::Result {
    let panels = [Operation::Seal, Operation::Open].map(|op| lines(report, op));
    let points = panels.iter().flatten().flat_map(|line| &line.points);
    let top = points.map(|(_, gbps)| *gbps).fold(1.0, f64::max).ceil();

    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="13" fill="{GREY}">
<title>ChaCha20-Poly1305: GB/s over message length</title>"#
    )?;
    for (panel, (lines, title)) in panels.iter().zip(["seal", "open"]).enumerate() {
        axes(svg, LEFT[panel], top, title)?;
        // The first line last: on top of the others.
        for (n, line) in lines.iter().enumerate().rev() {
            polyline(svg, LEFT[panel], top, line, style(n, line.name))?;
        }
    }
    names(svg, &panels[1], top)?;
    writeln!(
        svg,
        r#"<text x="{}" y="{}" text-anchor="middle">{}</text>
</svg>"#,
        (LEFT[0] + LEFT[1] + PANEL_WIDTH) / 2.0,
        HEIGHT - 8.0,
        escaped(&report.machine.processor)
    )
}

/// This project as chosen and on AVX2, and the peers.
fn lines(report: &Report, operation: Operation) -> Vec<Line<'_>> {
    let drawn = |name: &&str| !name.starts_with("ss55 ") || *name == "ss55 avx2";
    let line = |name| Line {
        name,
        points: SIZES
            .into_iter()
            .filter_map(|size| Some((size, report.race(operation, size)?.outcome(name)?.best)))
            .collect(),
    };
    let names = report.names(operation);
    names.into_iter().filter(drawn).map(line).collect()
}

/// Colour, width and dashes of line number `n`.
fn style(n: usize, name: &str) -> (&'static str, f64, &'static str) {
    if name == ours::CHOSEN {
        (COLOURS[0], 3.5, "none")
    } else if name.starts_with(ours::CHOSEN) {
        (COLOURS[0], 2.0, "6 4")
    } else {
        (COLOURS[n.min(COLOURS.len() - 1)], 2.0, "none")
    }
}

fn x(left: f64, size: usize) -> f64 {
    let (first, last) = (SIZES[0] as f64, SIZES[SIZES.len() - 1] as f64);
    left + PANEL_WIDTH * (size as f64 / first).log2() / (last / first).log2()
}

fn y(gbps: f64, top: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * gbps / top
}

fn axes(svg: &mut String, left: f64, top: f64, title: &str) -> std::fmt::Result {
    let right = left + PANEL_WIDTH;
    writeln!(
        svg,
        r#"<text x="{left}" y="{}" font-size="15" font-weight="bold">ChaCha20-Poly1305 {title}, GB/s</text>"#,
        TOP - 22.0
    )?;
    for tick in (0..).map(f64::from).take_while(|tick| *tick <= top) {
        let y = y(tick, top);
        let opacity = if tick > 0.0 { 0.3 } else { 1.0 };
        writeln!(
            svg,
            r#"<path d="M{left} {y:.1}H{right}" stroke="{GREY}" stroke-opacity="{opacity}"/><text x="{}" y="{:.1}" text-anchor="end">{tick}</text>"#,
            left - 8.0,
            y + 4.5
        )?;
    }
    for size in SIZES {
        writeln!(
            svg,
            r#"<text x="{:.1}" y="{}" text-anchor="middle">{}</text>"#,
            x(left, size),
            BOTTOM + 20.0,
            length(size)
        )?;
    }
    Ok(())
}

fn polyline(
    svg: &mut String,
    left: f64,
    top: f64,
    line: &Line<'_>,
    (colour, width, dashes): (&str, f64, &str),
) -> std::fmt::Result {
    let points: Vec<_> = line
        .points
        .iter()
        .map(|&(size, gbps)| format!("{:.1},{:.1}", x(left, size), y(gbps, top)))
        .collect();
    writeln!(
        svg,
        r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}" stroke-linejoin="round" stroke-linecap="round"/>"#,
        points.join(" ")
    )
}

/// The names at the ends of the lines, moved apart where they would overlap.
fn names(svg: &mut String, lines: &[Line<'_>], top: f64) -> std::fmt::Result {
    let mut ends: Vec<(usize, &str, f64)> = lines
        .iter()
        .enumerate()
        .filter_map(|(n, line)| Some((n, line.name, y(line.points.last()?.1, top))))
        .collect();
    ends.sort_by(|a, b| a.2.total_cmp(&b.2));
    let wanted: Vec<f64> = ends.iter().map(|end| end.2).collect();
    for ((n, name, end), label) in ends.iter().zip(spread(&wanted, BOTTOM)) {
        let (colour, ..) = style(*n, name);
        let weight = if *name == ours::CHOSEN {
            "bold"
        } else {
            "normal"
        };
        let right = LEFT[1] + PANEL_WIDTH;
        writeln!(
            svg,
            r#"<path d="M{:.1} {end:.1}L{:.1} {label:.1}" stroke="{colour}" fill="none"/><text x="{:.1}" y="{:.1}" fill="{colour}" font-weight="{weight}">{}</text>"#,
            right + 4.0,
            right + 18.0,
            right + 22.0,
            label + 4.5,
            escaped(name)
        )?;
    }
    Ok(())
}

/// Moves ascending positions apart to at least a line, downwards from the top and then, from the lowest
/// one allowed, up again.
fn spread(wanted: &[f64], lowest: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for n in 1..places.len() {
        places[n] = places[n].max(places[n - 1] + LINE_HEIGHT);
    }
    let mut limit = lowest;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - LINE_HEIGHT;
    }
    places
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.2).
    fn luminance(colour: &str) -> f64 {
        let linear = |range| {
            let channel = u8::from_str_radix(&colour[range], 16).expect("two hex digits");
            let channel = f64::from(channel) / 255.0;
            if channel <= 0.04045 {
                channel / 12.92
            } else {
                ((channel + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(1..3) + 0.7152 * linear(3..5) + 0.0722 * linear(5..7)
    }

    #[test]
    fn every_colour_stands_out_from_light_and_dark() {
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        for colour in COLOURS {
            for background in ["#ffffff", "#0d1117"] {
                let contrast = contrast(luminance(colour), luminance(background));
                // WCAG 2.2, 1.4.11: graphical objects.
                assert!(contrast >= 3.0, "{colour} on {background}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn names_keep_their_order_and_their_distance() {
        let places = spread(&[10.0, 11.0, 12.0, 370.0, 379.0, 380.0], 380.0);
        for pair in places.windows(2) {
            assert!(pair[1] - pair[0] >= LINE_HEIGHT, "{places:?}");
        }
        assert!(places[0] >= 10.0 && places[5] <= 380.0, "{places:?}");
    }
}
