//! Who polls what and when, whatever crashes, restarts or joins in.

use crate::stage::*;
use domain::{FeedState, Reason, Timestamp};
use std::collections::HashSet;
use std::time::Duration;
use store::{Claim, PollCommit, PutOff, Store};

#[test]
fn a_due_feed_is_leased_once_and_not_before_its_time() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        stage.store.subscribe(user, &wish("https://a.example/feed"), at(10), at(0)).await.unwrap();
        assert_eq!(stage.lease(at(9)).await.len(), 0);
        assert_eq!(stage.store.next_due_at(at(0)).await.unwrap(), Some(at(10)));
        let leased = stage.lease(at(10)).await;
        assert_eq!(leased.len(), 1);
        assert_eq!(leased[0].schedule.reason, Reason::New);
        assert_eq!(leased[0].subscribers, 1);
        assert_eq!(leased[0].provider, "a.example");
        assert_eq!(stage.lease(at(11)).await.len(), 0, "it is being polled");
    });
}

#[test]
fn a_stale_lease_writes_nothing() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let old = stage.lease(at(1)).await.remove(0);
        let later = at(2).saturating_add(minutes(61));
        let new = stage.lease(later).await.remove(0);
        assert!(new.lease.number > old.lease.number);
        let refused = stage.store.commit_poll(commit(&old, later, vec![new_item(1)])).await.unwrap();
        assert!(!refused.accepted && refused.new_items.is_empty());
        assert_eq!(stage.store.polls(feed, 10, None).await.unwrap().len(), 0);
        assert_eq!(stage.unread(user).await, 0);
        let kept = stage.store.commit_poll(commit(&new, later, vec![new_item(1)])).await.unwrap();
        assert!(kept.accepted);
        let again = stage.store.commit_poll(commit(&new, later, vec![new_item(2)])).await.unwrap();
        assert!(!again.accepted, "a lease ends with its commit");
        assert!(!stage.store.release(new.lease, later, Reason::Asked).await.unwrap());
        assert_eq!(stage.unread(user).await, 1);
    });
}

#[test]
fn promise_3_a_crash_during_a_poll_does_not_poll_again_inside_the_floor() {
    on_both(|mut stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        // The very first poll: the request may be out, so the server's own floor holds.
        assert_eq!(stage.lease(at(0)).await.len(), 1);
        stage.reopen().await;
        assert_eq!(stage.lease(at(3_599)).await.len(), 0);
        let second = stage.lease(at(3_600)).await.remove(0);
        assert_eq!(second.schedule.last_poll_at, Some(at(0)), "the lost attempt counts as a request");
        let asked_for_two_hours = PollCommit { floor: minutes(120), ..commit(&second, at(3_601), vec![]) };
        stage.store.commit_poll(asked_for_two_hours).await.unwrap();
        // Later polls: the feed's own floor holds.
        let third = stage.lease(at(8_000)).await.remove(0);
        stage.reopen().await;
        assert_eq!(stage.lease(at(8_000 + 7_199)).await.len(), 0);
        let fourth = stage.lease(at(8_000 + 7_200)).await.remove(0);
        assert!(fourth.lease.number > third.lease.number);
        assert_eq!(fourth.schedule.last_poll_at, Some(at(8_000)));
        // Given back unsent, nothing was lost and the attempt that crashed still counts.
        assert!(stage.store.release(fourth.lease, at(20_000), Reason::Offline).await.unwrap());
        let shown = stage.store.feed_schedule(feed).await.unwrap().unwrap();
        assert_eq!(shown.schedule.last_poll_at, Some(at(8_000)));
        assert_eq!(shown.schedule.next_poll_at, at(20_000));
        assert_eq!(shown.schedule.reason, Reason::Offline);
    });
}

#[test]
fn n12_a_restart_polls_nothing_early() {
    on_both(|mut stage| async move {
        let user = stage.user("mira").await;
        for n in 0..20 {
            stage.subscribe(user, &format!("https://h{n}.example/feed")).await;
        }
        for leased in stage.lease(at(0)).await {
            stage.store.commit_poll(commit(&leased, at(1), vec![])).await.unwrap();
        }
        for restart in 0..10 {
            stage.reopen().await;
            assert_eq!(stage.lease(at(2 + restart)).await.len(), 0);
        }
        assert_eq!(stage.lease(at(1 + 3_600)).await.len(), 20);
    });
}

