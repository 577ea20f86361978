import { silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { settingsOf } from "../settings.ts"
import { cloudControllers } from "./cloud-provider.ts"

const seams = { clock: new VirtualClock(), log: silentLog }

function controllersOf(words: Readonly<Record<string, string>>): readonly string[] {
  return cloudControllers(settingsOf(words, {}).own, seams).controllers.map(({ name }) => name)
}

test.each<[name: string, words: Record<string, string>, controllers: readonly string[]]>([
  ["no cloud, no controllers", {}, []],
  ["another program looks after the cloud", { "cloud-provider": "external" }, []],
  ["memory has load balancers only", { "cloud-provider": "memory" }, ["service-lb-controller"]],
  ["its controller can be chosen alone", { "cloud-provider": "memory", controllers: "service" }, ["service-lb-controller"]],
  ["and left out", { "cloud-provider": "memory", controllers: "*,-service-lb-controller" }, []],
  ["controllers that are chosen without it", { "cloud-provider": "memory", controllers: "job" }, []],
  ["with the handlers on, its controller stays off: a load balancer has one owner", { "cloud-provider": "memory", openstack: "true" }, []],
  ["the cluster's name is taken", { "cloud-provider": "memory", "cluster-name": "east" }, ["service-lb-controller"]],
])("%s", (_name, words, controllers) => {
  expect(controllersOf(words)).toEqual(controllers)
})

test("a cloud that is not known is refused", () => {
  expect(() => controllersOf({ "cloud-provider": "aws" })).toThrow(
    '--cloud-provider: expected openstack, memory, external or nothing, found "aws"',
  )
})
