//! `wellread lab …`, and the simulated web it starts as a child process.

mod replay;

use crate::End;
use crate::cli::{FarmArgs, LabCommand};
use anyhow::Result;
use lab::refresh::{RefreshOptions, table, world_now, world_start};
use std::io::{IsTerminal, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

const SEED: u64 = 1;

pub(crate) async fn run(command: LabCommand) -> Result<End> {
    let (feeds, items, concurrency, json) = match command {
        LabCommand::Schedule(args) => return replay::schedule(args),
        LabCommand::Access(args) => return replay::access(args),
        LabCommand::Frontier(args) => return replay::frontier(args),
        LabCommand::Push(args) => return replay::push(args),
        LabCommand::Control(args) => return replay::control(args),
        LabCommand::Model(args) => return replay::model(args),
        LabCommand::Placement(args) => return replay::placement(args),
        LabCommand::Profiles(args) => return replay::profiles(args),
        LabCommand::Buzz(args) => return replay::buzz(args),
        LabCommand::Rank(args) => return replay::rank(args),
        LabCommand::Clicks(args) => return replay::clicks(args),
        LabCommand::Refresh { feeds, items, concurrency, json } => (feeds, items, concurrency, json),
    };
    let farm = [
        std::env::current_exe()?.into_os_string(),
        "farm".into(),
        "--feeds".into(),
        feeds.to_string().into(),
        "--items".into(),
        items.to_string().into(),
        "--seed".into(),
        SEED.to_string().into(),
    ];
    let show_progress = std::io::stderr().is_terminal();
    let options = RefreshOptions { feeds, items, concurrency, farm: farm.into(), seed: SEED, show_progress };
    let report = lab::refresh::run(&options).await?;
    if json {
        say!("{}", serde_json::to_string(&report)?);
    } else {
        say!("{}", table(&report).trim_end());
    }
    Ok(End::Done)
}

/// Prints the port, then serves until its input closes, so that it never outlives the process that wanted it.
pub(crate) async fn farm(args: &FarmArgs) -> Result<End> {
    let config = farm::FarmConfig::benchmark(args.seed, args.feeds, args.items, world_start());
    let world = Arc::new(farm::World::new(config));
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let farm = farm::Farm::start(Arc::clone(&world), Arc::new(world_now), listen).await?;
    // Writing ten thousand documents is not what is measured.
    world.warm(world_now());
    {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", farm.addr().port())?;
        out.flush()?;
    }
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink()))
        .await??;
    Ok(End::Done)
}