#[test]
fn n12_feeds_overdue_after_a_long_sleep_are_spread_not_burst() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let wishes: Vec<_> = (0..10_000).map(|n| wish(&format!("https://h{n}.example/feed"))).collect();
        stage.store.subscribe_many(user, &wishes, Duration::ZERO, at(0)).await.unwrap();
        let woken = at(100_000);
        assert_eq!(stage.store.overdue(woken).await.unwrap(), 10_000);
        assert_eq!(stage.store.spread_overdue(woken, minutes(10), minutes(60)).await.unwrap(), 10_000);
        assert_eq!(stage.store.spread_overdue(woken, minutes(10), minutes(60)).await.unwrap(), 0);
        let mut due = 0;
        for minute in 1..=60 {
            let by_then = stage.store.overdue(woken.saturating_add(minutes(minute))).await.unwrap();
            assert!((166..=167).contains(&(by_then - due)), "{} in minute {minute}", by_then - due);
            due = by_then;
        }
        assert_eq!(due, 10_000);
        let leased = stage.lease(woken).await;
        assert_eq!(leased.len(), 1);
        assert!(leased.iter().all(|leased| leased.schedule.reason == Reason::Spread));
    });
}

#[test]
fn n12_a_clock_that_ran_ahead_and_was_set_back_leaves_no_feed_in_the_far_future() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        for n in 0..10 {
            stage.subscribe(user, &format!("https://h{n}.example/feed")).await;
        }
        let ten_years = at(10 * 365 * 86_400);
        for leased in stage.lease(ten_years).await {
            stage.store.commit_poll(commit(&leased, ten_years, vec![])).await.unwrap();
        }
        assert_eq!(stage.lease(at(86_400)).await.len(), 0);
        let month = Duration::from_secs(31 * 86_400);
        assert_eq!(stage.store.recall_distant(at(86_400), month, minutes(60)).await.unwrap(), 10);
        assert_eq!(stage.store.recall_distant(at(86_400), month, minutes(60)).await.unwrap(), 0);
        let mut polled = 0;
        for minute in 0..60 {
            let leased = stage.lease(at(86_400).saturating_add(minutes(minute))).await.len();
            assert!(leased <= 1, "nothing bursts");
            polled += leased;
        }
        assert_eq!(polled, 10);
    });
}

#[test]
fn n13_a_busy_provider_rests_all_its_feeds() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        for n in 0..5 {
            stage.subscribe(user, &format!("https://one.example/{n}")).await;
        }
        let first = stage.lease(at(0)).await.remove(0);
        let busy = PollCommit { provider_blocked_until: Some(at(9_000)), ..commit(&first, at(1), vec![]) };
        stage.store.commit_poll(busy).await.unwrap();
        for now in [at(2), at(10), at(8_999)] {
            assert_eq!(stage.lease(now).await.len(), 0, "{now}");
        }
        assert_eq!(stage.store.provider("one.example").await.unwrap().unwrap().blocked_until, at(9_000));
        let mut requests = Vec::new();
        for second in 9_000..9_020 {
            for leased in stage.lease(at(second)).await {
                requests.push(second);
                stage.store.commit_poll(commit(&leased, at(second), vec![])).await.unwrap();
            }
        }
        assert_eq!(requests.len(), 5);
        assert!(requests.windows(2).all(|pair| pair[1] - pair[0] >= 2), "{requests:?}");
    });
}

#[test]
fn n21_one_host_is_asked_once_at_a_time_and_spaced() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let wishes: Vec<_> = (0..500).map(|n| wish(&format!("https://one.example/{n}"))).collect();
        stage.store.subscribe_many(user, &wishes, Duration::ZERO, at(0)).await.unwrap();
        let mut requests = Vec::new();
        let mut polled = HashSet::new();
        for second in 0..1_200 {
            let leased = stage.lease(at(second)).await;
            assert!(leased.len() <= 1);
            for leased in leased {
                requests.push(second);
                assert!(polled.insert(leased.lease.feed));
                stage.store.commit_poll(commit(&leased, at(second), vec![])).await.unwrap();
            }
        }
        assert_eq!(polled.len(), 500);
        assert!(requests.windows(2).all(|pair| pair[1] - pair[0] >= 2));
        assert!(requests.last().unwrap() - requests[0] >= 16 * 60);
    });
}

