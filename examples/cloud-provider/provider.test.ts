import { nodes, services } from "@pilothouse/api/core/v1"
import { createCloudControllers } from "@pilothouse/cloud"
import { type ContractFault, providerContract } from "@pilothouse/cloud/contract"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { emptyLab, type Lab, type LabState } from "./lab.ts"
import { labProvider } from "./provider.ts"

/** A lab in memory, whose next call a test may disturb. */
function memoryLab() {
  const lab = { state: emptyLab, writes: 0, fault: undefined as ContractFault | undefined }
  const disturbed = async (signal: AbortSignal, kind: ContractFault) => {
    if (lab.fault !== kind) return
    lab.fault = undefined
    if (kind === "hang") await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))
    throw new Error("the lab is broken")
  }
  const calls: Lab = {
    async read(signal) {
      await disturbed(signal, "hang")
      await disturbed(signal, "fail")
      return lab.state
    },
    async change(work, signal) {
      const next = work(await calls.read(signal))
      if (next === undefined) return
      lab.state = next
      lab.writes++
      await disturbed(signal, "lose-answer")
    },
  }
  const change = (work: (state: LabState) => LabState) => {
    lab.state = work(lab.state)
  }
  return { lab, calls, change }
}

providerContract("lab", async () => {
  const { lab, calls, change } = memoryLab()
  return {
    provider: (clusterName) => labProvider(calls, clusterName),
    balancers: async () => Object.keys(lab.state.balancers),
    writes: () => lab.writes,
    async deleteOutOfBand(name) {
      change(({ balancers: { [name]: _gone, ...balancers }, ...rest }) => ({ ...rest, balancers }))
    },
    async changeInstance(name, what) {
      change(({ machines: { [name]: _gone, ...machines }, ...rest }) => {
        if (what === "delete") return { ...rest, machines }
        return { ...rest, machines: { ...machines, [name]: { address: "10.0.0.1", isOff: what === "stop" } } }
      })
    },
    fault: (kind) => void (lab.fault = kind),
    [Symbol.asyncDispose]: async () => {},
  }
})

test("a node of the lab is described, has a route and a balancer, and goes with its machine", async () => {
  const { lab, calls, change } = memoryLab()
  const provider = labProvider(calls, "kubernetes")
  const settings = { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16" }
  await using c = await cluster({
    nodes: 0,
    controllers: [],
    extra: (clock) => createCloudControllers({ provider: () => provider, clock, settings }).controllers,
  })
  change((state) => ({ ...state, machines: { rack1: { address: "10.0.0.1", rack: "north" } } }))
  const taints = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" as const }]
  await c.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "rack1" }, spec: { podCIDR: "10.244.1.0/24", taints } })
  await c.apply({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
  })
  await c.advance("1m")
  const node = await c.client.get(nodes, "rack1")
  expect(node.spec).toMatchObject({ providerID: "lab:///rack1" })
  expect(node.metadata.labels).toMatchObject({ "topology.kubernetes.io/zone": "north" })
  expect(lab.state.routes).toEqual({ "kubernetes/10.244.1.0/24": { machine: "rack1", range: "10.244.1.0/24" } })
  expect((await c.client.get(services, "default/web")).status?.loadBalancer?.ingress?.[0]?.ip).toBe("192.0.2.1")
  change((state) => ({ ...state, machines: {} }))
  await c.client.patch(nodes, "rack1", { status: { conditions: [{ type: "Ready", status: "False" }] } }, { subresource: "status" })
  await c.advance("10s")
  expect(await c.list(nodes)).toEqual([])
})
