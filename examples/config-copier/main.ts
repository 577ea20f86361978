// ConfigMaps that follow each other in a cluster inside this process: npm run example config-copier
import { type ConfigMap, configMaps, type Namespace } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { story } from "../story.ts"
import { configCopier } from "./controller.ts"

const running: Cluster = await cluster({
  nodes: 0,
  controllers: [],
  extra: [configCopier],
  log: story("config-copier", () => running.clock.now()),
})
await using _running = running

await step("two teams, and settings for all", () =>
  Promise.all([running.apply(team("team-a")), running.apply(team("team-b")), running.apply(settings("blue"))]),
)
await step("the settings change", () => running.apply(settings("green")))
await step("a team changes its copy", () => running.client.patch(configMaps, "team-a/settings", { data: { colour: "red" } }))
await step("a third team comes", () => running.apply(team("team-c")))
await step("the settings are no longer shared", () => running.apply(settings("green", "false")))
const left = (await running.list(configMaps)).filter(({ metadata }) => metadata.name === "settings")
console.log(`settings is in ${left.map(({ metadata }) => metadata.namespace).join(", ")}`)

async function step(what: string, change: () => Promise<unknown>): Promise<void> {
  console.log(`# ${what}`)
  await change()
  await running.settled()
}

function settings(colour: string, copy = "true"): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "default", labels: { "copy-to-all": copy } },
    data: { colour },
  }
}

function team(name: string): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } }
}
