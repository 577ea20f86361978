import { conflict, expired, formatTime, type StatusError, serviceUnavailable } from "@pilothouse/api"
import { configMaps, namespaces, nodes, persistentVolumes, pods, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { clusterRoles } from "@pilothouse/api/rbac/v1"
import { controllers, createControllers } from "@pilothouse/controllers"
import {
  type Clock,
  type Frame,
  type Random,
  seededRandom,
  type Transport,
  type TransportRequest,
  VirtualClock,
  valueBody,
  virtualFiles,
} from "@pilothouse/seams"
import { type Cluster, resourceIn, writerOf } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { namespace, oneOfEverything } from "./everything.ts"
import { allIsThere, attachAndExpand, contentOf, isGone, isSized, made, root, start } from "./everything-cluster.ts"

type Layer = (inner: Transport) => Transport

/** All controllers, also those that only run where they are asked for. */
const select = controllers.map(({ name }) => name)
const settings = {
  "allocate-node-cidrs": true,
  "cluster-cidr": "10.244.0.0/16",
  "legacy-service-account-token-clean-up-period": "1s",
}
/** The names they run by. */
const names = new Set(createControllers({ select, settings, needs: { rootCa: "CA", signToken: () => "" } }).map(({ name }) => name))
const refused = new Set([...names, "simulated-kubelet", "scheduler"])
const invalidSince = "kubernetes.io/legacy-token-invalid-since"
const noSchedule = { key: "ghost", effect: "NoSchedule" as const }

/** What has to happen so that the controllers about nodes, leftovers and old tokens have something to do as well. */
async function trouble(running: Cluster): Promise<void> {
  await running.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "default" } })
  const annotations = { "kubernetes.io/service-account.name": "robot" }
  const type = "kubernetes.io/service-account-token"
  await running.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "unused", namespace: "default", annotations }, type })
  await running.client.patch(serviceAccounts, "default/robot", { secrets: [{ name: "unused" }] })
  const tracking = "kube-system/kube-apiserver-legacy-service-account-token-tracking"
  await running.client.patch(configMaps, tracking, { data: { since: "2025-01-01" } })
  // A node that never says a word: it is tainted, and its pod has to leave. And a pod of a node that never was.
  await running.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "ghost" }, spec: { taints: [noSchedule] } })
  await running.apply(podOn("ghost"))
  await running.apply(podOn("never"))
}

function podOn(nodeName: string) {
  const tolerations = [
    { key: "node.kubernetes.io/unreachable", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 5 },
  ]
  const spec = { nodeName, containers: [{ name: "a", image: "a" }], tolerations, terminationGracePeriodSeconds: 0 }
  return { apiVersion: "v1", kind: "Pod", metadata: { name: `on-${nodeName}`, namespace: "default" }, spec } as const
}

/** Marked to be disrupted, and then spared. */
async function markAlone(running: Cluster): Promise<void> {
  const mark = {
    type: "DisruptionTarget",
    status: "True",
    reason: "PreemptionByScheduler",
    lastTransitionTime: formatTime(running.clock.now()),
  }
  await running.client.patch(pods, `${namespace}/alone`, { status: { conditions: [mark] } }, { subresource: "status", type: "strategic" })
}

/** After a write of unknown fate a controller waits a minute for its cache to be sure: there is time for a few of those. */
const pace = "6m"

async function life(running: Cluster): Promise<void> {
  // The faults hold from the start: what every namespace has may take as long as anything else.
  await running.advance(pace)
  const before = await contentOf(running, "default")
  await trouble(running)
  await made(running)
  await markAlone(running)
  await attachAndExpand(running)
  // Old tokens are looked for at the start, and once a day.
  await running.restartControllers()
  await running.advance(pace)
  for (const image of ["example/web:1", "example/web:2"]) {
    for (const object of oneOfEverything({ replicas: 4, image }).filter(isSized)) await running.apply(object)
    await running.advance(pace)
    await allIsThere(running, 4, image)
  }
  await troubleIsOver(running)
  await running.client.delete(namespaces, namespace)
  await running.until(() => isGone(running))
  await running.advance(pace)
  expect(await contentOf(running, namespace)).toEqual([])
  // Those that were there before their claims are retained.
  expect((await running.list(persistentVolumes)).map(({ metadata }) => metadata.name)).toEqual(["attached", "expanded"])
  const more = ["secrets. unused", "serviceaccounts. robot"]
  expect(await contentOf(running, "default")).toEqual([...before, ...more].sort())
}

async function troubleIsOver(running: Cluster): Promise<void> {
  expect((await running.client.get(clusterRoles, "whole")).rules).toHaveLength(1)
  const ghost = await running.client.get(nodes, "ghost")
  expect(ghost.spec?.podCIDR).toMatch(/^10\.244\./)
  expect((ghost.spec?.taints ?? []).map(({ key, effect }) => `${key} ${effect}`).sort()).toEqual([
    "ghost NoSchedule",
    "node.kubernetes.io/unreachable NoExecute",
    "node.kubernetes.io/unreachable NoSchedule",
  ])
  const { conditions } = (await running.client.get(pods, `${namespace}/alone`)).status ?? {}
  expect(conditions?.find(({ type }) => type === "DisruptionTarget")?.status).toBe("False")
  expect((await running.client.get(secrets, "default/unused")).metadata.labels).toHaveProperty([invalidSince])
}

