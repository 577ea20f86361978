import type { Descriptor, KubeObject } from "@pilothouse/api"
import { nodes } from "@pilothouse/api/core/v1"
import type { Duration } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { readClusterView } from "../cluster-view.ts"
import { withLastLogLine } from "../last-log-line.ts"
import { verdictOf } from "../rules.ts"
import type { Health } from "../verdict.ts"

type Applied = KubeObject & { readonly spec?: object }

export const at = (name: string) => ({ name, namespace: "default" })
export const labels = { app: "web" }

interface PodParts {
  readonly annotations?: Readonly<Record<string, string>>
  readonly container?: object
  readonly spec?: object
}

/** A template of one container `app`. */
export function template({ annotations, container, spec }: PodParts = {}) {
  return { metadata: { labels, annotations }, spec: { containers: [{ name: "app", image: "example/app", ...container }], ...spec } }
}

export const deployment = (parts: PodParts = {}, spec: object = {}): Applied => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: at("web"),
  spec: { replicas: 2, selector: { matchLabels: labels }, template: template(parts), ...spec },
})
export const pod = (parts: PodParts = {}): Applied => {
  const { metadata, spec } = template(parts)
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, ...at("web") }, spec }
}
export const service = (spec: object = {}): Applied => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: at("web"),
  spec: { selector: labels, ports: [{ port: 80 }], ...spec },
})
export const job = (parts: PodParts, spec: object = {}): Applied => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: at("once"),
  spec: { backoffLimit: 0, template: template({ ...parts, spec: { restartPolicy: "Never" } }), ...spec },
})
export const claim = (spec: object = {}): Applied => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: at("data"),
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
})
export const crashing = { container: { command: ["sh", "-c", "echo starting; echo cannot connect to db; exit 1"] } }
export const mounted = { spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] } }

interface Situation {
  readonly objects: readonly Applied[]
  /** What happens then. */
  readonly next?: (running: Cluster) => Promise<unknown>
  readonly after?: Duration
  readonly of: Descriptor
  readonly name?: string
}

export const pause = (running: Cluster) =>
  running.client.patch(nodes, { metadata: { name: "node-1" } }, { metadata: { annotations: { "pilothouse.dev/paused": "true" } } })

type SituationRow = [name: string, situation: Situation, health: Health, summary: string | RegExp]

/** A test for each situation: a cluster of one node in which it arises, and the verdict on one of its objects. */
export function testSituations(rows: readonly SituationRow[]): void {
  test.each(rows)("%s", async (_name, { objects, next, after, of, name = "web" }, health, summary) => {
    await using running = await cluster({ nodes: 1 })
    for (const object of objects) await running.apply(object)
    await next?.(running)
    await running.settled()
    if (after !== undefined) await running.advance(after)
    const namespace = of.namespaced ? "default" : undefined
    const view = await readClusterView(running.client, namespace, running.clock.now())
    const object = await running.client.get(of, namespace === undefined ? name : `${namespace}/${name}`)
    const verdict = await withLastLogLine(running.transport, verdictOf(of, object, view))
    expect(verdict.summary).toEqual(typeof summary === "string" ? summary : expect.stringMatching(summary))
    expect(verdict.health).toBe(health)
  })
}
