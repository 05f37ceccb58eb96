//! Cameras and screens, with a program in place of `ffmpeg`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::super::tests::Lab;
use super::jpeg_size;

/// The beginning of a JPEG of 640 by 480.
const JPEG: &[u8] = &[
    0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x04, 0x4A, 0x46, 0xFF, 0xC0, 0x00, 0x11, 0x08, 0x01, 0xE0, 0x02, 0x80,
    0x03,
];

fn lab() -> Lab {
    let lab = Lab::new();
    std::fs::write(lab.path().join("dev/video0"), "").unwrap();
    std::fs::write(lab.path().join("dev/video10"), "").unwrap();
    std::fs::write(lab.path().join("dev/videotape"), "").unwrap();
    std::fs::write(lab.path().join("picture"), JPEG).unwrap();
    let picture = lab.path().join("picture").display().to_string();
    lab.program(
        "ffmpeg",
        &format!("for last; do :; done; printf '%s ' \"$@\" > args; cp {picture} \"$last\""),
    );
    lab
}

#[tokio::test]
async fn a_picture_is_taken_by_the_camera_that_was_meant() {
    let lab = lab();
    let listed = lab.ask("camera.list", json!({})).await.unwrap();
    let second = listed["devices"][1]["id"].as_str().unwrap().to_owned();
    assert_eq!(listed["devices"].as_array().unwrap().len(), 2);
    let shot = lab.ask("camera.snap", json!({"deviceId": second, "maxWidth": 320})).await.unwrap();
    assert_eq!((&shot["width"], &shot["height"], &shot["format"]), (&json!(640), &json!(480), &json!("jpg")));
    assert_eq!(STANDARD.decode(shot["base64"].as_str().unwrap()).unwrap(), JPEG);
    let args = std::fs::read_to_string(lab.path().join("home/args")).unwrap();
    assert!(args.contains(&format!("-i {second}")) && args.contains("min(320,iw)"), "{args}");
    let wrong = lab.ask("camera.snap", json!({"deviceId": "/etc/passwd"})).await.unwrap_err();
    assert_eq!(wrong.code, "INVALID_REQUEST");
}

#[tokio::test]
async fn recordings_have_a_length_within_the_limits() {
    let lab = lab();
    let cases = [
        ("camera.clip", json!({"durationMs": 1_500}), "-t 1.500", 1_500),
        ("screen.record", json!({"durationMs": 10_000_000, "fps": 1_000.0}), "-t 60.000", 60_000),
        ("screen.record", json!({}), "-t 3.000", 3_000),
    ];
    for (name, params, said, ms) in cases {
        let film = lab.ask(name, params.clone()).await.unwrap();
        assert_eq!((&film["durationMs"], &film["format"]), (&json!(ms), &json!("mp4")), "{name}");
        let args = std::fs::read_to_string(lab.path().join("home/args")).unwrap();
        assert!(args.contains(said), "{args}");
    }
}

#[tokio::test]
async fn a_camera_that_does_not_work_says_why() {
    let lab = lab();
    lab.program("ffmpeg", "echo device busy; exit 1");
    let failed = lab.ask("camera.snap", json!({})).await.unwrap_err();
    assert!(failed.message.contains("device busy"), "{failed:?}");
}

#[test]
fn damaged_pictures_have_no_size() {
    assert_eq!(jpeg_size(JPEG), Some((640, 480)));
    for cut in 0..JPEG.len() - 1 {
        assert!(jpeg_size(&JPEG[..cut]).is_none_or(|size| size == (640, 480)));
    }
    assert_eq!(jpeg_size(b"\x89PNG"), None);
}
