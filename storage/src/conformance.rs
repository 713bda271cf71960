//! One suite for every backend: each gives a [`Fixture`] and stamps the suite out with [`suite!`].

#![allow(clippy::unwrap_used)] // tests

pub(crate) mod alarms;
pub(crate) mod audit;
pub(crate) mod calls;
pub(crate) mod campaigns;
pub(crate) mod dials;
pub(crate) mod jobs;
pub(crate) mod knowledge;
pub(crate) mod memory;
pub(crate) mod organisation;
pub(crate) mod outbox;
pub(crate) mod outreach;
pub(crate) mod passports;
pub(crate) mod platform;
pub(crate) mod recordings;
pub(crate) mod retention;
pub(crate) mod retries;
pub(crate) mod reviews;
pub(crate) mod tenants;
pub(crate) mod transfers;
pub(crate) mod versions;
pub(crate) mod waits;
pub(crate) mod work;
pub(crate) mod work_acts;
pub(crate) mod writer;

use std::any::Any;

use chrono::{DateTime, TimeZone, Utc};

use crate::ids::CallId;
use crate::records::{Direction, NewCall};
use crate::{NewTenant, Platform, TenantStore};

/// A fresh platform with two tenants, and what must live as long as it.
pub(crate) struct Fixture {
    pub platform: Platform,
    pub river: TenantStore,
    pub lake: TenantStore,
    pub _keep: Box<dyn Any>,
}

impl Fixture {
    pub(crate) async fn on(platform: Platform, keep: Box<dyn Any>) -> Self {
        let river = add_tenant(&platform, "river").await;
        let lake = add_tenant(&platform, "lake").await;
        Self { platform, river, lake, _keep: keep }
    }
}

async fn add_tenant(platform: &Platform, slug: &str) -> TenantStore {
    let new = NewTenant {
        slug: slug.to_owned(),
        name: format!("{slug} county"),
        timezone: "America/New_York".to_owned(),
    };
    let tenant = platform.create_tenant(new).await.expect("a tenant");
    platform.tenant(tenant.id).await.expect("its store")
}

pub(crate) fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 12, 0, 0).single().expect("a time")
}

pub(crate) fn new_call() -> NewCall {
    NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".to_owned(),
        caller: Some("+12025550123".to_owned()),
        direction: Direction::Inbound,
        language: "en".to_owned(),
        passport_id: None,
        started_at: noon(),
    }
}

