import { type Descriptor, type KubeObject, keyOf, notFound, type OwnerReference } from "@pilothouse/api"
import { daemonSets, deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { replicationControllers } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { podScale } from "./observe.ts"
import { owner } from "./testing/budgets.ts"

const widgets: Descriptor = {
  ...deployments,
  group: "example.com",
  kind: "Widget",
  plural: "widgets",
  subresources: [{ name: "scale", kind: "autoscaling/v1/Scale", verbs: ["get"] }],
} as Descriptor

interface World {
  readonly cached?: readonly (readonly [Descriptor, KubeObject])[]
  /** What the server says of a scale, by path. */
  readonly scales?: Readonly<Record<string, { readonly uid: string; readonly replicas: number }>>
  readonly kinds?: readonly Descriptor[]
}

function reader({
  cached = [],
  scales = {},
  kinds = [replicaSets, deployments, statefulSets, replicationControllers, daemonSets, widgets],
}: World): Reader {
  const world: Partial<Reader> = {
    get: (of, key) => cached.find(([kind, object]) => kind.kind === of.kind && keyOf(object) === key)?.[1] as never,
    versionsOf: async (group, kind) => kinds.filter((of) => of.group === group && of.kind === kind),
    ask: async ({ path }) => {
      const found = scales[path]
      if (found === undefined) throw notFound(widgets, path)
      return { metadata: { uid: found.uid }, spec: { replicas: found.replicas } }
    },
  }
  return world as Reader
}

function workload(of: Descriptor, name: string, replicas: number, controlledBy?: OwnerReference): readonly [Descriptor, KubeObject] {
  const metadata = { name, namespace: "default", uid: `${name}-uid`, ...(controlledBy && { ownerReferences: [controlledBy] }) }
  return [of, { apiVersion: "", kind: of.kind, metadata, spec: { replicas } } as KubeObject]
}

const found = (replicas: number, name = "web") => ({ uid: `${name}-uid`, replicas })
const ofDeployment = owner("Deployment", "above")

interface Row extends World {
  readonly owner: OwnerReference
  readonly expected: ReturnType<typeof found> | string | undefined
}

const rows: Record<string, Row> = {
  "replicaset controller with apps group": {
    owner: owner("ReplicaSet", "web"),
    cached: [workload(replicaSets, "web", 4)],
    expected: found(4),
  },
  "replicaset controller with invalid group": {
    owner: owner("ReplicaSet", "web", "invalid/v1"),
    cached: [workload(replicaSets, "web", 4)],
    expected: 'no matches for kind "ReplicaSet" in version "invalid/v1"',
  },
  "replicationcontroller with empty group": {
    owner: owner("ReplicationController", "web", "v1"),
    cached: [workload(replicationControllers, "web", 5)],
    expected: found(5),
  },
  "replicationcontroller with invalid group": {
    owner: owner("ReplicationController", "web", "apps/v1"),
    cached: [workload(replicationControllers, "web", 5)],
    expected: 'no matches for kind "ReplicationController" in version "apps/v1"',
  },
  StatefulSetController: { owner: owner("StatefulSet", "web"), cached: [workload(statefulSets, "web", 2)], expected: found(2) },
  "statefulset controller with invalid kind": {
    owner: owner("Statefulness", "web"),
    cached: [workload(statefulSets, "web", 2)],
    expected: 'no matches for kind "Statefulness" in version "apps/v1"',
  },
  "DeploymentFinder: happy path": {
    owner: owner("ReplicaSet", "web"),
    cached: [workload(replicaSets, "web", 4, ofDeployment), workload(deployments, "above", 9)],
    expected: found(9, "above"),
  },
  "DeploymentFinder: the Deployment is gone, so the server is asked for the ReplicaSet's scale": {
    owner: owner("ReplicaSet", "web"),
    cached: [workload(replicaSets, "web", 4, ofDeployment)],
    scales: { "/apis/apps/v1/namespaces/default/replicasets/web/scale": found(4) },
    expected: found(4),
  },
  "DeploymentFinder: invalid deployment kind": {
    owner: owner("ReplicaSet", "web"),
    cached: [workload(replicaSets, "web", 4, owner("Deployed", "above")), workload(deployments, "above", 9)],
    expected: found(4),
  },
  "another object under the name of the owner": {
    owner: { ...owner("ReplicaSet", "web"), uid: "older" },
    cached: [workload(replicaSets, "web", 4)],
    scales: { "/apis/apps/v1/namespaces/default/replicasets/web/scale": found(4) },
    expected: undefined,
  },
  "ScaleResource: any kind that has scales": {
    owner: owner("Widget", "web", "example.com/v1"),
    scales: { "/apis/example.com/v1/namespaces/default/widgets/web/scale": found(6) },
    expected: found(6),
  },
  "ScaleFinderNoResource: resource implements scale, and the object is gone": {
    owner: owner("Widget", "web", "example.com/v1"),
    expected: undefined,
  },
  "ScaleFinderNoResource: resource implements unsupported data format for scale subresource": {
    owner: owner("Widget", "web", "example.com/v1"),
    kinds: [{ ...widgets, subresources: [{ name: "scale", kind: "example.com/v1/Scale", verbs: ["get"] }] }],
    expected: "widgets.example.com does not implement the scale subresource",
  },
  "UnsupportedControllerPod: resource does not implement scale": {
    owner: owner("DaemonSet", "web"),
    expected: "daemonsets.apps does not implement the scale subresource",
  },
  "an apiVersion that is none": { owner: owner("Widget", "web", "a/b/c"), expected: "unexpected GroupVersion string: a/b/c" },
}

test.each(Object.entries(rows))("%s", async (_, { owner: of, expected, ...world }) => {
  const asked = podScale(reader(world), of, "default")
  if (typeof expected === "string") await expect(asked).rejects.toThrow(expected)
  else expect(await asked).toEqual(expected)
})
