import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Descriptor, KubeObject } from "@pilothouse/api"
import { endpoints, pods, services } from "@pilothouse/api/core/v1"
import { messageOf } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { startControlPlane } from "../../tests/real/control-plane.ts"
import { cached } from "../../tools/components/index.ts"
import { defineKuryrResources, findKuryr, Kuryr } from "./kuryr-process.ts"
import { type Lab, labOn, podPorts, removeAllPods, removeSpare, served, untilSo } from "./lab.ts"
import { median, timePods, type Watched } from "./pod-times.ts"
import { makeService } from "./services.ts"
import type { Theirs } from "./theirs.ts"

interface KuryrPort extends KubeObject {
  readonly status?: {
    readonly vifs?: Readonly<Record<string, { readonly vif: { readonly "versioned_object.data": { readonly active: boolean } } }>>
  }
}

interface KuryrLoadBalancer extends KubeObject {
  readonly status?: { readonly members?: readonly unknown[] }
}

const kuryrPorts = resource<KuryrPort>("KuryrPort", "kuryrports")
const kuryrLoadBalancers = resource<KuryrLoadBalancer>("KuryrLoadBalancer", "kuryrloadbalancers")

/** What kuryr 10 has of a pod: an object of its own with the same name. */
const inKuryrPorts: Watched<KuryrPort> = {
  of: kuryrPorts,
  vifOf({ status }) {
    const [first] = Object.values(status?.vifs ?? {})
    return first && { active: first.vif["versioned_object.data"].active }
  },
}

const forPods = { enabled_handlers: "vif,kuryrport" }

/** What the real kuryr takes for the same, here and now, with a real API server: it needs custom resources. Undefined where one of them is not cached. */
export async function measureKuryr(cloud: string): Promise<Partial<Theirs> | undefined> {
  const directory = findKuryr()
  if (directory === undefined || cached("kubernetes") === undefined) return undefined
  await using server = await startControlPlane()
  await using lab = await labOn(cloud, server)
  await defineKuryrResources(directory, lab)
  await untilSo(() => isServed(lab), "kuryr's resources to be served")
  const start = (kubernetes: Record<string, string>, more = {}) => Kuryr.start(directory, lab, { kubernetes, ...more })
  const measured: Partial<Theirs>[] = []
  for (const part of [cold, warm, service]) {
    try {
      measured.push(await part(lab, start))
    } catch (error) {
      // It is known to hang and to leak: our own numbers do not wait for it.
      console.log(`  kuryr did not get through: ${messageOf(error)}`)
      break
    }
  }
  // While it runs it may fill its pool again; what it leaves behind would be taken for ours.
  await removeSpare(lab)
  return Object.assign({}, ...measured)
}

async function isServed({ client }: Lab): Promise<boolean> {
  const lists = [client.list(kuryrPorts, { namespace: served }), client.list(kuryrLoadBalancers, { namespace: served })]
  return (await Promise.allSettled(lists)).every(({ status }) => status === "fulfilled")
}

type Start = (kubernetes: Record<string, string>, more?: object) => Promise<Kuryr>

async function cold(lab: Lab, start: Start): Promise<Partial<Theirs>> {
  await using kuryr = await start(forPods)
  await timePods(lab, ["kuryr-first"], inKuryrPorts)
  const [written, active]: [number[], number[]] = [[], []]
  for (let round = 0; round < 3; round++) {
    const times = await timePods(lab, [`kuryr-one-${round}`], inKuryrPorts)
    written.push(times.written[0]!)
    active.push(times.active[0]!)
  }
  const burst = await timePods(lab, names("kuryr-burst"), inKuryrPorts)
  const memory = kuryr.memory()
  await clear(lab)
  return { podWritten: median(written), podActive: median(active), fiftyPods: Math.max(...burst.active), memory }
}

async function warm(lab: Lab, start: Start): Promise<Partial<Theirs>> {
  const vif_pool = { ports_pool_min: 60, ports_pool_batch: 60, ports_pool_update_frequency: 600 }
  await using _kuryr = await start({ ...forPods, vif_pool_driver: "neutron" }, { vif_pool })
  await timePods(lab, ["kuryr-first"], inKuryrPorts)
  await untilSo(async () => (await podPorts(lab, "ACTIVE")) >= 60, "a full pool of kuryr's", 1_000)
  await systemClock.sleep(2_000)
  const one = await timePods(lab, ["kuryr-warm"], inKuryrPorts)
  const burst = await timePods(lab, names("kuryr-warm"), inKuryrPorts)
  await clear(lab)
  return { podFromWarmPool: one.written[0]!, fiftyPodsWarm: Math.max(...burst.active) }
}

async function service(lab: Lab, start: Start): Promise<Partial<Theirs>> {
  await using _kuryr = await start({ enabled_handlers: "service,endpoints,kuryrloadbalancer" })
  const calls = () => readFileSync(join(lab.directory, "log/access.log"), "utf8").match(/ octavia /g)?.length ?? 0
  const took = async (name: string) => {
    const since = systemClock.elapsed()
    await makeService(lab, name)
    await untilSo(async () => (await membersOf(lab, name)) === 10, "a load balancer of kuryr's with all members", 100)
    return systemClock.elapsed() - since
  }
  await took("kuryr-first")
  const before = calls()
  const time = await took("kuryr-second")
  const made = calls() - before
  for (const name of ["kuryr-first", "kuryr-second"]) {
    await lab.client.delete(services, `${served}/${name}`)
    await lab.client.delete(endpoints, `${served}/${name}`).catch(() => {})
  }
  await untilSo(async () => (await lab.client.list(services, { namespace: served })).items.length === 0, "kuryr's Services to be gone", 500)
  return { service: time, serviceCalls: made }
}

async function membersOf({ client }: Lab, name: string): Promise<number> {
  const found = await client.get(kuryrLoadBalancers, `${served}/${name}`).catch(() => undefined)
  return found?.status?.members?.length ?? 0
}

async function clear(lab: Lab): Promise<void> {
  await removeAllPods(lab)
  await untilSo(async () => (await lab.client.list(pods, { namespace: served })).items.length === 0, "kuryr to release its pods", 500)
  await removeSpare(lab)
}

function names(prefix: string): readonly string[] {
  return Array.from({ length: 50 }, (_, at) => `${prefix}-${at}`)
}

function resource<T extends KubeObject>(kind: string, plural: string): Descriptor<T> {
  const none = { shortNames: [], categories: [], verbs: ["get", "list", "watch"], subresources: [] }
  return { group: "openstack.org", version: "v1", kind, plural, singular: kind.toLowerCase(), namespaced: true, ...none }
}
