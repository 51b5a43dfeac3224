//! Lines of a terminal as an SVG, on a dark ground of its own: it looks the same on every page.

use super::{FULL, Line, OPEN};
use std::fmt::Write;

/// Of a character, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 20.0;
const FONT_SIZE: f64 = 14.0;
/// Around the text.
const MARGIN: f64 = 22.0;
const GROUND: &str = "#11161d";
const EDGE: &str = "#3d4752";
const TEXT: &str = "#d5dde5";
const TYPED: &str = "#ffffff";
const PROMPT: &str = "#ff9f4a";
const BAR: &str = "#e8590c";
const REST: &str = "#333c47";

#[allow(clippy::cast_precision_loss)] // as much as fits a picture
pub fn draw(lines: &[Line], columns: u16) -> String {
    let width = f64::from(columns) * WIDTH + 2.0 * MARGIN;
    // A gap above all that is typed, but for the first.
    let gaps = lines.iter().skip(1).filter(|line| is_typed(line)).count();
    let height = (lines.len() as f64 + gaps as f64 / 2.0) * HEIGHT + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" width=\"{width:.0}\" \
         role=\"img\">\n<title>A session at a terminal: encrypt, inspect, and decrypt what was cut</title>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{:.1}\" height=\"{:.1}\" rx=\"10\" fill=\"{GROUND}\" stroke=\"{EDGE}\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"{FONT_SIZE}\" fill=\"{TEXT}\" style=\"white-space: pre\">\n",
        width - 1.0,
        height - 1.0
    );
    let mut top = MARGIN;
    for (index, line) in lines.iter().enumerate() {
        if index > 0 && is_typed(line) {
            top += HEIGHT / 2.0;
        }
        match line {
            Line::Typed(typed) => {
                text(&mut svg, 0, top, "$", PROMPT);
                text(&mut svg, 2, top, typed, TYPED);
            }
            Line::Shown(shown) => shown_line(&mut svg, top, shown),
        }
        top += HEIGHT;
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn is_typed(line: &Line) -> bool {
    matches!(line, Line::Typed(_))
}

/// Text as it is, and bars as rectangles: fonts leave gaps in them.
fn shown_line(svg: &mut String, top: f64, line: &str) {
    let kind = |c: char| match c {
        FULL => Some(BAR),
        OPEN => Some(REST),
        _ => None,
    };
    let characters: Vec<char> = line.chars().collect();
    let mut at = 0;
    for run in characters.chunk_by(|a, b| kind(*a) == kind(*b)) {
        match kind(run[0]) {
            Some(colour) => rectangle(svg, at, top, run.len(), colour),
            None => text(svg, at, top, &String::from_iter(run), TEXT),
        }
        at += run.len();
    }
}

#[allow(clippy::cast_precision_loss)]
fn rectangle(svg: &mut String, column: usize, top: f64, columns: usize, colour: &str) {
    writeln!(
        svg,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
        MARGIN + column as f64 * WIDTH,
        top + 3.0,
        columns as f64 * WIDTH,
        HEIGHT - 6.0
    )
    .expect("a String takes all");
}

/// Text that is as wide as it is at a terminal, whatever font there is.
#[allow(clippy::cast_precision_loss)]
fn text(svg: &mut String, column: usize, top: f64, text: &str, colour: &str) {
    if text.trim().is_empty() {
        return;
    }
    writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" textLength=\"{:.1}\" xml:space=\"preserve\" fill=\"{colour}\">{}</text>",
        MARGIN + column as f64 * WIDTH,
        top + HEIGHT - 5.5,
        text.chars().count() as f64 * WIDTH,
        escaped(text)
    )
    .expect("a String takes all");
}

/// Text for XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_drawn_and_text_is_written() {
        let lines = [
            Line::Typed("a < b".into()),
            Line::Shown("██░ 1 of \"2\"".into()),
        ];
        let svg = draw(&lines, 20);
        assert!(svg.contains(">a &lt; b</text>"), "{svg}");
        assert!(svg.contains("> 1 of &quot;2&quot;</text>"), "{svg}");
        assert!(!svg.contains([FULL, OPEN]));
        // Two columns of the bar, behind the margin, and one of the rest.
        assert!(
            svg.contains("<rect x=\"22.0\" y=\"45.0\" width=\"16.8\""),
            "{svg}"
        );
        assert!(
            svg.contains("<rect x=\"38.8\" y=\"45.0\" width=\"8.4\""),
            "{svg}"
        );
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
    }
}
