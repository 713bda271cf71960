//! Routes that know their own list, so that the API document can be held against them.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, patch, post, put};

use crate::app::App;

/// One address and what may be done there, as the API document names them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Route {
    /// `get`, `post`, …
    pub method: &'static str,
    /// With parameters in braces.
    pub path: &'static str,
}

/// A router under construction.
#[derive(Debug, Default)]
pub struct Routes {
    router: Router<Arc<App>>,
    listed: Vec<Route>,
}

macro_rules! methods {
    ($($name:ident)+) => {$(
        #[must_use]
        pub fn $name<H, T>(self, path: &'static str, handler: H) -> Self
        where
            H: Handler<T, Arc<App>>,
            T: 'static,
        {
            self.add(stringify!($name), path, $name(handler))
        }
    )+};
}

impl Routes {
    methods! { get post put patch delete }

    /// A POST whose body may have so many bytes.
    #[must_use]
    pub fn post_bounded<H, T>(self, path: &'static str, bytes: usize, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add("post", path, post(handler).layer(DefaultBodyLimit::max(bytes)))
    }

    fn add(mut self, method: &'static str, path: &'static str, to: MethodRouter<Arc<App>>) -> Self {
        self.listed.push(Route { method, path });
        self.router = self.router.route(path, to);
        self
    }

    /// Every route, in order.
    #[must_use]
    pub fn listed(&self) -> &[Route] {
        &self.listed
    }

    /// What serves them.
    pub fn into_router(self) -> Router<Arc<App>> {
        self.router
    }
}