#[test]
fn n21_while_a_poll_is_under_way_its_provider_is_left_alone() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feeds = [
            stage.subscribe(user, "https://one.example/a").await,
            stage.subscribe(user, "https://one.example/b").await,
        ];
        let slow = stage.lease(at(0)).await.remove(0);
        for second in 1..50 {
            assert_eq!(stage.lease(at(second)).await.len(), 0, "second {second}");
        }
        let other = *feeds.iter().find(|feed| **feed != slow.lease.feed).unwrap();
        let asked = stage.store.lease_feed(other, at(50), LEASE, SPACING, NODE).await.unwrap();
        assert!(asked.is_none(), "a person's wish waits too");
        stage.store.commit_poll(commit(&slow, at(50), vec![])).await.unwrap();
        assert!(stage.store.lease_feed(other, at(50), LEASE, SPACING, NODE).await.unwrap().is_some());
    });
}

#[test]
fn n23_one_poll_serves_fifty_people() {
    on_both(|stage| async move {
        let mut people = Vec::new();
        for n in 0..50 {
            let user = stage.user(&format!("user{n}")).await;
            stage.subscribe(user, "https://a.example/feed").await;
            people.push(user);
        }
        let leased = stage.lease(at(1)).await;
        assert_eq!(leased.len(), 1);
        assert_eq!(leased[0].subscribers, 50);
        stage.store.commit_poll(commit(&leased[0], at(2), vec![new_item(1)])).await.unwrap();
        for user in people {
            assert_eq!(stage.unread(user).await, 1);
        }
        assert_eq!(stage.store.provider("a.example").await.unwrap().unwrap().requests, 1);
        // A private variant of the same address is a feed of its own.
        let mut private = wish("https://a.example/feed");
        private.private = true;
        private.sealed = Some(vec![1, 2, 3]);
        let owner = stage.user("owner").await;
        let own = stage.store.subscribe(owner, &private, at(3), at(3)).await.unwrap();
        assert!(own.is_new_feed && own.feed != leased[0].lease.feed);
        let leased = stage.lease(at(10)).await;
        assert_eq!(leased.len(), 1);
        assert_eq!(leased[0].sealed.as_deref(), Some(&[1, 2, 3][..]));
        assert_eq!(leased[0].feed.private_to, Some(owner));
        stage.assert_sound().await;
    });
}

#[test]
fn n29_the_emergency_stop_stops_everything_until_it_is_lifted() {
    on_both(|mut stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        stage.store.set_halted(true).await.unwrap();
        stage.reopen().await;
        assert!(stage.store.halted().await.unwrap());
        assert_eq!(stage.lease(at(1)).await.len(), 0);
        assert!(stage.store.lease_feed(feed, at(1), LEASE, SPACING, NODE).await.unwrap().is_none());
        assert_eq!(stage.store.next_due_at(at(1)).await.unwrap(), None);
        stage.store.set_halted(false).await.unwrap();
        assert_eq!(stage.lease(at(1)).await.len(), 1);
    });
}

#[test]
fn n29_requests_are_counted_per_provider() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        stage.subscribe(user, "https://a.example/1").await;
        stage.subscribe(user, "https://b.example/1").await;
        for leased in stage.lease(at(0)).await {
            let mut poll = commit(&leased, at(1), vec![]);
            if leased.provider == "b.example" {
                poll.record.outcome = domain::PollOutcome::Failed;
                poll.record.error = Some("the connection\0 was refused".into());
            }
            stage.store.commit_poll(poll).await.unwrap();
        }
        let counts = stage.store.provider_counts(at(0)).await.unwrap();
        assert_eq!(counts.len(), 2);
        assert!(counts.iter().all(|count| count.polls == 1 && count.feeds == 1));
        assert_eq!(counts.iter().find(|count| count.provider == "b.example").unwrap().failures, 1);
        assert!(stage.store.provider_counts(at(1_000)).await.unwrap().is_empty());
    });
}

#[test]
fn paused_gone_and_unwatched_feeds_are_not_polled() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        for state in [FeedState::Paused, FeedState::Gone] {
            stage.store.set_feed_state(feed, state).await.unwrap();
            assert_eq!(stage.lease(at(1)).await.len(), 0);
            assert_eq!(stage.store.feed(feed).await.unwrap().unwrap().state, state);
        }
        stage.store.set_feed_state(feed, FeedState::Active).await.unwrap();
        let leased = stage.lease(at(1)).await.remove(0);
        // Pausing while the poll is under way wins over the poll's "active".
        stage.store.set_feed_state(feed, FeedState::Paused).await.unwrap();
        stage.store.commit_poll(commit(&leased, at(2), vec![])).await.unwrap();
        assert_eq!(stage.store.feed(feed).await.unwrap().unwrap().state, FeedState::Paused);
    });
}

