import { MemoryCloud, memoryProvider } from "@pilothouse/cloud"
import { silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { settingsOf } from "../settings.ts"
import { cloudControllers } from "./cloud-provider.ts"

const seams = { clock: new VirtualClock(), log: silentLog }

function controllersOf(words: Readonly<Record<string, string>>): readonly string[] {
  return cloudControllers(settingsOf(words, {}), seams).controllers.map(({ name }) => name)
}

const ofNodes = ["cloud-node-controller", "cloud-node-lifecycle-controller"]

test.each<[name: string, words: Record<string, string>, controllers: readonly string[]]>([
  ["no cloud, no controllers", {}, []],
  ["another program looks after the cloud", { "cloud-provider": "external" }, []],
  ["memory has machines and load balancers", { "cloud-provider": "memory" }, [...ofNodes, "service-lb-controller"]],
  [
    "and routes, where nodes are given ranges",
    { "cloud-provider": "memory", "allocate-node-cidrs": "true", "cluster-cidr": "10.244.0.0/16" },
    [...ofNodes, "service-lb-controller", "node-route-controller"],
  ],
  [
    "without routes where they are not wanted",
    { "cloud-provider": "memory", "allocate-node-cidrs": "true", "cluster-cidr": "10.244.0.0/16", "configure-cloud-routes": "false" },
    [...ofNodes, "service-lb-controller"],
  ],
  ["its controller can be chosen alone", { "cloud-provider": "memory", controllers: "service" }, ["service-lb-controller"]],
  ["and left out", { "cloud-provider": "memory", controllers: "*,-service-lb-controller" }, ofNodes],
  ["controllers that are chosen without it", { "cloud-provider": "memory", controllers: "job" }, []],
  ["with the handlers on, its controller stays off: a load balancer has one owner", { "cloud-provider": "memory", openstack: "true" }, []],
  [
    "the cluster's name is taken",
    { "cloud-provider": "memory", "cluster-name": "east", controllers: "service" },
    ["service-lb-controller"],
  ],
])("%s", (_name, words, controllers) => {
  expect(controllersOf(words)).toEqual(controllers)
})

test("a plug-in with load balancers only: the controllers of nodes are left out, and one that is named is unhealthy", () => {
  const { loadBalancers } = memoryProvider({ cloud: new MemoryCloud(seams) })
  const made = (controllers: string) =>
    cloudControllers(settingsOf({ "cloud-provider": "./balancers.js", controllers }, {}), seams, (clusterName) => ({
      name: "balancers",
      clusterName,
      loadBalancers,
    }))
  const [all, named] = [made("*"), made("*,cloud-node")]
  expect(all.controllers.map(({ name }) => name)).toEqual(["service-lb-controller"])
  expect(all.checks).toEqual([])
  expect(named.checks).toEqual([expect.objectContaining({ name: "cloud-node-controller", ok: false })])
})
