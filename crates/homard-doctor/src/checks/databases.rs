//! The databases: whether they are whole, and whose version they are.

use std::path::Path;

use homard_store::SCHEMA_VERSION;
use rusqlite::Connection;

use crate::files::{database_problems, open_database};
use crate::finding::{Act, Finding};
use crate::scene::Scene;

pub(super) fn main(scene: &Scene<'_>) -> Vec<Finding> {
    let path = scene.source.paths.database();
    if !path.exists() {
        return Vec::new();
    }
    let shown = path.display();
    let way_back =
        "stop the gateway and put a backup back: homard backup list, homard backup restore ARCHIVE";
    let conn = match open_database(&path, scene.rooms.lock.is_held) {
        Ok(conn) => conn,
        Err(error) => {
            let words = format!("{shown} cannot be opened: {error}");
            return vec![Finding::error("database.unreadable", words).fix(way_back)];
        }
    };
    let version: i64 = match conn.query_row("PRAGMA user_version", [], |row| row.get(0)) {
        Ok(version) => version,
        Err(error) => {
            let words = format!("{shown} is not a database that can be read: {error}");
            let finding = Finding::error("database.unreadable", words);
            let is_ours = version_of_a_part(&conn) == Some(SCHEMA_VERSION);
            return vec![match is_ours && !scene.rooms.lock.is_held {
                true => finding.act(Act::Salvage { path }),
                false => finding.fix(way_back),
            }];
        }
    };
    let mut found = Vec::new();
    if version > SCHEMA_VERSION {
        let words = format!(
            "{shown} was written by a newer Homard (schema {version}, this one knows {SCHEMA_VERSION})"
        );
        found.push(
            Finding::error("database.newer", words)
                .fix("run the newer program, or restore a backup made before the upgrade"),
        );
    } else if version < SCHEMA_VERSION {
        let words =
            format!("the database is of schema {version}; the next start brings it to {SCHEMA_VERSION}");
        found.push(Finding::info("database.older", words).fix("homard backup create, before the upgrade"));
    }
    let can_salvage = version == SCHEMA_VERSION && !scene.rooms.lock.is_held;
    for (number, problem) in database_problems(&conn, scene.depth).into_iter().enumerate() {
        let finding = Finding::error("database.damaged", format!("{shown}: {problem}"));
        // One attempt is enough, however much is wrong.
        found.push(match can_salvage && number == 0 {
            true => finding.act(Act::Salvage { path: path.clone() }),
            false => finding.fix(way_back),
        });
    }
    found
}

/// The version of a database that was cut off: the rest of it is read by those who say that they know.
fn version_of_a_part(conn: &Connection) -> Option<i64> {
    conn.execute_batch("PRAGMA writable_schema = ON").ok()?;
    conn.query_row("PRAGMA user_version", [], |row| row.get(0)).ok()
}

pub(super) fn memory(scene: &Scene<'_>) -> Vec<Finding> {
    let settings = scene.settings();
    let paths = &scene.source.paths;
    let indexes = settings.agents.list.iter().map(|agent| agent.memory_search.index_of(&agent.id, paths));
    indexes.filter(|path| path.exists()).filter_map(|path| broken(scene, &path)).collect()
}

fn broken(scene: &Scene<'_>, path: &Path) -> Option<Finding> {
    let problems = match open_database(path, scene.rooms.lock.is_held) {
        Ok(conn) => database_problems(&conn, scene.depth),
        Err(error) => vec![error.to_string()],
    };
    let problem = problems.first()?;
    let words = format!("{} is damaged ({problem}); it is made anew from the notes", path.display());
    let finding = Finding::warn("memory.damaged", words);
    if scene.rooms.lock.is_held {
        return Some(finding.fix("stop the gateway, which writes to it, and run homard doctor --fix"));
    }
    Some(finding.act(Act::SetAside { path: path.to_owned() }))
}