#[test]
fn a_poll_can_be_brought_forward_but_never_back_and_never_under_a_lease() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed =
            stage.store.subscribe(user, &wish("https://a.example/f"), at(500), at(0)).await.unwrap().feed;
        assert!(!stage.store.bring_forward(feed, at(600), Reason::Asked).await.unwrap());
        assert!(stage.store.bring_forward(feed, at(100), Reason::Asked).await.unwrap());
        let leased = stage.lease(at(100)).await.remove(0);
        assert_eq!(leased.schedule.reason, Reason::Asked);
        assert!(!stage.store.bring_forward(feed, at(101), Reason::Asked).await.unwrap());
    });
}

#[test]
fn two_nodes_never_lease_the_same_feed_or_provider() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let wishes: Vec<_> = (0..120).map(|n| wish(&format!("https://h{}.example/{n}", n % 40))).collect();
        stage.store.subscribe_many(user, &wishes, Duration::ZERO, at(0)).await.unwrap();
        let other = Store::open(&stage.config, at(0)).await.unwrap();
        let mut racing = Vec::new();
        for n in 0..16 {
            let store = if n % 2 == 0 { stage.store.clone() } else { other.clone() };
            racing.push(tokio::spawn(async move {
                store.lease_due(at(1), 10, LEASE, SPACING, "n").await.unwrap()
            }));
        }
        let (mut feeds, mut providers) = (HashSet::new(), HashSet::new());
        for race in racing {
            for leased in race.await.unwrap() {
                assert!(feeds.insert(leased.lease.feed), "a feed leased twice");
                assert!(providers.insert(leased.provider), "a provider leased twice");
            }
        }
        assert!(!feeds.is_empty());
        other.close().await;
    });
}

#[test]
fn subscribing_wakes_whoever_polls_also_on_other_nodes() {
    on_both(|stage| async move {
        let is_postgres = matches!(stage.config.place, store::Place::Postgres(_));
        let user = stage.user("mira").await;
        let other =
            if is_postgres { Store::open(&stage.config, at(0)).await.unwrap() } else { stage.store.clone() };
        let waiting = tokio::spawn({
            let other = other.clone();
            async move { other.woken().await }
        });
        // The listener needs a moment to be connected; being woken late is allowed, so keep asking.
        let mut asked = 0;
        while !waiting.is_finished() {
            stage.subscribe(user, &format!("https://a.example/{asked}")).await;
            asked += 1;
            assert!(asked < 600, "nobody was woken");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        other.close().await;
    });
}

#[test]
fn times_beyond_any_calendar_do_not_break_leasing() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        stage
            .store
            .subscribe(user, &wish("https://a.example/f"), Timestamp::FAR_FUTURE, at(0))
            .await
            .unwrap();
        assert_eq!(stage.lease(at(0)).await.len(), 0);
        let far = Timestamp::from_micros(i64::MAX - 1);
        assert_eq!(stage.lease(far).await.len(), 1);
        assert_eq!(stage.store.spread_overdue(far, Duration::ZERO, Duration::MAX).await.unwrap(), 0);
    });
}

#[test]
fn n21_a_claimed_provider_is_asked_by_one_at_a_time_and_spaced() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        stage.subscribe(user, "https://a.example/feed").await;
        let claim = |now| stage.store.claim_provider("a.example", now, SPACING, LEASE);
        let Claim::Granted(held) = claim(at(0)).await.unwrap() else { panic!("free") };
        assert_eq!(claim(at(1)).await.unwrap(), Claim::Busy(at(60)));
        assert_eq!(stage.lease(at(1)).await.len(), 0, "its feeds wait as well");
        stage.store.free_provider(held.clone(), at(7), None).await.unwrap();
        assert_eq!(claim(at(6)).await.unwrap(), Claim::FreeAt(at(7)));
        let Claim::Granted(second) = claim(at(7)).await.unwrap() else { panic!("free again") };
        stage.store.free_provider(held, at(9), None).await.unwrap();
        assert_eq!(claim(at(10)).await.unwrap(), Claim::Busy(at(67)), "an old claim gives nothing back");
        // It asked for a pause (N13), then was never heard of again.
        stage.store.free_provider(second, at(9), Some(at(100))).await.unwrap();
        assert_eq!(claim(at(99)).await.unwrap(), Claim::FreeAt(at(100)));
        assert!(matches!(claim(at(100)).await.unwrap(), Claim::Granted(_)));
        assert!(matches!(claim(at(160)).await.unwrap(), Claim::Granted(_)), "a claim ends by itself");
    });
}

