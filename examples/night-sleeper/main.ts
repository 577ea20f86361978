// A night in a cluster inside this process, in virtual time: npm run example night-sleeper
import type { Deployment } from "@pilothouse/api/apps/v1"
import { pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { hour, story } from "../story.ts"
import { nightSleeper } from "./controller.ts"

const web: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
  },
}

const running: Cluster = await cluster({
  start: "2026-01-05T23:30:00Z",
  // No nodes: hours of heartbeats would only take time. The pods are there, and wait.
  nodes: 0,
  controllers: ["deployment", "replicaset"],
  extra: [nightSleeper],
  log: story("night-sleeper", () => running.clock.now()),
})
await using _running = running
await running.apply(web)
await running.settled()
await tell()
for (const duration of ["1h", "6h"] as const) {
  await running.advance(duration)
  await tell()
}

async function tell(): Promise<void> {
  console.log(`${hour(running.clock.now())} there are ${(await running.list(pods)).length} pods`)
}
