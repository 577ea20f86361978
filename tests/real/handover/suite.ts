// npm run test:real -- handover: the real controller manager makes a DaemonSet and a StatefulSet, our controllers take them over and hand them back.
import { setTimeout as delay } from "node:timers/promises"
import { namespaces, serviceAccounts } from "@pilothouse/api/core/v1"
import { createControllers } from "@pilothouse/controllers"
import { registerSimulatedNodes, scheduler, simulatedKubelets } from "@pilothouse/nodes"
import { type Client } from "@pilothouse/runtime"
import { type ControlPlane, startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { runControllers } from "../run-controllers.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { create, createVolumes, footprint, isComplete, rollOut } from "./workloads.ts"
import { countWrites, describe, difference } from "./writes.ts"

const patience = 60_000
/** Long enough for a controller that wants to change something to do it. */
const quiet = 5_000
const select = ["daemonset-controller", "statefulset-controller"]
/** Without them no pod is admitted, no node is Ready, and no claim gets a volume, which our scheduler waits for. */
const helpers = "serviceaccount-controller,node-lifecycle-controller,persistentvolume-binder-controller"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

async function run({ tally }: SuiteContext): Promise<void> {
  await using plane = await startControlPlane()
  await plane.startControllerManager([`--controllers=${helpers}`, "--leader-elect=false"])
  await using nodes = await runControllers(plane, [simulatedKubelets(), scheduler()])
  await registerSimulatedNodes(nodes.client, 3)
  const { client } = nodes
  await createVolumes(client, 6)
  await tally.group("the real controller manager makes them", async (group) => {
    await using _real = await runReal(plane)
    await counted(group, plane, "made by the real one", async () => {
      await create(client, "default")
      await complete(group, client, "default", 1)
    })
    await counted(group, plane, "rolled out by the real one", () => changed(group, client, 2))
  })
  await tally.group("ours take over", async (group) => {
    await using _ours = await runControllers(plane, createControllers({ select }))
    await untouched(group, plane, client)
    await counted(group, plane, "rolled out by ours", () => changed(group, client, 3))
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "second" } })
    await hasAccount(client)
    await counted(group, plane, "made by ours", async () => {
      await create(client, "second")
      await complete(group, client, "second", 1)
    })
  })
  await tally.group("the real one has them back", async (group) => {
    await using _real = await runReal(plane)
    await untouched(group, plane, client)
    await changed(group, client, 4)
  })
}

async function changed(group: Group, client: Client, image: number): Promise<void> {
  await rollOut(client, "default", image)
  await complete(group, client, "default", image)
}

/** Sooner no pod is admitted, and what is tried without effect would be counted. */
async function hasAccount(client: Client): Promise<void> {
  const deadline = performance.now() + patience
  while (performance.now() < deadline) {
    const { items } = await client.list(serviceAccounts, { namespace: "second" })
    if (items.length > 0) return
    await delay(100)
  }
}

async function complete(group: Group, client: Client, namespace: string, image: number): Promise<void> {
  const deadline = performance.now() + patience
  while (performance.now() < deadline) {
    if (await isComplete(client, namespace, image)) return group.case(`all pods have image ${image}`, undefined)
    await delay(100)
  }
  group.case(`all pods have image ${image}`, `not within ${patience / 1000} s`)
}

/** Nothing is written, and every pod stays the same. */
async function untouched(group: Group, plane: ControlPlane, client: Client): Promise<void> {
  const [pods, writes] = [await footprint(client, "default"), await countWrites(plane.client)]
  await delay(quiet)
  const after = await footprint(client, "default")
  group.case("the same pods", pods === after ? undefined : `before:\n${pods}\nafter:\n${after}`)
  const written = difference(writes, await countWrites(plane.client))
  group.case("nothing is written", written.size === 0 ? undefined : describe(written))
}

async function counted(group: Group, plane: ControlPlane, what: string, work: () => Promise<void>): Promise<void> {
  const before = await countWrites(plane.client)
  await work()
  group.note(`${what}: ${describe(difference(before, await countWrites(plane.client)))}`)
}

async function runReal(plane: ControlPlane): Promise<AsyncDisposable> {
  const child = await plane.startControllerManager([`--controllers=${select.join(",")}`, "--leader-elect=false"])
  return { [Symbol.asyncDispose]: () => child.stop() }
}
