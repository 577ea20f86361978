import { formatTime } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PodSample } from "../samples.ts"

export const now = Date.UTC(2026, 0, 5, 9)

export interface PodFacts {
  readonly phase?: NonNullable<Pod["status"]>["phase"]
  /** Of the condition Ready; undefined: there is none. */
  readonly ready?: boolean
  readonly noCondition?: boolean
  /** Seconds since it started, and since it last changed between ready and not. */
  readonly started?: number
  readonly changed?: number
  readonly deleted?: boolean
  /** CPU in thousandths that each of its containers requests; undefined: nothing. */
  readonly requests?: readonly (number | undefined)[]
  readonly sidecar?: number
  readonly podRequest?: Readonly<Record<string, string>>
}

/** An hour old, ready ever since, with a request of 1 CPU. */
export function pod(name: string, facts: PodFacts = {}): Pod {
  const { phase = "Running", ready = true, noCondition = false, started = 3600, changed = started, deleted = false } = facts
  const { requests = [1000], sidecar, podRequest } = facts
  const ago = (seconds: number) => formatTime(now - seconds * 1000)
  const resources = (request: number | undefined) => (request === undefined ? {} : { requests: { cpu: `${request}m` } })
  const condition = { type: "Ready", status: ready ? ("True" as const) : ("False" as const), lastTransitionTime: ago(changed) }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: "web" }, ...(deleted && { deletionTimestamp: ago(1) }) },
    spec: {
      containers: requests.map((request, at) => ({ name: `c${at}`, image: "i", resources: resources(request) })),
      ...(sidecar !== undefined && {
        initContainers: [{ name: "side", image: "i", restartPolicy: "Always", resources: resources(sidecar) }],
      }),
      ...(podRequest && { resources: { requests: podRequest } }),
    },
    status: { phase, startTime: ago(started), conditions: noCondition ? [] : [condition] },
  }
}

/** Taken just now, over the last 10 s. */
export function sample(value: number, facts: { readonly ago?: number; readonly window?: number } = {}): PodSample {
  return { value, at: now - (facts.ago ?? 0) * 1000, window: (facts.window ?? 10) * 1000 }
}

/** Samples by name: "p0" to "pN"; undefined leaves one out. */
export function samples(...values: readonly (number | undefined)[]): Map<string, PodSample> {
  return new Map(values.flatMap((value, at) => (value === undefined ? [] : [[`p${at}`, sample(value)] as const])))
}

/** "p0" to "pN". */
export function podsOf(...facts: readonly PodFacts[]): readonly Pod[] {
  return facts.map((one, at) => pod(`p${at}`, one))
}

export const readiness = { cpuInitializationPeriod: 120_000, initialReadinessDelay: 10_000 }
