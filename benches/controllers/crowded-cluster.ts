import { deepFreeze, type KubeObject, keyOf } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { descriptorFor } from "@pilothouse/api/descriptors"
import { createApiServer, memoryStorage, type Storage } from "@pilothouse/apiserver"
import { createControllers } from "@pilothouse/controllers"
import { type Controller, controller, createManager, plan } from "@pilothouse/runtime"
import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { crowd, withReadiness } from "./crowd.ts"

/** Looks of a loop that come later than the event: batches of a second, mostly. */
const untilQuiet = "5s"
/** The same pods whatever the size of the cluster: only what is around them grows. */
const touched = 1000
/** Prime, so that pods of all owners come, and none twice in a round. */
const stride = 97
const start = Date.parse("2026-01-05T09:00:00Z")

/** An API server with so many pods, put there without asking anybody, and one loop on it. */
export interface CrowdedCluster extends AsyncDisposable {
  /** Pods become ready or not, one after another; after each of them the loop does all that it does at once. */
  podEvents(count: number): Promise<void>
}

/** In the place of a loop: what an event costs the server and a cache, which no loop can do without. */
export const cacheAlone = "cache alone"

function cacheOfPods(): Controller {
  return controller(cacheAlone, { for: pods, when: () => false, observe: () => undefined, decide: () => plan() })
}

export async function crowdedCluster(size: number, loop: string): Promise<CrowdedCluster> {
  const clock = new VirtualClock({ start })
  const storage = memoryStorage()
  const objects = crowd(size)
  for (const object of objects) await put(storage, object)
  const server = createApiServer({ clock, random: seededRandom(1), storage })
  const controllers = loop === cacheAlone ? [cacheOfPods()] : createControllers({ select: [loop] })
  const manager = createManager({ controllers, transport: server.transport(), clock, random: seededRandom(2), log: silentLog, grace: 0 })
  const stopping = new AbortController()
  const done = manager.run(stopping.signal)
  await clock.advance("40s")
  const all = objects.filter(({ kind }) => kind === "Pod")
  let ready = false
  return {
    async podEvents(count) {
      for (let at = 0; at < count; at++) {
        await put(storage, withReadiness(all[(at * stride) % touched]!, ready))
        await clock.settle()
      }
      ready = !ready
      await clock.advance(untilQuiet)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await clock.run(done)
      await server.close()
    },
  }
}

async function put(storage: Storage, object: KubeObject): Promise<void> {
  const [version = "", group = ""] = object.apiVersion.split("/").reverse()
  const of = descriptorFor({ group, version, kind: object.kind })
  const resource = group === "" ? of?.plural : `${of?.plural}.${group}`
  // Frozen, as the server's own are: a cache shares them, and takes what is not frozen for its own.
  const make = (revision: number) => deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } })
  await storage.commit([{ key: `/registry/${resource}/${keyOf(object)}`, make }])
}
