//! A code as a picture: a QR code in a PNG in a `data:` address.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use qrcode::{Color, EcLevel, QrCode};

use super::SetupError;

/// Pixels per module.
const SCALE: usize = 6;
/// White modules around the code; scanners need four.
const MARGIN: usize = 4;
const WHITE: u8 = 255;
const BLACK: u8 = 0;

/// Draws a code.
pub(super) fn data_url(text: &str) -> Result<String, SetupError> {
    let png = png(text)?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(png)))
}

fn png(text: &str) -> Result<Vec<u8>, SetupError> {
    let wrong = |error: &dyn std::fmt::Display| SetupError::Picture(error.to_string());
    let code = QrCode::with_error_correction_level(text, EcLevel::L).map_err(|e| wrong(&e))?;
    let modules = code.to_colors();
    let width = code.width();
    let side = (width + 2 * MARGIN) * SCALE;
    let mut pixels = Vec::with_capacity(side * side);
    for y in 0..side {
        for x in 0..side {
            pixels.push(match module(&modules, width, x / SCALE, y / SCALE) {
                Color::Dark => BLACK,
                Color::Light => WHITE,
            });
        }
    }
    let side = u32::try_from(side).map_err(|e| wrong(&e))?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| wrong(&e))?;
    writer.write_image_data(&pixels).map_err(|e| wrong(&e))?;
    writer.finish().map_err(|e| wrong(&e))?;
    Ok(bytes)
}

/// The module at a place; around the code everything is light.
fn module(modules: &[Color], width: usize, x: usize, y: usize) -> Color {
    let (Some(x), Some(y)) = (x.checked_sub(MARGIN), y.checked_sub(MARGIN)) else { return Color::Light };
    if x >= width {
        return Color::Light;
    }
    modules.get(y * width + x).copied().unwrap_or(Color::Light)
}

#[cfg(test)]
mod tests {
    use super::{MARGIN, SCALE, data_url, png};

    #[test]
    fn a_code_is_a_square_with_a_light_margin() {
        let bytes = png("homard").unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let (width, height) = (reader.info().width, reader.info().height);
        assert_eq!(width, height);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let row = usize::try_from(width).unwrap();
        assert!(pixels.iter().take(row * MARGIN * SCALE).all(|pixel| *pixel == 255));
        let corner = row * MARGIN * SCALE + MARGIN * SCALE;
        assert_eq!(pixels[corner], 0, "the finder pattern begins there");
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(data_url("short").unwrap().starts_with("data:image/png;base64,iVBOR"));
        assert!(data_url(&"x".repeat(10_000)).is_err());
    }
}
