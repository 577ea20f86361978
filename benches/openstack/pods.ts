import { systemClock } from "@pilothouse/seams/system"
import type { Row } from "../bench.ts"
import type { Floor } from "./floor.ts"
import { more } from "./handlers.ts"
import { kuryrSeen } from "./kuryr-seen.ts"
import { agentDelay, type Lab, podPorts, removeAllPods, untilSo } from "./lab.ts"
import { median, timePods } from "./pod-times.ts"

const onlyPods = { enabled_handlers: "vif" }
const fifty = (prefix: string) => Array.from({ length: 50 }, (_, at) => `${prefix}-${at}`)

/** One after the other, then 50 at once, without spare ports. */
export async function coldPods(lab: Lab, floor: Floor): Promise<readonly Row[]> {
  await using handlers = await lab.handlers({ kubernetes: onlyPods })
  const [written, active]: [number[], number[]] = [[], []]
  // The first finds everything out: token, subnets, what is there already.
  await timePods(lab, ["first"])
  const before = await handlers.counts()
  for (let round = 0; round < 5; round++) {
    const times = await timePods(lab, [`one-${round}`])
    written.push(times.written[0]!)
    active.push(times.active[0]!)
  }
  const after = await handlers.counts()
  const burst = await timePods(lab, fifty("burst"))
  const memory = handlers.memory()
  await removeAllPods(lab)
  await untilSo(async () => (await podPorts(lab)) === 0, "all ports to be gone")
  const [one, all] = [median(written), Math.max(...burst.active)]
  const writes = more(before.api, after.api, /^(PATCH|PUT|POST|DELETE) (?!.*events)/) / 5
  const calls = more(before.api, after.api, /^(?!.*events)/) / 5
  return [
    against("1 bound pod → VIF written, no pool", one, kuryrSeen.podWritten, 1.2 * floor.onePort, "1.2 × one Neutron port"),
    against(
      "1 pod → VIF active",
      median(active),
      kuryrSeen.podActive,
      floor.onePort + agentDelay + 300,
      "one port + agent's delay + 300 ms",
    ),
    against(
      "50 pods at once, no pool → last active",
      all,
      kuryrSeen.fiftyPods,
      1.1 * floor.fiftyPorts + agentDelay,
      "1.1 × 50 ports in bulk + agent's delay",
    ),
    { ...limited("writes to the API server per pod", writes, 2, "writes"), theirs: kuryrSeen.writesPerPod },
    { ...limited("calls to the API server per pod", calls, 3, "calls"), theirs: kuryrSeen.callsPerPod },
    { what: "calls to Neutron per pod, one at a time", ours: more(before.cloud, after.cloud, /v2\.0/) / 5, theirs: 5, unit: "calls" },
    { ...limited("memory after 50 pods", memory, kuryrSeen.memory, "MB"), theirs: kuryrSeen.memory },
  ]
}

/** With spare ports. */
export async function warmPods(lab: Lab): Promise<readonly Row[]> {
  const sizes = { ports_pool_min: 60, ports_pool_batch: 60, ports_pool_update_frequency: 600 }
  await using _handlers = await lab.handlers({ kubernetes: { ...onlyPods, vif_pool_driver: "neutron" }, vif_pool: sizes })
  await timePods(lab, ["first"])
  await untilSo(async () => (await podPorts(lab)) >= 60, "a full pool")
  // Until the agent has reported them all.
  await systemClock.sleep(5_000)
  const one = await timePods(lab, ["warm"])
  const burst = await timePods(lab, fifty("warm"))
  await removeAllPods(lab)
  await removeSpare(lab)
  const last = Math.max(...burst.active)
  return [
    { ...limited("1 pod from a warm pool → VIF written", one.written[0]!, 50, "ms"), theirs: kuryrSeen.podFromWarmPool },
    { ...limited("50 pods from a warm pool → last active", last, 1500 + agentDelay, "ms"), theirs: kuryrSeen.fiftyPodsWarm },
  ]
}

/** Of a pool that nobody uses any more. */
async function removeSpare({ cloud: { neutron }, project }: Lab): Promise<void> {
  await systemClock.sleep(2_000)
  for (const { id } of await neutron.ports.list({ project_id: project, device_owner: "compute:kuryr", fields: "id" }))
    await neutron.ports.delete(id)
}

export function against(what: string, ours: number, theirs: number, limit: number, of: string): Row {
  return { what, ours, theirs, unit: "ms", ratio: ours / theirs, goal: `≤ ${Math.round(limit)} ms: ${of}`, met: ours <= limit }
}

export function limited(what: string, ours: number, limit: number, unit: string): Row {
  return { what, ours, unit, goal: `≤ ${limit} ${unit}`, met: ours <= limit }
}
