import { endpoints, events, pods, services } from "@pilothouse/api/core/v1"
import { expect } from "vitest"
import { openStack } from "../../clients/cloud.ts"
import type { EmbeddedCall, EmbeddedFault } from "../../embedded/embedded-open-stack.ts"
import { decodeState } from "../../versioned-objects/annotations.ts"
import { stateAnnotation } from "../annotations.ts"
import { conditionTypes } from "../fault-conditions.ts"
import { podVif, type TestCloudOptions, type TestCluster, testCluster, testPod, testService } from "./cluster.ts"

export function clients(run: TestCluster) {
  return openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
}

/** Returns the names of the objects with an event of this reason. */
export async function objectsWithEvent(run: TestCluster, reason: string): Promise<ReadonlySet<string>> {
  const all = await run.cluster.list(events, { namespace: "default" })
  return new Set(all.filter((one) => one.reason === reason).map(({ involvedObject }) => involvedObject.name ?? ""))
}

/** In which words. */
export async function eventMessages(run: TestCluster, reason: string): Promise<readonly string[]> {
  return (await run.cluster.list(events, { namespace: "default" }))
    .filter((one) => one.reason === reason)
    .map(({ message = "" }) => message)
}

export interface ConditionSeen {
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** What the condition of a handler says on the pod, or on the Service, of that name. */
export async function conditionOn(
  run: TestCluster,
  handler: keyof typeof conditionTypes,
  name: string,
): Promise<ConditionSeen | undefined> {
  const key = `default/${name}`
  const { status } = await (handler === "vif" ? run.cluster.client.get(pods, key) : run.cluster.client.get(services, key))
  return (status?.conditions as readonly (ConditionSeen & { readonly type: string })[] | undefined)?.find(
    ({ type }) => type === conditionTypes[handler],
  )
}

/** Expects a fault in an event on the object and in its condition, with the same reason and message. */
export async function expectFault(
  run: TestCluster,
  about: { readonly handler: keyof typeof conditionTypes; readonly name: string; readonly reason: string; readonly says: RegExp },
): Promise<void> {
  const { handler, name, reason, says } = about
  expect(await objectsWithEvent(run, reason)).toContain(name)
  expect(await eventMessages(run, reason)).toContainEqual(expect.stringMatching(says))
  expect(await conditionOn(run, handler, name)).toMatchObject({ status: "False", reason, message: expect.stringMatching(says) })
}

export async function expectReady(run: TestCluster, handler: keyof typeof conditionTypes, name: string): Promise<void> {
  expect(await conditionOn(run, handler, name)).toMatchObject({
    status: "True",
    reason: "Ready",
    message: "resolved",
  })
}

export async function members(run: TestCluster, name: string): Promise<number | undefined> {
  const found = (await run.cluster.list(endpoints, { namespace: "default" })).find(({ metadata }) => metadata.name === name)
  const text = found?.metadata.annotations?.[stateAnnotation]
  return text === undefined ? undefined : decodeState(text).members.length
}

/** Endpoints of a Service without selector. */
export async function give(run: TestCluster, name: string, ...addresses: readonly string[]): Promise<void> {
  const subsets = [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ port: 8080, protocol: "TCP" }] }]
  await run.cluster.apply({ apiVersion: "v1", kind: "Endpoints", metadata: { name, namespace: "default" }, subsets } as never)
}

/** A cluster with a pod and a Service that are served, and that must not notice what happens to others. */
export async function withOthers(options: Omit<TestCloudOptions, "clock"> = {}): Promise<TestCluster> {
  const run = await testCluster(options)
  await run.cluster.apply(testPod("other"))
  await run.cluster.until(async () => (await podVif(run, "other"))?.active === true)
  await run.cluster.apply(testService("other", { selector: undefined }))
  await give(run, "other", "10.10.9.1")
  await run.cluster.until(async () => (await members(run, "other")) === 1)
  return run
}

export async function othersUnaffected(run: TestCluster): Promise<void> {
  const since = run.cluster.clock.elapsed()
  const before = (await members(run, "other")) ?? 0
  await give(run, "other", ...Array.from({ length: before + 1 }, (_, at) => `10.10.9.${at + 1}`))
  await run.cluster.until(async () => (await members(run, "other")) === before + 1)
  expect(run.cluster.clock.elapsed() - since).toBeLessThan(5000)
  expect((await podVif(run, "other"))?.active).toBe(true)
  // An object that never had a fault has no such condition.
  expect([await conditionOn(run, "vif", "other"), await conditionOn(run, "lb", "other")]).toEqual([undefined, undefined])
}

/** When such calls came, in milliseconds of virtual time, and what is answered. */
export function failing(run: TestCluster, isOne: (call: EmbeddedCall) => boolean, fault: EmbeddedFault | undefined): readonly number[] {
  const at: number[] = []
  run.cloud.fault = (call) => {
    if (!isOne(call)) return undefined
    at.push(run.cluster.clock.elapsed())
    return fault
  }
  return at
}

export function gaps(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, at) => time - times[at]!)
}

export const createsPort = (name: string) => (call: EmbeddedCall) =>
  call.verb === "POST" && call.path === "/v2.0/ports" && JSON.stringify(call.body).includes(`"name":"${name}"`)
export const createsBalancer = (name: string) => (call: EmbeddedCall) =>
  call.verb === "POST" && call.path.endsWith("/loadbalancers") && JSON.stringify(call.body).includes(`"default/${name}"`)
