import { deepFreeze, type KubeObject, keyOf } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { descriptorFor } from "@pilothouse/api/descriptors"
import { createApiServer, memoryStorage, type Storage } from "@pilothouse/apiserver"
import { createControllers } from "@pilothouse/controllers"
import { type Controller, controller, createManager, plan, Trace, type TraceEntry } from "@pilothouse/runtime"
import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { crowd } from "./crowd.ts"
import type { Work } from "./in-turn.ts"
import { heartbeats } from "./node-heartbeats.ts"
import { cacheAlone, type Scene } from "./scenes.ts"

/** Reconciles that come later than the events before a round: batches of some seconds, mostly. */
const untilQuiet = "6s"
/** Prime, so that the walk comes to all pods of a crowd, and two that follow each other have different owners. */
const stride = 97
const start = Date.parse("2026-01-05T09:00:00Z")

/** An API server with so many pods, put there without requests, and one controller on it. The work is so many events of the scene, each of another pod. */
export interface CrowdedCluster extends Work, AsyncDisposable {
  /** How often the controller has reconciled because of an event. */
  readonly reconciles: number
}

export async function crowdedCluster(size: number, scene: Scene, events: number): Promise<CrowdedCluster> {
  const clock = new VirtualClock({ start })
  const storage = memoryStorage()
  const all = [...crowd(size, scene.group), ...(scene.objects ?? []), ...(scene.pods ?? [])]
  for (const object of [...all, ...heartbeats(start)]) await put(storage, object)
  const server = createApiServer({ clock, random: seededRandom(1), storage })
  const trace = new CountingTrace()
  const controllers = controllersFor(scene)
  const manager = createManager({
    controllers,
    transport: server.transport(),
    clock,
    random: seededRandom(2),
    log: silentLog,
    grace: 0,
    trace,
  })
  const stopping = new AbortController()
  const done = manager.run(stopping.signal)
  await clock.advance("40s")
  const walked = scene.pods ?? all.filter((object) => object.kind === "Pod" && isOf(object, scene.of))
  const turns = scene.versions.length
  let [round, reconciles] = [0, 0]
  /** Two versions of a pod take turns: the second round of a pair has the same pods as the first. */
  const podsOfRound = () =>
    Array.from({ length: events }, (_, at) => walked[((Math.floor(round / turns) * events + at) * stride) % walked.length]!)
  return {
    get reconciles() {
      return reconciles
    },
    async prepare() {
      for (const lease of heartbeats(clock.now())) await put(storage, lease)
      if (scene.before) for (const pod of podsOfRound()) await change(storage, pod, scene.before(pod))
      await clock.advance(untilQuiet)
    },
    async run() {
      const before = trace.reconciles
      const version = scene.versions[round % turns]!
      for (const pod of podsOfRound()) {
        await change(storage, pod, version(pod, round))
        await (scene.after === undefined ? clock.settle() : clock.advance(scene.after))
      }
      reconciles += trace.reconciles - before
      round++
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await clock.run(done)
      await server.close()
    },
  }
}

class CountingTrace extends Trace {
  reconciles = 0

  override record(entry: TraceEntry): void {
    this.reconciles++
    super.record(entry)
  }
}

function controllersFor({ select, controller: name }: Scene): readonly Controller[] {
  if (select !== cacheAlone) return createControllers({ select: [select] }).filter((one) => name === undefined || one.name === name)
  return [controller(cacheAlone, { for: pods, predicate: () => false, observe: () => undefined, decide: () => plan() })]
}

function isOf({ metadata }: KubeObject, owner: string | undefined): boolean {
  return owner === undefined || (metadata.ownerReferences ?? []).some(({ kind }) => kind === owner)
}

function put(storage: Storage, object: KubeObject): Promise<void> {
  return change(storage, object, object)
}

async function change(storage: Storage, at: KubeObject, to: KubeObject | undefined): Promise<void> {
  const [version = "", group = ""] = at.apiVersion.split("/").reverse()
  const of = descriptorFor({ group, version, kind: at.kind })
  const key = `/registry/${group === "" ? of?.plural : `${of?.plural}.${group}`}/${keyOf(at)}`
  const object = to ?? storage.get(key)?.value ?? at
  // Frozen, as the server's own are: a cache shares them, and takes what is not frozen for its own.
  const make = (revision: number) => deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } })
  await storage.commit([{ key, make, deletes: to === undefined }])
}
