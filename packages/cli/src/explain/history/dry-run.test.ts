import type { KubeObject } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { namespaces, pods, secrets } from "@pilothouse/api/core/v1"
import { createControllers } from "@pilothouse/controllers"
import { seededRandom, silentLog } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { type DryRunOptions, dryRunControllers } from "./dry-run.ts"

type Asked = Pick<DryRunOptions, "of" | "object">

/** What is found, and how many milliseconds it takes. */
async function dryRun({ transport, clock, advance }: Cluster, asked: Asked) {
  const seams = { transport, clock, random: seededRandom(7), log: silentLog }
  const began = clock.elapsed()
  const finished = dryRunControllers({ ...seams, ...asked, controllers: createControllers() }).then((reconciles) => ({
    reconciles,
    took: clock.elapsed() - began,
  }))
  await advance("30s")
  return finished
}

const metadata = { name: "one", namespace: "default" }
const containers = [{ name: "web", image: "web" }]

const untaken: Record<string, { of: DryRunOptions["of"]; object: KubeObject }> = {
  "a pod at a scheduling gate": {
    of: pods,
    object: { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, schedulingGates: [{ name: "example.com/g" }] } } as KubeObject,
  },
  "a pod of another scheduler": {
    of: pods,
    object: { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, schedulerName: "other" } } as KubeObject,
  },
  "a Secret of no special type": { of: secrets, object: { apiVersion: "v1", kind: "Secret", metadata } as KubeObject },
}

test.each(Object.entries(untaken))("explain hung for 10 s on what no controller takes: %s", async (_, { of, object }) => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply(object)
  const { reconciles, took } = await dryRun(running, { of, object: await running.client.get(of, "default/one") })
  expect(reconciles).toEqual([])
  expect(took).toBeLessThanOrEqual(300)
})

test("waits for each controller with a pending key", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  const labels = { app: "one" }
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } }
  await running.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec } as KubeObject)
  const object = await running.client.get(deployments, "default/one")
  const { reconciles, took } = await dryRun(running, { of: deployments, object })
  expect(reconciles.map(({ controller }) => controller)).toEqual(["deployment-controller"])
  expect(took).toBeLessThanOrEqual(300)
})

test("a delayed reconcile runs at once: waiting has no use where nothing is written", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "going" } } as KubeObject)
  await running.client.delete(namespaces, "going")
  const { reconciles, took } = await dryRun(running, { of: namespaces, object: await running.client.get(namespaces, "going") })
  expect(reconciles.map(({ controller }) => controller)).toContain("namespace-controller")
  expect(took).toBeLessThanOrEqual(300)
})
