import { nodes, type Pod, type PodSpec, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

function pod(name: string, spec: Partial<PodSpec> = {}, labels?: Record<string, string>): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec: { containers: [{ name: "a", image: "a" }], ...spec } }
}

const asking = (cpu: string): Partial<PodSpec> => ({ containers: [{ name: "a", image: "a", resources: { requests: { cpu } } }] })
const far: Partial<PodSpec> = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "loud" } } },
      ],
    },
  },
}
const onPort: Partial<PodSpec> = { containers: [{ name: "a", image: "a", ports: [{ containerPort: 80, hostPort: 80 }] }] }

interface Row {
  /** What is there before. */
  readonly first?: Pod
  before?(running: Cluster): Promise<unknown>
  readonly waits: Partial<PodSpec>
  help(running: Cluster): Promise<unknown>
}

const patchNode = (patch: object) => (running: Cluster) => running.client.patch(nodes, "node-1", patch)
const allocatable = (cpu: string) => async (running: Cluster) => {
  const node = await running.client.get(nodes, "node-1")
  return running.client.updateStatus(nodes, { ...node, status: { ...node.status, allocatable: { ...node.status?.allocatable, cpu } } })
}

const rows: readonly [string, Row][] = [
  [
    "a node is used again",
    {
      before: patchNode({ spec: { unschedulable: true } }),
      waits: {},
      help: patchNode({ spec: { unschedulable: null } }),
    },
  ],
  [
    "a taint is taken off",
    {
      before: patchNode({ spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }),
      waits: {},
      help: patchNode({ spec: { taints: null } }),
    },
  ],
  ["a node can give more", { waits: asking("64"), help: allocatable("64") }],
  [
    "a pod asks for less",
    {
      first: pod("first", asking("30")),
      waits: asking("4"),
      help: (running) =>
        running.client.patch(
          pods,
          "default/first",
          { spec: { containers: [{ name: "a", resources: { requests: { cpu: "20" } } }] } },
          { type: "strategic", subresource: "resize" },
        ),
    },
  ],
  [
    "a pod with its host port leaves",
    { first: pod("first", onPort), waits: onPort, help: (running) => running.client.delete(pods, "default/first") },
  ],
  [
    "a pod that it will not be near leaves",
    { first: pod("first", {}, { app: "loud" }), waits: far, help: (running) => running.client.delete(pods, "default/first") },
  ],
  [
    "a pod that it will not be near is called something else",
    {
      first: pod("first", {}, { app: "loud" }),
      waits: far,
      help: (running) => running.client.patch(pods, "default/first", { metadata: { labels: { app: "quiet" } } }),
    },
  ],
]

test.each(rows)("a refused pod is looked at again when %s", async (_what, { first, before, waits, help }) => {
  await using running = await cluster({ controllers: [] })
  await running.settled()
  await before?.(running)
  if (first !== undefined) await running.apply(first)
  await running.settled()
  await running.apply(pod("waits", waits))
  await running.settled()
  const placed = async () => (await running.client.get(pods, "default/waits")).spec?.nodeName
  expect(await placed()).toBeUndefined()
  await help(running)
  await running.advance("2s")
  expect(await placed()).toBe("node-1")
})

test("a refused pod is looked at again after five minutes, whatever happens or does not", async () => {
  await using running = await cluster({ controllers: [] })
  await running.apply(pod("p", { nodeSelector: { disk: "ssd" } }))
  const looks = () =>
    running.trace.entries().filter(({ controller, key }) => controller === "default-scheduler" && key === "default/p").length
  await running.advance("299s")
  expect(looks()).toBe(1)
  await running.advance("2s")
  expect(looks()).toBe(2)
})
