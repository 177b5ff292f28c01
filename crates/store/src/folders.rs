//! A person's folders: adding, naming, moving, removing them, and taking a removal back.

use crate::accounts::conflict;
use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::pack::clean;
use crate::people::found;
use crate::rules::lock_person;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::UndoToken;
use crate::undo::{self, UndoKind};
use domain::{Folder, FolderId, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

const LIST: Sql =
    sql!("listing folders", "SELECT id, parent_id, name FROM folder WHERE user_id = $1 ORDER BY name, id");
const ADD: Sql = sql!(
    "adding a folder",
    "INSERT INTO folder (user_id, parent_id, name) VALUES ($1, $2, $3)
     ON CONFLICT (user_id, parent_id, name) DO UPDATE SET name = excluded.name RETURNING id"
);
const SET: Sql =
    sql!("moving a folder", "UPDATE folder SET parent_id = $3, name = $4 WHERE id = $2 AND user_id = $1");
const FEEDS: Sql = sql!(
    "listing a folder's feeds",
    "SELECT feed_id FROM subscription WHERE folder_id = $2 AND user_id = $1 ORDER BY feed_id"
);
const MOVE_FEEDS: Sql = sql!(
    "moving a folder's feeds",
    "UPDATE subscription SET folder_id = $3 WHERE folder_id = $2 AND user_id = $1"
);
const REMOVE: Sql = sql!("removing a folder", "DELETE FROM folder WHERE id = $2 AND user_id = $1");
const STOP_RULES: Sql = sql!(
    "switching a folder's rules off",
    "UPDATE rule SET enabled = false, notice = $3 WHERE folder_id = $2 AND user_id = $1 AND enabled RETURNING id"
);
const PUT_BACK: Sql = sql!(
    "putting a folder back",
    "INSERT INTO folder (id, user_id, parent_id, name) VALUES ($2, $1, $3, $4) ON CONFLICT DO NOTHING"
);
const PUT_FEEDS_BACK: Sql = sql!("putting feeds back into a folder",
    "UPDATE subscription SET folder_id = $3 WHERE user_id = $2
       AND feed_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");
const RESUME_RULES: Sql = sql!("switching a folder's rules on again",
    "UPDATE rule SET enabled = true, notice = NULL WHERE user_id = $2 AND folder_id = $3 AND notice IS NOT NULL
       AND id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[LIST, ADD, SET, FEEDS, MOVE_FEEDS, REMOVE, STOP_RULES, PUT_BACK, PUT_FEEDS_BACK, RESUME_RULES];

pub(crate) const DEPTH_MAX: usize = 16;
const NAME_CHARS_MAX: usize = 200;
const RULE_NOTICE: &str = "The folder this rule is for was removed.";

impl Store {
    #[boxed]
    pub async fn folders(&self, user: UserId) -> Result<Vec<Folder>> {
        self.read(LIST.doing, user, |c, user| Box::pin(list(c, *user))).await
    }

    /// A folder of that name that is there already is returned.
    #[boxed]
    pub async fn add_folder(&self, user: UserId, parent: Option<FolderId>, name: &str) -> Result<FolderId> {
        self.write(ADD.doing, (user, parent, folder_name(name)?), |c, (user, parent, name)| {
            Box::pin(async move {
                let tree = Tree::read(c, *user).await?;
                let parent = tree.place(*parent)?;
                if tree.depth(parent) >= DEPTH_MAX {
                    return Err(too_deep());
                }
                add_folder(c, *user, parent, name).await.map(FolderId)
            })
        })
        .await
    }

    /// A name taken beside it is a [`StoreError::Conflict`].
    #[boxed]
    pub async fn rename_folder(&self, user: UserId, folder: FolderId, name: &str) -> Result<()> {
        self.write("renaming a folder", (user, folder, folder_name(name)?), |c, (user, folder, name)| {
            Box::pin(async move {
                let tree = Tree::read(c, *user).await?;
                let (parent, _) = tree.folder(*folder)?;
                tree.put(c, *folder, parent, name).await
            })
        })
        .await
    }

    /// Into another folder or to the outermost level. Into itself, too deep, or beside one of the same name is a
    /// [`StoreError::Conflict`].
    #[boxed]
    pub async fn move_folder(&self, user: UserId, folder: FolderId, parent: Option<FolderId>) -> Result<()> {
        self.write(SET.doing, (user, folder, parent), |c, (user, folder, parent)| {
            Box::pin(async move {
                let tree = Tree::read(c, *user).await?;
                let (_, name) = tree.folder(*folder)?;
                let (name, parent) = (name.to_owned(), tree.place(*parent)?);
                if tree.is_inside(parent, folder.0) {
                    return Err(conflict("a folder cannot be moved into itself"));
                }
                if tree.depth(parent) + tree.height(folder.0) > DEPTH_MAX {
                    return Err(too_deep());
                }
                tree.put(c, *folder, parent, &name).await
            })
        })
        .await
    }

    /// Its feeds and the folders inside it move to where it was; one inside it that meets another of its name there is
    /// merged with that one. Its rules are switched off with a notice. [`Store::undo`] takes it all back.
    #[boxed]
    pub async fn remove_folder(&self, user: UserId, folder: FolderId, now: Timestamp) -> Result<UndoToken> {
        self.write(REMOVE.doing, (user, folder, now), |c, (user, folder, now)| {
            Box::pin(async move {
                let mut tree = Tree::read(c, *user).await?;
                let (parent, _) = tree.folder(*folder)?;
                let mut undo = Removal::default();
                tree.dissolve(c, folder.0, parent, &mut undo).await?;
                undo::keep(c, *user, UndoKind::Folder, &to_json(&undo), None, *now).await
            })
        })
        .await
    }
}

/// Id, parent, name.
type FolderRow = (i64, i64, String);

/// A person's folders, while nobody else changes them.
struct Tree {
    user: UserId,
    /// Parent and name, by id.
    folders: HashMap<i64, (i64, String)>,
}

/// What is stored to take a removal back.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct Removal {
    /// Folders that went, outermost first.
    gone: Vec<Gone>,
    /// Folders that moved, and the parents they had.
    moved: Vec<(i64, i64)>,
}

#[derive(Serialize, Deserialize)]
struct Gone {
    folder: i64,
    parent: i64,
    name: String,
    feeds: Vec<i64>,
    rules: Vec<i64>,
}

impl Tree {
    async fn read(c: &mut Conn, user: UserId) -> Result<Tree> {
        lock_person(c, user).await?;
        let rows: Vec<FolderRow> = c.all(LIST, args![user]).await?;
        Ok(Tree { user, folders: rows.into_iter().map(|(id, parent, name)| (id, (parent, name))).collect() })
    }

    fn folder(&self, folder: FolderId) -> Result<(i64, &str)> {
        let found = self.folders.get(&folder.0).map(|(parent, name)| (*parent, name.as_str()));
        found.ok_or(StoreError::NotFound { what: "folder" })
    }

    /// A parent as its column, checked to be this person's.
    fn place(&self, parent: Option<FolderId>) -> Result<i64> {
        parent.map_or(Ok(0), |parent| self.folder(parent).map(|_| parent.0))
    }

    /// From a folder outwards, itself first. Bounded, should the rows ever form a ring.
    fn outwards(&self, folder: i64) -> impl Iterator<Item = i64> {
        let above = |id: &i64| self.folders.get(id).map(|(parent, _)| *parent).filter(|parent| *parent != 0);
        std::iter::successors((folder != 0).then_some(folder), above).take(self.folders.len() + 1)
    }

    fn depth(&self, folder: i64) -> usize {
        self.outwards(folder).count()
    }

    fn is_inside(&self, folder: i64, other: i64) -> bool {
        self.outwards(folder).any(|id| id == other)
    }

    /// Levels of a folder with what is inside it.
    fn height(&self, folder: i64) -> usize {
        let levels = |id: &i64| self.outwards(*id).position(|id| id == folder).map_or(0, |at| at + 1);
        self.folders.keys().map(levels).max().unwrap_or(1)
    }

    fn named(&self, parent: i64, name: &str) -> Option<i64> {
        self.folders.iter().find(|(_, (p, n))| *p == parent && n == name).map(|(id, _)| *id)
    }

    async fn put(&self, c: &mut Conn, folder: FolderId, parent: i64, name: &str) -> Result<()> {
        if self.named(parent, name).is_some_and(|other| other != folder.0) {
            return Err(conflict(&format!("there is a folder {name:?} already")));
        }
        found(c.run(SET, args![self.user, folder, parent, name]).await?, "folder")
    }

    /// Empties a folder into another (0: the outermost level) and removes it, merging what meets its namesake there.
    async fn dissolve(&mut self, c: &mut Conn, folder: i64, into: i64, undo: &mut Removal) -> Result<()> {
        // Pairs still to do; a folder inside waits behind the one around it, so parents come back first.
        let mut waiting = vec![(folder, into)];
        while let Some((folder, into)) = waiting.pop() {
            let Some((parent, name)) = self.folders.remove(&folder) else { continue };
            let ids = |rows: Vec<(i64,)>| rows.into_iter().map(|(id,)| id).collect();
            let feeds: Vec<(i64,)> = c.all(FEEDS, args![self.user, folder]).await?;
            let rules: Vec<(i64,)> = c.all(STOP_RULES, args![self.user, folder, RULE_NOTICE]).await?;
            undo.gone.push(Gone { folder, parent, name, feeds: ids(feeds), rules: ids(rules) });
            c.run(MOVE_FEEDS, args![self.user, folder, (into != 0).then_some(into)]).await?;
            let inside: Vec<(i64, String)> = self
                .folders
                .iter()
                .filter(|(_, (parent, _))| *parent == folder)
                .map(|(id, (_, name))| (*id, name.clone()))
                .collect();
            // Its name is free before what is inside it may take it.
            c.run(REMOVE, args![self.user, folder]).await?;
            for (id, name) in inside {
                if let Some(namesake) = self.named(into, &name) {
                    waiting.push((id, namesake));
                } else {
                    c.run(SET, args![self.user, id, into, &name]).await?;
                    undo.moved.push((id, folder));
                    self.folders.insert(id, (into, name));
                }
            }
        }
        Ok(())
    }
}

/// Takes a removal back, as far as what happened since allows.
pub(crate) async fn list(c: &mut Conn, user: UserId) -> Result<Vec<Folder>> {
    let folder = |(id, parent, name): FolderRow| Folder {
        id: FolderId(id),
        user,
        parent: (parent != 0).then_some(FolderId(parent)),
        name,
    };
    Ok(c.all(LIST, args![user]).await?.into_iter().map(folder).collect())
}

pub(crate) async fn put_back(c: &mut Conn, user: UserId, undo: &Removal) -> Result<()> {
    let mut tree = Tree::read(c, user).await?;
    // Folders that came back under another number.
    let mut renumbered: HashMap<i64, i64> = HashMap::new();
    for gone in &undo.gone {
        let parent = renumbered.get(&gone.parent).copied().unwrap_or(gone.parent);
        // The folder around it may have gone since.
        let parent = if tree.folders.contains_key(&parent) { parent } else { 0 };
        let kept = c.run(PUT_BACK, args![user, gone.folder, parent, &gone.name]).await?;
        // Its number or its place may have been taken since: then a namesake there serves.
        let folder = if kept > 0 { gone.folder } else { add_folder(c, user, parent, &gone.name).await? };
        tree.folders.insert(folder, (parent, gone.name.clone()));
        renumbered.insert(gone.folder, folder);
        c.run(PUT_FEEDS_BACK, args![&json_rows(&gone.feeds), user, folder]).await?;
        if kept > 0 {
            c.run(RESUME_RULES, args![&json_rows(&gone.rules), user, folder]).await?;
        }
    }
    for &(folder, parent) in &undo.moved {
        let parent = renumbered.get(&parent).copied().unwrap_or(parent);
        let Some((now_in, name)) = tree.folders.get(&folder).cloned() else { continue };
        let fits = tree.folders.contains_key(&parent)
            && !tree.is_inside(parent, folder)
            && tree.named(parent, &name).is_none()
            && tree.depth(parent) + tree.height(folder) <= DEPTH_MAX;
        if fits && now_in != parent {
            c.run(SET, args![user, folder, parent, &name]).await?;
            tree.folders.insert(folder, (parent, name));
        }
    }
    Ok(())
}

/// The folder of that name in that place, made when missing. The caller has checked the place.
pub(crate) async fn add_folder(c: &mut Conn, user: UserId, parent: i64, name: &str) -> Result<i64> {
    let (id,): (i64,) = c.one(ADD, args![user, parent, name]).await?;
    Ok(id)
}

fn folder_name(name: &str) -> Result<String> {
    let name = clean(name).trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        return Err(conflict("a folder's name has 1 to 200 characters"));
    }
    Ok(name)
}

fn too_deep() -> StoreError {
    conflict("folders go 16 levels deep at most")
}