#[test]
fn n21_a_leased_feed_keeps_its_provider_from_being_claimed() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        stage.subscribe(user, "https://a.example/feed").await;
        let leased = stage.lease(at(0)).await.remove(0);
        let claim = |now| stage.store.claim_provider("a.example", now, SPACING, LEASE);
        assert_eq!(claim(at(5)).await.unwrap(), Claim::Busy(at(60)));
        stage.store.commit_poll(commit(&leased, at(6), vec![])).await.unwrap();
        assert!(matches!(claim(at(9)).await.unwrap(), Claim::Granted(_)));
    });
}

#[test]
fn n21_two_nodes_claim_a_provider_once() {
    on_both(|stage| async move {
        let claims = (0..20).map(|_| {
            let store = stage.store.clone();
            tokio::spawn(
                async move { store.claim_provider("b.example", at(0), SPACING, LEASE).await.unwrap() },
            )
        });
        let mut granted = 0;
        for claim in claims.collect::<Vec<_>>() {
            granted += u32::from(matches!(claim.await.unwrap(), Claim::Granted(_)));
        }
        assert_eq!(granted, 1);
    });
}

#[test]
fn n29_nothing_is_claimed_while_fetching_is_halted() {
    on_both(|stage| async move {
        stage.store.set_halted(true).await.unwrap();
        let claim = stage.store.claim_provider("a.example", at(0), SPACING, LEASE).await.unwrap();
        assert_eq!(claim, Claim::Halted);
    });
}

#[test]
fn a_claim_becomes_the_lease_of_a_new_feed() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let claim = stage.store.claim_provider("a.example", at(0), SPACING, LEASE).await.unwrap();
        let Claim::Granted(claim) = claim else { panic!("free") };
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        assert!(stage.store.lease_feed(feed, at(1), LEASE, SPACING, NODE).await.unwrap().is_none());
        let leased =
            stage.store.lease_claimed(feed, claim.clone(), at(1), LEASE, SPACING, NODE).await.unwrap();
        let leased = leased.expect("the claim opens the door");
        let other = stage.store.claim_provider("a.example", at(2), SPACING, LEASE).await.unwrap();
        assert_eq!(other, Claim::Busy(at(61)), "held by the lease now");
        stage.store.free_provider(claim, at(2), None).await.unwrap();
        let other = stage.store.claim_provider("a.example", at(2), SPACING, LEASE).await.unwrap();
        assert_eq!(other, Claim::Busy(at(61)), "the claim is used up");
        assert!(stage.store.commit_poll(commit(&leased, at(3), vec![])).await.unwrap().accepted);
    });
}

#[test]
fn a_poll_put_off_waits_in_the_queue_of_where_it_was_sent_and_counts_as_asked() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let leased = stage.lease(at(0)).await.remove(0);
        let put_off = PutOff {
            lease: leased.lease,
            next_poll_at: at(900),
            provider: "b.example".into(),
            held: leased.provider.clone(),
            free_at: at(3),
        };
        assert!(stage.store.put_off(put_off.clone()).await.unwrap());
        assert!(!stage.store.put_off(put_off).await.unwrap(), "the lease is over");
        let shown = stage.store.feed_schedule(feed).await.unwrap().unwrap();
        assert_eq!(shown.schedule.last_poll_at, Some(at(0)), "the request to the feed's own server counts");
        assert_eq!((shown.schedule.next_poll_at, shown.schedule.failures), (at(900), 0));
        assert_eq!((shown.schedule.reason, shown.provider.as_str()), (Reason::ProviderSlot, "b.example"));
        let a = stage.store.claim_provider("a.example", at(2), SPACING, LEASE).await.unwrap();
        assert_eq!(a, Claim::FreeAt(at(3)), "and the first provider is free again, spaced");
        let again = stage.lease(at(900)).await.remove(0);
        assert_eq!(again.provider, "b.example");
        stage.store.move_to_provider(feed, "a.example").await.unwrap();
        assert!(stage.store.commit_poll(commit(&again, at(901), vec![])).await.unwrap().accepted);
    });
}

#[test]
fn providers_that_redirects_named_are_forgotten_and_those_of_feeds_are_not() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        stage.subscribe(user, "https://a.example/feed").await;
        for n in 0..20 {
            stage.store.claim_provider(&format!("r{n}.example"), at(0), SPACING, LEASE).await.unwrap();
        }
        assert_eq!(stage.store.prune_providers(at(30)).await.unwrap(), 0, "still claimed");
        assert_eq!(stage.store.prune_providers(at(100)).await.unwrap(), 20);
        assert!(stage.store.provider("a.example").await.unwrap().is_some());
    });
}
