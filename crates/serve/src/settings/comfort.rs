//! How a person reads. A form names what it changes and nothing else is touched (A7); lists send single fields.

use super::{Told, Wrong, page};
use crate::App;
use crate::own_path::OwnPath;
use crate::problem::Problem;
use crate::visitor::{Visitor, wants_json};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use domain::Preferences;
use domain::preferences::{
    Density, Font, Images, Language, MarkRead, ReadingOrder, Start, TextSize, TextWidth, Theme,
};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Comfort {
    theme: Option<String>,
    font: Option<String>,
    text_size: Option<String>,
    text_width: Option<String>,
    density: Option<String>,
    order: Option<String>,
    mark_read: Option<String>,
    images: Option<String>,
    start: Option<String>,
    hide_read: Option<String>,
    group_stories: Option<String>,
    time_zone: Option<String>,
    language: Option<String>,
    #[serde(default)]
    back: String,
}

/// Why a form was not taken.
#[derive(Debug, PartialEq, Eq)]
enum Bad {
    /// Not a value of our form.
    Value,
    /// Typed by a person, so it deserves a sentence.
    Zone,
}

pub(crate) async fn save(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Comfort>,
) -> Result<Response, Problem> {
    let likes = match changed(visitor.likes().clone(), &form) {
        Ok(likes) => likes,
        Err(Bad::Value) => return Err(Problem::bad_form()),
        Err(Bad::Zone) => {
            let wrong =
                Wrong { zone: Some(visitor.words.settings.zone_wrong.to_owned()), ..Wrong::default() };
            return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, Told::wrong(wrong))
                .await;
        }
    };
    app.store.set_preferences(visitor.id(), &likes).await?;
    if wants_json(&headers) {
        return Ok(Json(serde_json::json!({ "ok": true })).into_response());
    }
    let back = if form.back.is_empty() { "/settings?said=saved" } else { &form.back };
    Ok(OwnPath::parse(&app.base_path, back).redirect())
}

fn changed(mut likes: Preferences, form: &Comfort) -> Result<Preferences, Bad> {
    set(&mut likes.theme, &form.theme, Theme::from_name)?;
    set(&mut likes.font, &form.font, Font::from_name)?;
    set(&mut likes.text_size, &form.text_size, TextSize::from_name)?;
    set(&mut likes.text_width, &form.text_width, TextWidth::from_name)?;
    set(&mut likes.density, &form.density, Density::from_name)?;
    set(&mut likes.order, &form.order, ReadingOrder::from_name)?;
    set(&mut likes.mark_read, &form.mark_read, MarkRead::from_name)?;
    set(&mut likes.images, &form.images, Images::from_name)?;
    set(&mut likes.start, &form.start, Start::from_name)?;
    let yes_or_no = |text: &str| match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    set(&mut likes.hide_read, &form.hide_read, yes_or_no)?;
    set(&mut likes.group_stories, &form.group_stories, yes_or_no)?;
    set(&mut likes.language, &form.language, |text| match text {
        "" => Some(None),
        name => Language::from_name(name).map(Some),
    })?;
    if let Some(zone) = form.time_zone.as_deref().map(str::trim) {
        likes.time_zone = if zone.is_empty() { None } else { Some(zone_name(zone).ok_or(Bad::Zone)?) };
    }
    Ok(likes)
}

fn set<T>(place: &mut T, given: &Option<String>, read: impl Fn(&str) -> Option<T>) -> Result<(), Bad> {
    if let Some(text) = given {
        *place = read(text).ok_or(Bad::Value)?;
    }
    Ok(())
}

/// The zone's name as the database spells it.
fn zone_name(given: &str) -> Option<String> {
    let zone =
        Some(given).filter(|name| name.len() <= 64).and_then(|name| jiff::tz::TimeZone::get(name).ok())?;
    zone.iana_name().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_changes_what_it_names_and_nothing_else() {
        let before = Preferences { theme: Theme::Dark, hide_read: true, ..Preferences::default() };
        let form = Comfort { density: Some("titles".into()), ..Comfort::default() };
        let after = changed(before.clone(), &form).expect("a form");
        assert_eq!(after, Preferences { density: Density::Titles, ..before });
    }

    #[test]
    fn values_that_are_not_ours_change_nothing() {
        for form in [
            Comfort { theme: Some("<b>".into()), ..Comfort::default() },
            Comfort { hide_read: Some("true".into()), ..Comfort::default() },
            Comfort { language: Some("tlh".into()), ..Comfort::default() },
        ] {
            assert_eq!(changed(Preferences::default(), &form), Err(Bad::Value), "{form:?}");
        }
        for zone in ["Mars/Olympus", "../../etc/passwd", "/etc/localtime"] {
            let form = Comfort { time_zone: Some(zone.into()), ..Comfort::default() };
            assert_eq!(changed(Preferences::default(), &form), Err(Bad::Zone), "{zone}");
        }
    }

    #[test]
    fn a_zone_is_kept_as_it_is_written_in_the_list() {
        let form = Comfort { time_zone: Some(" europe/berlin ".into()), ..Comfort::default() };
        let after = changed(Preferences::default(), &form).expect("a form");
        assert_eq!(after.time_zone.as_deref(), Some("Europe/Berlin"));
        let form = Comfort { time_zone: Some(String::new()), ..Comfort::default() };
        assert_eq!(changed(after, &form).expect("a form").time_zone, None);
    }
}