/// Stamps out one test per behaviour. `$open` is an async function that gives a [`Fixture`].
macro_rules! suite {
    ($open:path; $($area:ident: $($behaviour:ident),+;)+) => {$(
        mod $area {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $behaviour() {
                    crate::conformance::$area::$behaviour(&$open().await).await;
                }
            )+
        }
    )+};
    ($open:path) => {
        crate::conformance::suite! {
            $open;
            calls:
                a_call_comes_back_as_it_was_begun,
                a_known_call_is_taken,
                every_entry_comes_back_as_it_was_logged,
                a_replayed_number_changes_nothing,
                an_append_is_whole_or_nothing,
                a_log_needs_its_call,
                a_transcript_says_what_was_heard,
                the_ledger_follows_each_segment,
                latency_comes_back_verbatim,
                a_cost_entry_raises_the_calls_cost,
                a_failed_append_leaves_the_cost_alone,
                a_turns_cost_is_the_sum_of_its_entries,
                a_days_spend_counts_the_calls_that_began_in_it,
                a_language_entry_is_the_calls_from_then_on,
                an_ended_entry_ends_the_call,
                a_call_ends_once,
                lists_filter_and_page,
                calls_are_found_by_caller,
                calls_are_found_by_what_they_were,
                attention_rises_and_keeps_what_raised_it,
                what_is_counted_is_of_the_span_and_the_tenant,
                what_callers_ask_is_counted_by_the_page_that_answered,
                live_calls_are_recovered_once;
            audit:
                entries_come_back_as_one_chain,
                many_writers_make_one_chain_without_gaps,
                a_chain_that_grows_is_whole_at_any_moment,
                an_entry_that_is_given_twice_is_kept_once,
                entries_are_listed_by_filter,
                a_tenants_audit_is_its_own,
                the_platform_has_an_audit_of_its_own,
                an_old_end_is_told_by_the_note_beside;
            retention:
                what_is_old_goes_and_its_heads_stay,
                what_is_young_or_open_stays,
                a_sweep_takes_so_many_at_most,
                a_hold_always_wins,
                what_is_forgotten_is_not_reviewed_and_its_review_says_nothing,
                a_number_stays_while_a_hold_may_need_it,
                effects_that_are_over_go_with_their_age,
                holds_that_are_in_force_come_first,
                holds_say_who_and_why,
                a_sweep_and_a_hold_are_one_tenants;
            writer:
                many_calls_share_commits,
                one_bad_call_does_not_silence_the_others,
                submissions_keep_their_order;
            passports:
                a_passport_comes_back_with_its_ledger,
                a_stale_change_names_both_versions,
                a_ledger_only_grows,
                one_of_two_racing_changes_wins,
                a_passport_that_grows_is_read_at_one_version,
                passports_are_listed_by_plain_columns;
            reviews:
                a_passport_is_reviewed_once,
                a_review_is_whole_or_nothing,
                records_add_up,
                what_people_decide_later_takes_the_place_of_what_was_counted,
                what_is_decided_under_a_review_is_settled_after_it,
                what_people_hold_of_a_call_is_on_record_and_settles_its_review,
                an_agent_is_on_the_level_of_its_last_move,
                finished_passports_without_a_review_are_found;
            work:
                a_key_files_once,
                references_are_short_and_found_in_any_spelling,
                a_drawn_reference_can_be_given,
                a_reference_in_use_is_taken,
                references_drawn_at_once_differ,
                items_are_listed_by_filter,
                a_status_can_be_changed,
                a_slot_is_booked_once,
                slots_are_renewed_and_what_is_booked_stays,
                a_time_for_several_people_is_there_as_often,
                a_booking_key_gets_the_same_slot,
                a_turn_commits_everything,
                a_failed_turn_leaves_nothing,
                claims_are_found_in_any_spelling,
                a_claim_keeps_its_pin_sealed;
            jobs:
                a_job_is_filed_once_for_its_key,
                a_claim_is_one_workers_until_its_lease_ends,
                workers_that_claim_at_once_share_the_queue,
                who_lost_the_claim_changes_nothing,
                what_comes_next_is_filed_with_the_end,
                a_job_that_is_put_back_waits,
                a_node_that_starts_puts_its_own_back,
                a_turn_files_its_jobs_or_nothing;
            work_acts:
                a_request_goes_from_hand_to_hand_and_its_history_tells,
                two_who_claim_at_once_are_told_who_has_it,
                what_people_write_is_sealed_and_stays_in_its_tenant,
                requests_are_listed_by_who_works_on_them;
            alarms:
                what_nobody_took_is_alarmed_about_again_and_no_more_than_so_often,
                whoever_takes_it_ends_the_alarms_and_who_gives_it_back_begins_anew,
                an_alarm_is_raised_by_one_of_those_who_ask_at_once,
                an_alarm_is_its_tenants_alone_and_tells_nothing_of_the_caller;
            dials:
                a_call_about_a_request_is_placed_once_and_its_history_tells,
                news_in_any_order_never_leads_back,
                a_call_is_ended_once,
                silent_calls_are_found,
                who_does_not_want_to_be_called_is_kept_as_a_hash_of_one_tenant;
            outreach:
                a_number_is_called_by_one_call_at_a_time,
                a_call_of_ours_that_rings_outlives_its_process,
                a_conversation_ends_its_own_record,
                who_opts_out_in_a_conversation_is_on_the_list,
                a_message_is_left_once_and_not_on_who_talks,
                an_appointment_is_listed_until_it_is_reminded_of,
                two_who_remind_at_once_ring_once,
                a_request_is_called_about_once_and_while_nobody_has_it,
                consent_is_for_one_purpose_of_one_tenant_until_it_is_taken_back;
            campaigns:
                a_list_is_kept_once_a_number_and_without_what_has_none,
                a_number_is_called_as_often_as_is_wanted_and_then_forgotten,
                who_was_reached_is_not_called_again,
                a_campaign_that_does_not_run_begins_no_call,
                who_wants_no_calls_is_taken_out_of_every_campaign,
                a_campaign_is_claimed_by_one_until_its_claim_runs_out;
            retries:
                who_was_not_reached_is_tried_again_as_often_as_was_wanted,
                an_attempt_that_does_not_wait_is_not_made,
                only_who_was_not_reached_is_tried_again,
                an_attempt_is_claimed_by_one_until_its_claim_runs_out;
            transfers:
                a_transfer_goes_forward_and_ends_once,
                transfers_of_which_nothing_was_heard_are_told,
                of_two_transfers_of_a_call_the_later_counts,
                the_work_of_a_call_waits_while_notes_are_taken,
                a_call_that_was_put_through_can_come_back;
            waits:
                who_waits_longest_is_next_and_an_emergency_before_them,
                a_place_is_taken_by_whose_turn_it_is,
                of_two_at_once_one_gets_the_last_person,
                who_is_not_heard_of_keeps_the_place_and_holds_up_nobody,
                a_wait_ends_once_and_is_its_tenants_alone;
            versions:
                versions_are_kept_with_their_settings_and_listed_newest_first,
                of_two_changes_to_one_version_the_second_is_refused_whole,
                the_newest_of_each_name_says_what_holds_and_the_oldest_go;
            recordings:
                a_recording_is_begun_kept_and_deleted_with_its_key,
                a_call_that_comes_back_goes_on_under_its_key,
                a_hold_keeps_a_recording_until_it_is_lifted,
                a_recording_is_its_tenants_alone;
            outbox:
                an_effect_is_kept_once_a_key,
                an_effect_has_one_sender_until_its_lease_ends,
                senders_at_once_take_different_effects,
                an_effect_waits_for_its_time_and_a_failed_one_is_told_to_a_person,
                what_is_held_waits_for_one_decision,
                an_effect_is_its_tenants_alone;
            knowledge:
                a_source_is_replaced,
                passages_come_back_with_vectors,
                a_deleted_document_is_gone,
                a_document_with_a_nul_is_refused,
                documents_are_listed_by_the_bytes_of_their_source,
                settings_and_counters_keep_their_values;
            organisation:
                a_node_comes_back_as_it_was_remembered,
                a_symbol_names_one_node,
                what_is_no_node_is_refused,
                relations_lead_between_their_layers,
                a_batch_is_whole_or_nothing,
                a_successor_closes_what_it_supersedes,
                uses_are_counted_on_nodes_and_their_types,
                an_index_follows_the_changes,
                many_changes_come_in_whole_steps,
                a_forgotten_node_says_nothing,
                nodes_are_listed_by_filter,
                a_type_goes_up_by_decisions_on_record,
                a_task_is_recorded_once,
                another_tenants_memory_is_not_there;
            platform:
                tenants_and_lines_are_found,
                a_line_of_another_tenant_is_taken,
                a_tenant_is_renamed_and_loses_a_line,
                a_link_works_once,
                attempts_to_sign_in_are_counted_one_by_one,
                the_last_who_runs_the_platform_stays,
                an_expired_link_is_refused,
                sessions_end,
                a_new_password_ends_what_the_old_one_began,
                a_passkey_is_kept_used_named_and_removed_by_its_user,
                a_challenge_is_used_once_and_for_what_it_was_issued,
                a_provider_means_the_same_person_whatever_they_are_called,
                tokens_are_found_until_revoked,
                logins_are_unique_in_any_case,
                a_nonce_is_used_once,
                every_database_answers;
            memory:
                a_suggested_fact_is_decided_on_and_recalled_by_number,
                the_same_suggestion_twice_is_one,
                a_conflict_keeps_the_highest_confidence_and_names_the_loser,
                a_fact_under_the_least_confidence_is_refused,
                what_admission_refuses_is_recorded_without_its_text,
                forgetting_deletes_and_stays_respected,
                a_stranger_s_wish_to_be_forgotten_is_kept,
                what_was_kept_of_withheld_numbers_is_erased,
                there_is_one_manager,
                agents_without_memory_get_no_handle_and_leave_a_record,
                raw_writes_are_refused_and_recorded,
                a_refused_write_is_on_the_audit_and_its_chain_is_whole,
                the_gate_closes_with_its_transaction,
                notes_are_gone_after_a_day,
                playbook_updates_and_interactions_are_logged_once,
                calls_are_reviewed_once;
            tenants:
                no_id_reaches_another_tenant,
                no_list_shows_another_tenant,
                equal_numbers_hash_apart;
        }
    };
}
pub(crate) use suite;
