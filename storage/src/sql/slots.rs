//! Inspection appointments.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::SlotId;
use crate::records::{Booking, NewBooking, Slot};
use crate::store::Slots;

impl Slots for TenantStore {
    async fn insert_slots(&self, slots: &[Slot]) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = insert_all(write.conn(), &core.scope, slots).await;
        write.finish(step).await
    }

    async fn renew_slots(&self, slots: &[Slot], from: DateTime<Utc>) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = renew(write.conn(), &core.scope, slots, from).await;
        write.finish(step).await
    }

    async fn free_slots(&self, from: DateTime<Utc>, limit: u32) -> Result<Vec<Slot>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(free(&mut conn, &core.scope, from, limit).await)
    }

    async fn book_slot(&self, booking: NewBooking) -> Result<Booking, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = book(write.conn(), &core.scope, &booking, None).await;
        write.finish(step).await
    }
}

async fn insert_all(conn: &mut Conn, scope: &Scope, slots: &[Slot]) -> Step<()> {
    for slot in slots {
        sqlx::query(
            "insert into inspection_slots (tenant_id, id, starts_at, ends_at, label)
             values ($1, $2, $3, $4, $5) on conflict (tenant_id, id) do nothing",
        )
        .bind(scope.tenant)
        .bind(slot.id)
        .bind(slot.starts_at)
        .bind(slot.ends_at)
        .bind(&slot.label)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

async fn renew(conn: &mut Conn, scope: &Scope, slots: &[Slot], from: DateTime<Utc>) -> Step<()> {
    // Those that are booked first: they stay, and count.
    let kept: Vec<Slot> = sqlx::query_as(
        "select id, starts_at, ends_at, label from inspection_slots s where tenant_id = $1 and starts_at >= $2
         order by case when exists (select 1 from slot_bookings b
            where b.tenant_id = s.tenant_id and b.slot_id = s.id) then 0 else 1 end, id",
    )
    .bind(scope.tenant)
    .bind(from)
    .fetch_all(&mut *conn)
    .await?;
    // The same time and kind may be there several times, for as many people.
    let mut wanted: BTreeMap<(DateTime<Utc>, &str), Vec<&Slot>> = BTreeMap::new();
    for slot in slots.iter().filter(|slot| slot.starts_at >= from) {
        wanted.entry((slot.starts_at, &slot.label)).or_default().push(slot);
    }
    let mut others = Vec::new();
    for slot in &kept {
        let places = wanted.entry((slot.starts_at, &slot.label)).or_default();
        if let Some(own) = places.iter().position(|place| place.id == slot.id) {
            places.remove(own);
        } else {
            others.push(slot);
        }
    }
    for slot in others {
        let places = wanted.get_mut(&(slot.starts_at, slot.label.as_str()));
        if places.is_some_and(|places| places.pop().is_some()) {
            continue;
        }
        sqlx::query(
            "delete from inspection_slots where tenant_id = $1 and id = $2
               and not exists (select 1 from slot_bookings b where b.tenant_id = $1 and b.slot_id = $2)",
        )
        .bind(scope.tenant)
        .bind(slot.id)
        .execute(&mut *conn)
        .await?;
    }
    let missing: Vec<Slot> = wanted.into_values().flatten().cloned().collect();
    insert_all(conn, scope, &missing).await
}

async fn free(conn: &mut Conn, scope: &Scope, from: DateTime<Utc>, limit: u32) -> Step<Vec<Slot>> {
    let query = sqlx::query_as(
        "select id, starts_at, ends_at, label from inspection_slots s
         where tenant_id = $1 and starts_at >= $2
           and not exists (select 1 from slot_bookings b where b.tenant_id = s.tenant_id and b.slot_id = s.id)
         order by starts_at, id limit $3",
    )
    .bind(scope.tenant)
    .bind(from)
    .bind(page_size(limit));
    Ok(query.fetch_all(conn).await?)
}

/// Books a slot, or gives what the same key booked before.
pub(super) async fn book(
    conn: &mut Conn,
    scope: &Scope,
    new: &NewBooking,
    reference: Option<&str>,
) -> Step<Booking> {
    if let Some(earlier) = by_key(conn, scope, &new.idempotency_key).await? {
        return Ok(earlier);
    }
    let inserted = sqlx::query(
        "insert into slot_bookings (tenant_id, slot_id, idempotency_key, reference, created_at)
         select tenant_id, id, $3, $4, $5 from inspection_slots where tenant_id = $1 and id = $2
         on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(new.slot)
    .bind(&new.idempotency_key)
    .bind(reference)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    match by_key(conn, scope, &new.idempotency_key).await? {
        Some(booking) if inserted.rows_affected() > 0 => Ok(booking),
        _ => Err(refused(conn, scope, new.slot).await?.into()),
    }
}

async fn refused(conn: &mut Conn, scope: &Scope, slot: SlotId) -> Step<StorageError> {
    let known: i64 =
        sqlx::query_scalar("select count(*) from inspection_slots where tenant_id = $1 and id = $2")
            .bind(scope.tenant)
            .bind(slot)
            .fetch_one(conn)
            .await?;
    Ok(match known {
        0 => StorageError::NotFound { what: "slot" },
        _ => StorageError::Taken { what: "slot" },
    })
}

async fn by_key(conn: &mut Conn, scope: &Scope, key: &str) -> Step<Option<Booking>> {
    let query = sqlx::query_as(
        "select s.id, s.starts_at, s.ends_at, s.label, b.reference
         from slot_bookings b join inspection_slots s on s.tenant_id = b.tenant_id and s.id = b.slot_id
         where b.tenant_id = $1 and b.idempotency_key = $2",
    )
    .bind(scope.tenant)
    .bind(key);
    Ok(query.fetch_optional(conn).await?)
}
