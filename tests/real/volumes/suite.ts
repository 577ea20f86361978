// npm run test:real -- volumes: the real controller manager binds and makes volumes, our controllers take them over, do the same, and hand them back.
import { setTimeout as delay } from "node:timers/promises"
import { persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import { createControllers } from "@pilothouse/controllers"
import { type Client, createManager, defaultTransport } from "@pilothouse/runtime"
import { silentLog } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { type ControlPlane, startControlPlane } from "../control-plane.ts"
import { countWrites, describe, difference } from "../handover/writes.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { claim, directories, volume } from "./objects.ts"

const patience = 60_000
/** Longer than the 15 s after which the real one looks at everything again. */
const quiet = 17_000
const binder = "persistentvolume-binder-controller"
/** They take the finalizers away that the API server puts on. */
const helpers = "serviceaccount-controller,persistentvolume-protection-controller,persistentvolumeclaim-protection-controller"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

async function run({ tally }: SuiteContext): Promise<void> {
  await using plane = await startControlPlane()
  await plane.startControllerManager([`--controllers=${helpers}`, "--leader-elect=false"])
  const root = `${plane.directory}/volumes`
  const server = await defaultTransport({ kubeconfig: plane.kubeconfig("admin"), clock: systemClock })
  await using _server = { [Symbol.asyncDispose]: () => server.close() }
  const manager = () => createManager({ ...seams, transport: server.transport, controllers: ours(root) })
  const { client } = manager()
  await client.create(storageClasses, directories)
  await tally.group("the real one binds, makes and deletes", async (group) => {
    await using _real = await runReal(plane)
    await life(group, { plane, client }, "real")
    await bound(group, { plane, client }, "kept-by-real")
  })
  await tally.group("ours take over", async (group) => {
    const stopping = new AbortController()
    const running = manager().run(stopping.signal)
    await untouched(group, plane)
    await life(group, { plane, client }, "ours")
    group.case("no directory is left", systemFiles.list(root).length === 0 ? undefined : systemFiles.list(root).join(", "))
    await bound(group, { plane, client }, "kept-by-ours")
    stopping.abort()
    await running
  })
  await tally.group("the real one has them back", async (group) => {
    await using _real = await runReal(plane)
    await untouched(group, plane)
    await client.delete(persistentVolumeClaims, "default/kept-by-ours")
    await until(
      group,
      "it releases what ours bound",
      async () => (await client.get(persistentVolumes, "kept-by-ours")).status?.phase === "Released",
    )
  })
}

const seams = { clock: systemClock, random: systemRandom(), log: silentLog, grace: 300 }

function ours(root: string) {
  const settings = { "enable-hostpath-provisioner": true }
  return createControllers({ select: [binder], settings, needs: { files: systemFiles, volumeRoot: root } })
}

interface Scene {
  readonly plane: ControlPlane
  readonly client: Client
}

/** A volume that is made for a claim and goes with it. */
async function life(group: Group, { plane, client }: Scene, who: string): Promise<void> {
  const name = `made-by-${who}`
  await counted(group, plane, `made by ${who}`, async () => {
    await client.create(persistentVolumeClaims, claim(name, "directories"))
    await until(group, `${name} is bound`, () => isBound(client, name))
  })
  const { spec } = await client.get(persistentVolumeClaims, `default/${name}`)
  await counted(group, plane, `deleted by ${who}`, async () => {
    await client.delete(persistentVolumeClaims, `default/${name}`)
    await until(group, "its volume goes", async () =>
      (await client.list(persistentVolumes)).items.every(({ metadata }) => metadata.name !== spec?.volumeName),
    )
  })
}

/** A volume and a claim that people made. */
async function bound(group: Group, { plane, client }: Scene, name: string): Promise<void> {
  await client.create(persistentVolumes, volume(name))
  await until(group, `${name} is available`, async () => (await client.get(persistentVolumes, name)).status?.phase === "Available")
  await counted(group, plane, name, async () => {
    await client.create(persistentVolumeClaims, claim(name, ""))
    await until(group, `${name} is bound`, () => isBound(client, name))
  })
}

async function isBound(client: Client, name: string): Promise<boolean> {
  return (await client.get(persistentVolumeClaims, `default/${name}`)).status?.phase === "Bound"
}

async function untouched(group: Group, plane: ControlPlane): Promise<void> {
  const before = await countWrites(plane.client)
  await delay(quiet)
  const written = difference(before, await countWrites(plane.client))
  group.case("nothing is written", written.size === 0 ? undefined : describe(written))
}

async function counted(group: Group, plane: ControlPlane, what: string, work: () => Promise<void>): Promise<void> {
  const before = await countWrites(plane.client)
  await work()
  // Finalizers go last.
  await delay(500)
  group.note(`${what}: ${describe(difference(before, await countWrites(plane.client)))}`)
}

async function until(group: Group, name: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patience
  while (performance.now() < deadline) {
    if (await holds()) return group.case(name, undefined)
    await delay(50)
  }
  group.case(name, `not within ${patience / 1000} s`)
}

async function runReal(plane: ControlPlane): Promise<AsyncDisposable> {
  const child = await plane.startControllerManager([
    `--controllers=${binder}`,
    "--enable-hostpath-provisioner=true",
    "--leader-elect=false",
  ])
  return { [Symbol.asyncDispose]: () => child.stop() }
}