/** Changes the frames of every watch. */
function mapWatches(change: (frames: AsyncIterable<Frame>) => AsyncIterable<Frame>): Layer {
  return (inner) => async (request) => {
    const response = await inner(request)
    if (response.body.type !== "stream") return response
    return { ...response, body: { type: "stream", frames: change(response.body.frames) } }
  }
}

/** Answers a request with the failure that the function returns for it, if it returns one. */
function refusing(failure: (request: TransportRequest) => StatusError | undefined): Layer {
  return (inner) => async (request) => {
    const refusal = failure(request)
    return refusal === undefined ? inner(request) : { status: refusal.statusCode, headers: {}, body: valueBody(refusal.status) }
  }
}

/** Sends every watch event twice. */
function duplicating(): Layer {
  return mapWatches(async function* (frames) {
    for await (const frame of frames) yield* [frame, frame]
  })
}

/**
 * One in five changes and deletions is lost, and its watch says that its history is gone: the cache learns by a list what it missed.
 * Not what is new: a list may come as a stream of that, and would never end.
 */
function losing(random: Random): Layer {
  return mapWatches(async function* (frames) {
    for await (const frame of frames) {
      const { type } = frame.type === "value" ? (frame.value as { readonly type: string }) : { type: "" }
      if (!["MODIFIED", "DELETED"].includes(type) || random.int(5) > 0) yield frame
      else {
        yield valueBody({ type: "ERROR", object: expired("too old resource version").status })
        return
      }
    }
  })
}

/** Every cache is two seconds behind. */
function lagging(clock: () => Clock): Layer {
  return mapWatches(async function* (frames) {
    for await (const frame of frames) {
      await clock().sleep(2000, { name: "a late watch" })
      yield frame
    }
  })
}

/** Of the writes of the controllers of the table, the kubelets and the scheduler one in so many is refused. */
function refusingSome(random: Random, oneIn: number, verbs: string, refusal: (path: string) => StatusError): Layer {
  return refusing(({ verb, path, headers }) => {
    const writer = headers["user-agent"]?.split("/")[1] ?? ""
    return refused.has(writer) && verbs.includes(verb) && random.int(oneIn) === 0 ? refusal(path) : undefined
  })
}

/** So many times the namespace controller does not learn whether there are pods. */
function refusingPodLists(times: number): Layer {
  let left = times
  return refusing(({ path, headers }) => {
    const isTheirs = path === `/api/v1/namespaces/${namespace}/pods` && headers["user-agent"]?.endsWith("/namespace-controller")
    return isTheirs && left-- > 0 ? serviceUnavailable("not now") : undefined
  })
}

const weather: readonly (readonly [string, (clock: () => Clock) => Layer])[] = [
  ["fair weather", () => (inner) => inner],
  ["every event twice", () => duplicating()],
  ["lost events", () => losing(seededRandom(5))],
  ["stale caches", lagging],
  [
    "conflicts",
    () =>
      refusingSome(seededRandom(5), 4, "PUT PATCH", (path) =>
        conflict({ group: "", plural: "objects" }, path, "another client was quicker"),
      ),
  ],
  ["an unavailable server", () => refusingSome(seededRandom(5), 6, "POST PUT PATCH DELETE", () => serviceUnavailable("not now"))],
  [
    "a server that cannot be read",
    () => (inner) => refusingPodLists(5)(refusingSome(seededRandom(5), 6, "GET", () => serviceUnavailable("not now"))(inner)),
  ],
]

/** Notes which controllers change something. */
function writing(writers: Set<string>): Layer {
  return (inner) => (request) => {
    const writer = writerOf(request)
    if (writer !== undefined) writers.add(writer)
    return inner(request)
  }
}

/** Notes how many pods are left when the namespace controller deletes anything else there. Asks the server itself, past the weather. */
function podsFirst(left: Set<number>): Layer {
  return (inner) => async (request) => {
    const { verb, path, headers } = request
    const isOther = verb === "DELETE" && path.includes(`/namespaces/${namespace}/`) && resourceIn(path) !== "pods"
    if (isOther && headers["user-agent"]?.endsWith("/namespace-controller")) {
      const { body } = await inner({ verb: "GET", path: `/api/v1/namespaces/${namespace}/pods`, query: {}, headers })
      const { items } = (body as { readonly value: { readonly items: readonly unknown[] } }).value
      left.add(items.length)
    }
    return inner(request)
  }
}

test.each(weather)("all controllers together, with one of everything until its namespace has vanished: %s", async (_name, layerOf) => {
  const files = virtualFiles(new VirtualClock())
  const writers = new Set<string>()
  let clock: Clock | undefined
  const podsLeft = new Set<number>()
  const layer: Layer = (inner) => layerOf(() => clock!)(writing(writers)(podsFirst(podsLeft)(inner)))
  const extra = (of: Clock) => {
    clock = of
    return []
  }
  await using running = await start(files, { controllers: select, settings, layer, extra })
  await life(running)
  expect([...podsLeft]).toEqual([0])
  expect(files.list(root)).toEqual([])
  // Requests for certificates go after an hour at the earliest; nothing has an SELinux label.
  const idle = ["certificatesigningrequest-cleaner-controller", "persistentvolume-sweeper-controller", "selinux-warning-controller"]
  expect([...names].filter((name) => !writers.has(name))).toEqual(idle)
})
