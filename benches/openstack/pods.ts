import { systemClock } from "@pilothouse/seams/system"
import type { Row } from "../bench.ts"
import type { Floor } from "./floor.ts"
import { more } from "./handlers.ts"
import { kuryrSeen } from "./kuryr-seen.ts"
import { agentDelay, type Lab, podPorts, removeAllPods, removeSpare, untilSo } from "./lab.ts"
import { median, timePods } from "./pod-times.ts"
import type { TheirNumbers } from "./theirs.ts"

const onlyPods = { enabled_handlers: "vif" }
const fifty = (prefix: string) => Array.from({ length: 50 }, (_, at) => `${prefix}-${at}`)

/** One after the other, then 50 at once, without spare ports. */
export async function coldPods(lab: Lab, floor: Floor, theirs: TheirNumbers): Promise<readonly Row[]> {
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
    against(theirs.of("podWritten", "1 bound pod → VIF written, no pool"), one, 1.2 * floor.onePort, "1.2 × one Neutron port"),
    against(
      theirs.of("podActive", "1 pod → VIF active"),
      median(active),
      floor.onePort + agentDelay + 300,
      "one port + agent's delay + 300 ms",
    ),
    against(theirs.of("fiftyPods", "50 pods at once, no pool → last active"), all, 1.1 * floor.fiftyPorts, "1.1 × 50 ports in bulk"),
    limited(theirs.of("writesPerPod", "writes to the API server per pod"), writes, 2, "writes"),
    limited(theirs.of("callsPerPod", "calls to the API server per pod"), calls, 3, "calls"),
    { what: "calls to Neutron per pod, one at a time", ours: more(before.cloud, after.cloud, /v2\.0/) / 5, unit: "calls" },
    limited(theirs.of("memory", "memory after 50 pods"), memory, kuryrSeen.memory, "MB"),
  ]
}

/** With spare ports. */
export async function warmPods(lab: Lab, _floor: Floor, theirs: TheirNumbers): Promise<readonly Row[]> {
  const sizes = { ports_pool_min: 60, ports_pool_batch: 60, ports_pool_update_frequency: 600 }
  await using _handlers = await lab.handlers({ kubernetes: { ...onlyPods, vif_pool_driver: "neutron" }, vif_pool: sizes })
  await timePods(lab, ["first"])
  // They can be listed before Neutron has answered, but turn ACTIVE only after that.
  await untilSo(async () => (await podPorts(lab, "ACTIVE")) > 60, "a full pool, reported by the agent", 1_000)
  await systemClock.sleep(2_000)
  const one = await timePods(lab, ["warm"])
  const burst = await timePods(lab, fifty("warm"))
  await removeAllPods(lab)
  await removeSpare(lab)
  const last = Math.max(...burst.active)
  return [
    limited(theirs.of("podFromWarmPool", "1 pod from a warm pool → VIF written"), one.written[0]!, 50, "ms"),
    limited(theirs.of("fiftyPodsWarm", "50 pods from a warm pool → last active"), last, 1500 + agentDelay, "ms"),
  ]
}

export function against({ what, theirs }: ReturnType<TheirNumbers["of"]>, ours: number, limit: number, of: string): Row {
  return { what, ours, theirs, unit: "ms", goal: `≤ ${Math.round(limit)} ms: ${of}`, met: ours <= limit }
}

export function limited({ what, theirs }: ReturnType<TheirNumbers["of"]>, ours: number, limit: number, unit: string): Row {
  return { what, ours, theirs, unit, goal: `≤ ${limit} ${unit}`, met: ours <= limit }
}
