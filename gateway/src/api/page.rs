//! Lists: a page of items and where the next one begins.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::ApiError;

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

/// `?limit=&cursor=`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct PageQuery {
    pub limit: Option<u32>,
    pub cursor: Option<String>,
}

impl PageQuery {
    /// Items asked for, and one more to know whether there are others.
    pub fn fetch(&self) -> Result<u32, ApiError> {
        self.limit().map(|limit| limit + 1)
    }

    fn limit(&self) -> Result<u32, ApiError> {
        match self.limit {
            None => Ok(DEFAULT_LIMIT),
            Some(limit) if (1..=MAX_LIMIT).contains(&limit) => Ok(limit),
            Some(_) => Err(ApiError::invalid("limit", format_args!("must be from 1 to {MAX_LIMIT}"))),
        }
    }

    /// The id after which the page begins.
    pub fn after<T: FromStr>(&self) -> Result<Option<T>, ApiError> {
        let Some(text) = self.cursor.as_deref().filter(|text| !text.is_empty()) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| ApiError::invalid("cursor", "is not one that a list gave"))
    }

    /// Cuts what was fetched to the page.
    pub fn page<R, T>(
        &self,
        mut rows: Vec<R>,
        id: impl Fn(&R) -> String,
        item: impl FnMut(R) -> T,
    ) -> Page<T> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT) as usize;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = if more { rows.last().map(id) } else { None };
        Page { items: rows.into_iter().map(item).collect(), next_cursor }
    }
}

/// A list answer.
#[derive(Clone, Debug, Serialize)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_the_next_only_when_there_is_one() {
        let query = PageQuery { limit: Some(2), cursor: None };
        let page = query.page(vec![3, 2, 1], |n: &i32| n.to_string(), |n| n);
        assert_eq!((page.items, page.next_cursor.as_deref()), (vec![3, 2], Some("2")));
        let last = query.page(vec![1], |n: &i32| n.to_string(), |n| n);
        assert_eq!(last.next_cursor, None);
    }
}
