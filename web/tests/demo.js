// `wellread demo`, started for tests and pictures; always the same world at the same time.
import { startWellread } from "./stage.js";

// A Monday evening, when offices have posted and people have not read yet.
const MONDAY = Date.UTC(2026, 9, 12, 17, 40) / 1000;

export async function startDemo({ feeds, days, speed = 1 }) {
  const args = ["demo", "--feeds", feeds, "--days", days, "--speed", speed, "--at", MONDAY].map(String);
  const demo = await startWellread(args, (out) => /password\s+(\S+)/.exec(out)?.[1]);
  return { ...demo, password: demo.found };
}
