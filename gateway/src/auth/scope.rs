//! The scope of a request: who asks, whether they may, and on which tenant.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri};
use storage::{Directory, PLATFORM_SLUG, Role, Tenant, TenantId, TenantStore};

use super::guard;
use super::permission::Permission;
use super::principal::Principal;
use crate::app::App;
use crate::audit::acts;
use crate::error::{ApiError, ErrorCode};

/// Header by which a platform-admin names the tenant.
pub const TENANT_HEADER: &str = "x-tenant";
/// Tenant of a request that names none, where there are several.
const DEFAULT_TENANT: &str = "riverbend";

/// A request that may use permission `P`. Every `/v1` handler takes one of the two scopes.
#[derive(Debug)]
pub struct Allowed<P> {
    pub principal: Principal,
    permission: PhantomData<P>,
}

/// A request that may use permission `P` on a tenant.
#[derive(Debug)]
pub struct Scoped<P> {
    pub principal: Principal,
    pub tenant: Tenant,
    pub store: TenantStore,
    permission: PhantomData<P>,
}

impl<P: Permission> FromRequestParts<Arc<App>> for Allowed<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let principal = guard::authenticate(app, parts).await?;
        allow::<P>(app, &principal).await?;
        Ok(Self { principal, permission: PhantomData })
    }
}

/// Whether a role may use permission `P`; a refusal is on the audit.
async fn allow<P: Permission>(app: &App, principal: &Principal) -> Result<(), ApiError> {
    if P::allows(principal.role) {
        return Ok(());
    }
    app.audit.refused(principal.tenant, acts::not_allowed(principal, P::NAME)).await;
    Err(ApiError::forbidden(format!("role {} may not {}", principal.role, P::NAME)))
}

impl<P> Scoped<P> {
    /// The same request, where what it asks for needs a second permission.
    pub async fn also<Q: Permission>(self, app: &App) -> Result<Scoped<Q>, ApiError> {
        allow::<Q>(app, &self.principal).await?;
        let Self { principal, tenant, store, .. } = self;
        Ok(Scoped { principal, tenant, store, permission: PhantomData })
    }
}

impl<P: Permission> FromRequestParts<Arc<App>> for Scoped<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let Allowed { principal, permission } = Allowed::<P>::from_request_parts(parts, app).await?;
        let tenant = tenant_of(app, &principal, named_tenant(&parts.headers, &parts.uri)).await?;
        app.gates.request(tenant.id)?;
        let store = app.platform.tenant(tenant.id).await?;
        Ok(Self { principal, tenant, store, permission })
    }
}

/// The tenant that a request names. `?tenant=` serves event streams, which cannot send headers.
fn named_tenant(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let header = headers.get(TENANT_HEADER).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let from_query = || {
        let pairs: Vec<(String, String)> = serde_urlencoded::from_str(uri.query()?).ok()?;
        pairs.into_iter().find(|(name, _)| name == "tenant").map(|(_, value)| value)
    };
    header.or_else(from_query).filter(|name| !name.is_empty())
}

/// Decision 3: from the token; a platform-admin names it; else the only tenant, else `riverbend`, else 400.
async fn tenant_of(app: &App, principal: &Principal, named: Option<String>) -> Result<Tenant, ApiError> {
    if let Some(own) = principal.tenant {
        if let Some(name) = &named {
            own_only(app, principal, own, name).await?;
        }
        return app.platform.store().tenant_by_id(own).await?.ok_or_else(|| ApiError::not_found("tenant"));
    }
    match named {
        Some(name) => find_tenant(app, &name).await?.ok_or_else(|| ApiError::not_found("tenant")),
        None => default_tenant(app).await,
    }
}

/// Another tenant does not exist for a tenant's people: same answer as for a name nobody has.
async fn own_only(app: &App, principal: &Principal, own: TenantId, named: &str) -> Result<(), ApiError> {
    if find_tenant(app, named).await?.is_some_and(|tenant| tenant.id == own) {
        return Ok(());
    }
    app.audit.refused(Some(own), acts::other_tenant(principal, named)).await;
    Err(ApiError::not_found("tenant"))
}

/// A tenant by slug or id.
pub async fn find_tenant(app: &App, name: &str) -> Result<Option<Tenant>, ApiError> {
    let store = app.platform.store();
    if name == PLATFORM_SLUG {
        return Ok(store.tenant_by_id(app.platform.own().await?.id()).await?);
    }
    match name.parse() {
        Ok(id) => Ok(store.tenant_by_id(id).await?),
        Err(_) => Ok(store.tenant_by_slug(name).await?),
    }
}

async fn default_tenant(app: &App) -> Result<Tenant, ApiError> {
    let mut tenants = app.platform.store().tenants().await?;
    if tenants.len() == 1 {
        return Ok(tenants.swap_remove(0));
    }
    tenants.into_iter().find(|tenant| tenant.slug == DEFAULT_TENANT).ok_or_else(|| {
        ApiError::new(ErrorCode::MissingParameter, "the request names no tenant")
            .advise("send X-Tenant with a tenant's slug or id")
    })
}

/// Whose users and tokens a request manages: a tenant's, or the platform's own.
#[derive(Debug)]
pub struct Realm {
    pub tenant: Option<TenantId>,
}

impl Realm {
    /// A tenant's people manage their own; a platform-admin names a tenant, or none for the platform.
    pub async fn of(app: &App, principal: &Principal, named: Option<&str>) -> Result<Self, ApiError> {
        let named_id = match named {
            Some(name) => {
                Some(find_tenant(app, name).await?.ok_or_else(|| ApiError::not_found("tenant"))?.id)
            }
            None => None,
        };
        match principal.tenant {
            Some(own) if named_id.is_some_and(|tenant| tenant != own) => {
                let named = named.unwrap_or_default();
                app.audit.refused(Some(own), acts::other_tenant(principal, named)).await;
                Err(ApiError::not_found("tenant"))
            }
            Some(own) => Ok(Self { tenant: Some(own) }),
            None if principal.is_platform_admin() => Ok(Self { tenant: named_id }),
            None => Err(ApiError::forbidden("only a platform-admin manages the platform")),
        }
    }

    /// A platform-admin belongs to no tenant, and everyone else to one.
    pub fn check_role(&self, role: Role) -> Result<(), ApiError> {
        match (role, self.tenant) {
            (Role::PlatformAdmin, Some(_)) => {
                Err(ApiError::invalid("role", "platform-admin belongs to no tenant"))
            }
            (Role::PlatformAdmin, None) | (_, Some(_)) => Ok(()),
            (_, None) => Err(ApiError::invalid("tenant", "must be named for this role")),
        }
    }
}
