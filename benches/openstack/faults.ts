import { pods } from "@pilothouse/api/core/v1"
import { systemClock } from "@pilothouse/seams/system"
import type { Row } from "../bench.ts"
import type { Floor } from "./floor.ts"
import { type Lab, podOf, podPorts, removeAllPods, served, untilSo, vifKey } from "./lab.ts"
import { type PodTimes, timePods } from "./pod-times.ts"
import { limited } from "./pods.ts"
import type { TheirNumbers } from "./theirs.ts"

const onlyPods = { kubernetes: { enabled_handlers: "vif" } }

/** A refusal, a lost answer, and a process that is killed in the middle. */
export async function faults(lab: Lab, _floor: Floor, theirs: TheirNumbers): Promise<readonly Row[]> {
  const ready = await refused(lab)
  const lost = await lostAnswer(lab)
  const killed = await killedInBurst(lab)
  return [
    limited(theirs.of("readyAfter503", "one 503 on a port create → pod ready"), ready, 5000, "ms"),
    limited(theirs.of("leakedByLostAnswer", "ports leaked after a lost answer"), lost, 0, "ports"),
    limited(theirs.of("leakedByKill", "ports leaked after kill -9 in a burst of 30 pods"), killed, 0, "ports"),
  ]
}

async function refused(lab: Lab): Promise<number> {
  return withFault(lab, "503 POST /v2.0/ports", async ({ active }) => active[0]!)
}

/** All is done, and 503 is answered. */
async function lostAnswer(lab: Lab): Promise<number> {
  return withFault(lab, "503! POST /v2.0/ports", async () => (await podPorts(lab)) - 2)
}

/** A second pod is made while calls fail; they do not any more when one has. */
async function withFault(lab: Lab, fault: string, measure: (times: PodTimes) => Promise<number>): Promise<number> {
  await using _handlers = await lab.handlers(onlyPods)
  await timePods(lab, ["before"])
  lab.knob("neutron-fault", fault)
  const making = timePods(lab, ["unlucky"])
  await untilSo(async () => lab.faulted() > 0, "a call that failed", 10)
  lab.knob("neutron-fault")
  const measured = await measure(await making)
  await clear(lab)
  return measured
}

async function killedInBurst(lab: Lab): Promise<number> {
  const names = Array.from({ length: 30 }, (_, at) => `killed-${at}`)
  const first = await lab.handlers(onlyPods)
  await timePods(lab, ["before"])
  await Promise.all(names.map((name) => lab.client.create(pods, podOf(name))))
  await untilSo(async () => (await podPorts(lab)) > 5, "the middle of the burst")
  await first.kill()
  await using _second = await lab.handlers(onlyPods)
  await untilSo(async () => {
    const { items } = await lab.client.list(pods, { namespace: served })
    return items.every(({ metadata }) => metadata.annotations?.[vifKey]?.includes('"active": true'))
  }, "every pod to be active")
  // Neutron goes on with what the killed process had asked for; its successor looks for that once more.
  await systemClock.sleep(45_000)
  const tooMany = (await podPorts(lab)) - names.length - 1
  await clear(lab)
  return tooMany
}

async function clear(lab: Lab): Promise<void> {
  await removeAllPods(lab)
  await untilSo(async () => (await podPorts(lab)) === 0, "all ports to be gone", 200)
  await systemClock.sleep(500)
}
